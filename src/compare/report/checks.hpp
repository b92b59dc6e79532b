// What came of the checks: of one row, which of its outputs differ and from what; of a run, one line.
#pragma once

#include <string>
#include <vector>

#include "compare/record.hpp"
#include "compare/report/text.hpp"

namespace tare::compare {

/// The first output that differs, be it only after the timed launches; null where none does.
const Difference* first_differing(const RowResult& row);

/// Whether the output differs from what another row gave, and not from a reference: then either may be wrong.
/// What a hint explains is the row's own doing.
bool is_disagreement(const RowResult& row, const Difference& difference);

/// What the output was to be, by whose word: "want 2.5 (0x40200000)", "nvrtc gave 2.5 (0x40200000)", "it gave
/// first 2.5 (0x40200000)".
std::string expected(const RowResult& row, const Difference& difference);

/// Whether the row is called wrong for a disagreement.
bool only_differs(const RowResult& row);

/// "Checks: 4 rows match; wrong: raw; skipped: clang", ending in a newline. A row counts by the worst that
/// happened to it in any of these passes. `where` follows "match": " at all 17 sizes", or nothing.
/// `is_empty`: no pass launched anything.
std::string checks(const std::vector<const PassResult*>& passes, bool is_empty, const std::string& where,
                   Painter paint);

}  // namespace tare::compare
