// Why rows are skipped, in the length that suits a table: where compilers were looked for is said once,
// below.
#pragma once

#include <string>
#include <vector>

namespace tare::compare {

/// A row's reason as one entry of a table: of "NVRTC not found: looked in A, B; clang not found: looked in C"
/// it is "NVRTC and clang not found in the places named below". Any other reason, and one that is short, as
/// it is.
std::string short_reason(const std::string& reason);

/// What short_reason() left out: "NVRTC not found: looked in A, B", each once, in the order of the reasons.
std::vector<std::string> places_left_out(const std::vector<std::string>& reasons);

}  // namespace tare::compare
