// Whole files: written aside and renamed, so that a reader sees all of one or none; and read without waiting
// and without trust in what lies under their name. No call throws because of the file system.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tare::store {

/// Bytes of a checksum().
inline constexpr std::size_t kChecksumBytes = 16;
/// XXH3-128 in its canonical form.
std::string checksum(std::string_view bytes);

/// nullopt where there is no plain file to read.
std::optional<std::string> read_whole(const std::filesystem::path& file);

/// A file's bytes, or only the first `header_bytes` where `is_worth_reading` says no to them and to how long
/// the file is: one of any size can lie under a name. nullopt where there is no plain file, or a link to one.
std::optional<std::string> read_checked(
    const std::filesystem::path& file, std::size_t header_bytes,
    const std::function<bool(std::string_view header, std::uint64_t file_bytes)>& is_worth_reading);

/// Whether a file that is kept must survive a crash of the machine: waits for the disk.
enum class Durable : bool { no, yes };

/// Private temporary in the same directory, rename. Empty, or what went wrong. The temporary's name is
/// `temporary` and six random characters.
std::string write_atomically(const std::filesystem::path& target, std::string_view temporary,
                             std::string_view bytes, Durable durable);

}  // namespace tare::store
