// Writing files whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace tare::cli {

/// Replaces `path` by a file with this content: readers see the old one or the new one, never a part.
/// Throws tare::Error(io).
void replace_file(const std::filesystem::path& path, const std::string& content);

/// Throws tare::Error(io) if replace_file(path) could not work: no such folder, or not writable.
void check_replaceable(const std::filesystem::path& path);

/// Writes a new file. Throws tare::Error(argument) if there is one already, tare::Error(io) otherwise.
void create_file(const std::filesystem::path& path, const std::string& content);

/// The whole text of a plain file (compare/case/plain_file.hpp). Throws tare::Error(not_found).
std::string read_file(const std::filesystem::path& path);

}  // namespace tare::cli
