// From figures to words: fills the record's claims and findings, and says what exit code it calls for.
#include "compare/options.hpp"
#include "compare/report/claims.hpp"
#include "compare/report/findings.hpp"

namespace tare::compare {

void judge(Record& record, const std::vector<Claim>& claims) {
  record.claims.clear();
  for (const Claim& claim : claims) record.claims.push_back(judge_claim(claim, record, record.settings.seed));
  record.findings = work_out_findings(record);
}

ExitCode exit_code(const Record& record) {
  bool ran = false, bad = false;
  for (const PassResult& pass : record.passes) {
    if (pass.name == "rehearsal") continue;
    for (const RowResult& row : pass.rows) {
      ran |= row.status != Status::skipped;
      bad |= row.status == Status::wrong || row.status == Status::failed;
    }
  }
  if (!ran) return kNothingRan;
  return bad ? kWrongOrFailed : kAllMatched;
}

}  // namespace tare::compare
