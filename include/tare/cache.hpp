// The compile cache on disk: one entry, one file. It can make a run slower, never fail.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tare/compile.hpp"

namespace tare {

/// Counters since the cache object was made (this process) plus those kept on disk by stats().
struct CacheCounters {
  std::uint64_t hits = 0, misses = 0, stores = 0, repaired = 0, evicted = 0, write_failures = 0;
};

/// A directory of compiled programs. Thread-safe; many processes may share a directory. No call throws
/// because of the file system: a read-only, full, absent, racing or damaged cache ends in "compiled,
/// kept in memory", with one warning per process to stderr.
class Cache {
 public:
  /// The default directory: TARE_CACHE_DIR, else XDG_CACHE_HOME/tare, else HOME/.cache/tare.
  static std::filesystem::path default_directory();
  static constexpr std::uint64_t kDefaultMaxBytes = 1ull << 30;

  explicit Cache(std::filesystem::path directory = default_directory(),
                 std::uint64_t max_bytes = kDefaultMaxBytes);
  ~Cache();

  const std::filesystem::path& directory() const noexcept;
  CacheCounters counters() const;

  struct State;
  State& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace tare
