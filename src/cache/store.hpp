// The cache's directory: looking up, keeping, setting aside, evicting, counting. No call throws because
// of the file system.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cache/entry.hpp"
#include "tare/cache.hpp"

namespace tare {

/// One per directory and process; every Cache object for it shares it.
struct Cache::State {
  std::filesystem::path directory;
  std::uint64_t max_bytes = 0;

  mutable std::mutex mutex;  // guards what follows
  CacheCounters counters;
  CacheCounters not_yet_on_disk;
  std::map<detail::Key, Compiled> in_memory;  // what could not be written
};

namespace detail {

struct LookUp {
  std::optional<Compiled> found;
  std::string result;  // "hit", "miss", "repaired", "unusable: WHY"
};

/// Reads and checks the entry. A damaged one is set aside, an entry whose opened files have changed counts
/// as a miss. Counts hits, misses and repairs.
LookUp look_up(Cache::State& state, const Key& key);

/// Writes the entry (private temporary, fsync, rename) and evicts what is too much; where that cannot be
/// done, keeps it in memory and warns once per process.
void keep(Cache::State& state, const Key& key, const Entry& entry);

/// Moves an entry aside that turned out to be of no use after all.
void set_aside(Cache::State& state, const Key& key);

/// Why the directory may not be used, as it is now; empty where it may, also where it does not exist yet.
std::string directory_fault(const std::filesystem::path& directory);

std::filesystem::path entry_path(const Cache::State& state, const Key& key);
/// An entry's bytes, or only its header where that shows already that the rest is not worth reading; nullopt
/// where there is no plain file.
std::optional<std::string> read_entry(const std::filesystem::path& file);

/// Entries on disk, most recently used first.
std::vector<CacheEntry> list_entries(const std::filesystem::path& directory);
/// Removes the files of the cache's own making; returns how many entries.
std::size_t remove_all_entries(const std::filesystem::path& directory);
void evict(Cache::State& state);

/// Adds to the counters in memory and, as soon as their file is free, on disk.
void count(Cache::State& state, std::uint64_t CacheCounters::*which, std::uint64_t by = 1);
CacheCounters read_counters(const std::filesystem::path& directory);

/// One line to stderr, the first time only in this process.
void warn_once(const std::string& reason);

}  // namespace detail
}  // namespace tare
