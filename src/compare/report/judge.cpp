// From figures to words: fills the record's claims and findings. It draws on the figures alone, so the same
// record is always judged alike.
#include "compare/options.hpp"
#include "compare/report/claims.hpp"
#include "compare/report/findings.hpp"

namespace tare::compare {

void judge(Record& record, const std::vector<Claim>& claims) {
  record.claims.clear();
  if (record.job.empty) {
    for (const Claim& claim : claims)
      record.claims.push_back({claim.text, claim.holds, Verdict::undecided, "nothing was launched"});
    return;
  }
  for (const Claim& claim : claims) record.claims.push_back(judge_claim(claim, record, record.settings.seed));
  record.findings = work_out_findings(record);
}

}  // namespace tare::compare
