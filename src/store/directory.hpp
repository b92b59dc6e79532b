// A directory of entries, one file each, that is kept under a bound: least recently used first out, damaged
// ones set aside, and nothing taken from a place where another user can write. No call throws because of the
// file system.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tare::store {

/// How the files of one kind of entry are called: key (lower-case hex) and suffix.
struct Names {
  std::size_t key_digits;
  std::string_view suffix;     // ".tare"
  std::string_view temporary;  // ".tare-", and six random characters

  std::filesystem::path path(const std::filesystem::path& directory, const std::string& key) const {
    return directory / (key + std::string(suffix));
  }
};

struct File {
  std::filesystem::path path;
  std::string key;
  std::uint64_t bytes = 0;
  std::chrono::system_clock::time_point last_used;
};

/// Whether the user chose (TARE_CACHE_TRUST=1) to use what other users may write.
bool trusts_others();

/// Why the directory may not be used, as it is now; empty where it may, also where it does not exist yet.
std::string directory_fault(const std::filesystem::path& directory);
/// Makes the directory and those above it, for the owner alone. Empty, or what went wrong.
std::string make_directory(const std::filesystem::path& directory);

enum class Found { nothing, of_another_user, usable };
/// Whether there is an entry whose bytes may be looked at.
Found find(const std::filesystem::path& entry);
/// Eviction goes by when an entry was last marked.
void mark_used(const std::filesystem::path& entry);
/// Moves a damaged entry, whatever kind of file it is, to a name of its own beside it.
void set_aside(const std::filesystem::path& entry);

/// Most recently used first.
std::vector<File> list_entries(const std::filesystem::path& directory, const Names& names);
/// Removes the entries and what else of theirs lies there; returns how many entries.
std::size_t remove_all_entries(const std::filesystem::path& directory, const Names& names);
/// Where the entries have more bytes than `max_bytes`, removes the least recently used until a tenth is free,
/// and what dead processes left. Never a file of another kind. Returns how many entries.
std::size_t evict(const std::filesystem::path& directory, const Names& names, std::uint64_t max_bytes);

}  // namespace tare::store
