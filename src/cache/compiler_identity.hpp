// What tells one installed compiler from another without running, loading or reading all of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tare::detail {

/// Path, size, modification time, inode and ELF build id of one file; a small file's content too (a
/// wrapper script's). "absent" where there is none.
std::string file_identity(const std::filesystem::path& file);

/// Of a compiler and its companions.
std::string compiler_identity(const std::filesystem::path& compiler,
                              const std::vector<std::filesystem::path>& companions);

/// Of a toolkit's include folder: its own time and those of the headers that every release changes.
std::string package_identity(const std::filesystem::path& include_dir);

}  // namespace tare::detail
