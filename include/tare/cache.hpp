// The compile cache on disk: one entry, one file. It can make a run slower, never fail.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tare/compile.hpp"

namespace tare {

/// What became of look-ups. `repaired`: damaged entries set aside and compiled anew.
struct CacheCounters {
  std::uint64_t hits = 0, misses = 0, stores = 0, repaired = 0, evicted = 0, write_failures = 0;
};

/// One of the things that decide what a compile makes, by name: "source", "option fmad", "compiler", ...
struct CacheInput {
  std::string name, value;
};

/// Which compiler a look-up is for: RawKernel's (NVRTC), SourceModule's (nvcc), or one of tare::jit's.
enum class CachedCompiler { nvrtc, nvcc, libnvvm, clang };

/// All inputs of a compile, as the key has them. Starts no program and loads no library; reads the user's
/// headers. Throws Error(not_found) where the compiler is absent, and Error(unsupported) where the headers
/// that the source reads cannot be told (such a compile is not cached). `options.arch` must be set.
/// Of tare::jit: `source` is the IR, as JitKernel::ir() gives it, `code` is PTX, `names` the kernel's, and
/// the architecture a virtual one ("compute_90").
std::vector<CacheInput> cache_inputs(CachedCompiler compiler, const std::string& source, Code code,
                                     const std::vector<std::string>& names, const CompileOptions& options);

/// An entry on disk.
struct CacheEntry {
  std::filesystem::path path;
  std::string key;  // hex
  std::uint64_t bytes = 0;
  std::chrono::system_clock::time_point last_used;
};

/// Why a look-up would miss: the inputs that differ from those of the entry that is nearest.
struct CacheExplanation {
  bool present = false;  // it would hit
  std::string key;       // that was looked for, hex
  std::string nearest;   // key of the nearest entry; empty where the cache is empty
  struct Difference {
    std::string name, wanted, kept;  // long values as "sha256:..."; empty where one side lacks the input
  };
  std::vector<Difference> differences;
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
  /// Of this process, since the first Cache object for this directory was made.
  CacheCounters counters() const;
  /// Of all processes that used the directory, as kept there.
  CacheCounters stats() const;
  /// Why the directory cannot be used ("DIR is owned by another user"); empty where it can.
  std::string unusable() const;

  /// Most recently used first. Empty where the directory cannot be read.
  std::vector<CacheEntry> entries() const;
  std::uint64_t total_bytes() const;
  /// Removes the cache's own files, no others; returns how many entries there were.
  std::size_t clear() const;
  CacheExplanation explain(const std::vector<CacheInput>& inputs) const;

  struct State;
  State& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace tare
