// The files that a compile opened, out of the make rule that nvcc writes.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "cache/entry.hpp"

namespace tare::detail {

/// Paths after the colon of a make rule: spaces escaped, lines continued.
std::vector<std::string> rule_prerequisites(const std::string& rule);

/// Their size, time and content now, but for the source itself (a relative path) and what lies in
/// `toolkit_dirs`, which stands for itself in the key. `doubt` is set where a file is newer than `start`:
/// then the compile may have read something else.
std::vector<OpenedFile> opened_files(const std::string& rule,
                                     const std::vector<std::filesystem::path>& toolkit_dirs,
                                     std::chrono::system_clock::time_point start, std::string& doubt);

}  // namespace tare::detail
