// What is in the directory, and making room: least recently used first, and never a file that is not ours.
#include <sys/stat.h>

#include <algorithm>
#include <cctype>

#include "cache/store.hpp"

namespace tare::detail {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kHexDigits = 64;
constexpr std::string_view kSuffix = ".tare", kTemporary = ".tare-", kDamaged = ".tare.damaged-";
constexpr std::size_t kRandomPart = 6;

bool starts_with_key(std::string_view name) {
  return name.size() > kHexDigits && std::all_of(name.begin(), name.begin() + kHexDigits, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool is_entry(std::string_view name) {
  return starts_with_key(name) && name.substr(kHexDigits) == kSuffix;
}

bool is_temporary(std::string_view name) {
  return name.starts_with(kTemporary) && name.size() == kTemporary.size() + kRandomPart;
}

bool is_set_aside(std::string_view name) {
  return starts_with_key(name) && name.substr(kHexDigits).starts_with(kDamaged) &&
         name.size() == kHexDigits + kDamaged.size() + kRandomPart;
}

std::chrono::system_clock::time_point time_of(const struct stat& status) {
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec)));
}

/// Regular files whose name passes, in no order.
template <class Passes>
std::vector<CacheEntry> list(const fs::path& directory, Passes passes) {
  std::vector<CacheEntry> found;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename();
    struct stat status = {};
    if (!passes(name) || ::lstat(it->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    found.push_back({it->path(), name.substr(0, std::min(name.size(), kHexDigits)),
                     static_cast<std::uint64_t>(status.st_size), time_of(status)});
  }
  return found;
}

/// Temporaries of processes that died, and damaged entries that nobody came to look at.
void remove_leftovers(const fs::path& directory) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::system_clock::now();
  std::error_code ignored;
  for (const CacheEntry& file : list(directory, is_temporary))
    if (now - file.last_used > 1h) fs::remove(file.path, ignored);
  for (const CacheEntry& file : list(directory, is_set_aside))
    if (now - file.last_used > 7 * 24h) fs::remove(file.path, ignored);
}

}  // namespace

std::vector<CacheEntry> list_entries(const fs::path& directory) {
  std::vector<CacheEntry> entries = list(directory, is_entry);
  std::sort(entries.begin(), entries.end(),
            [](const CacheEntry& a, const CacheEntry& b) { return a.last_used > b.last_used; });
  return entries;
}

std::size_t remove_all_entries(const fs::path& directory) {
  std::size_t removed = 0;
  std::error_code ignored;
  for (const CacheEntry& entry : list_entries(directory))
    removed += fs::remove(entry.path, ignored) ? 1u : 0u;
  for (const CacheEntry& file :
       list(directory, [](auto name) { return is_temporary(name) || is_set_aside(name); }))
    fs::remove(file.path, ignored);
  fs::remove(directory / "counters", ignored);
  return removed;
}

void evict(Cache::State& state) {
  std::vector<CacheEntry> entries = list_entries(state.directory);
  std::uint64_t total = 0;
  for (const CacheEntry& entry : entries) total += entry.bytes;
  if (total <= state.max_bytes) return;
  remove_leftovers(state.directory);
  const std::uint64_t target = state.max_bytes / 10 * 9;
  std::uint64_t removed = 0;
  std::error_code error;
  for (; total > target && !entries.empty(); entries.pop_back()) {
    if (fs::remove(entries.back().path, error)) ++removed;
    total -= entries.back().bytes;
  }
  if (removed > 0) count(state, &CacheCounters::evicted, removed);
}

}  // namespace tare::detail
