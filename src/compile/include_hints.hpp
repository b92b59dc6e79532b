// What to tell someone whose header was not found.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tare::detail {

/// The header that a compiler's log says it could not open; empty where it says no such thing.
std::string missing_header(const std::string& log);

/// Whether the header belongs to the CUDA toolkit: "cooperative_groups.h", "cuda/std/cmath".
bool is_toolkit_header(std::string_view header);

/// For NVRTC: the toolkit folder that would supply the header, or that it is one of the host's and what
/// to include in its place. Empty where there is nothing to say.
std::string include_hint(const std::string& log, const std::vector<std::filesystem::path>& toolkit_dirs);

}  // namespace tare::detail
