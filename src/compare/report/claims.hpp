// The language of claims: `holds = "max(mean_ms) / min(mean_ms) <= 1.05"`. docs/claims.md is its manual;
// this header is what the case loader and the report use of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/case/case.hpp"
#include "compare/record.hpp"

namespace tare::compare {

/// Throws CaseError ("FILE:LINE: claim `...`: what is wrong and where") if the claim does not parse, or
/// names a row outside `known_rows` (not checked where that is empty). `case_file` only begins the message.
void check_claim(const Claim& claim, const std::string& case_file = {},
                 const std::vector<std::string>& known_rows = {});

/// Judges one claim on the record's cold and warm passes. `seed` is of the resampling behind the intervals.
/// Throws CaseError as check_claim.
ClaimResult judge_claim(const Claim& claim, const Record& record, std::uint64_t seed);

}  // namespace tare::compare
