// Counters that all processes share: one small file, added to under a lock that dies with its holder and
// that nobody waits for.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "cache/store.hpp"
#include "store/size_limit.hpp"

namespace tare::detail {
namespace {

constexpr std::array kFields{&CacheCounters::hits,    &CacheCounters::misses,
                             &CacheCounters::stores,  &CacheCounters::repaired,
                             &CacheCounters::evicted, &CacheCounters::write_failures};

struct Record {
  std::array<std::uint64_t, kFields.size()> values{};
  std::uint64_t check = 0;
  std::uint64_t expected_check() const { return XXH3_64bits(values.data(), sizeof values); }
};

std::string counters_path(const std::filesystem::path& directory) {
  return (directory / "counters").string();
}

Record read_record(int fd) {
  Record record;
  if (::pread(fd, &record, sizeof record, 0) != static_cast<ssize_t>(sizeof record) ||
      record.check != record.expected_check())
    return {};
  return record;
}

/// False where the file cannot be had just now; then the numbers wait for the next time.
bool add_on_disk(const std::filesystem::path& directory, const CacheCounters& more) {
  const int fd = ::open(counters_path(directory).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  bool done = false;
  const store::NoSizeSignal no_signal;
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
    Record record = read_record(fd);
    for (std::size_t i = 0; i < kFields.size(); ++i) record.values[i] += more.*kFields[i];
    record.check = record.expected_check();
    done = ::pwrite(fd, &record, sizeof record, 0) == static_cast<ssize_t>(sizeof record);
  }
  ::close(fd);
  return done;
}

}  // namespace

void count(Cache::State& state, std::uint64_t CacheCounters::*which, std::uint64_t by) {
  const std::lock_guard lock(state.mutex);
  state.counters.*which += by;
  state.not_yet_on_disk.*which += by;
  if (directory_fault(state.directory).empty() && add_on_disk(state.directory, state.not_yet_on_disk))
    state.not_yet_on_disk = {};
}

CacheCounters read_counters(const std::filesystem::path& directory) {
  CacheCounters counters;
  const int fd = ::open(counters_path(directory).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return counters;
  const Record record = read_record(fd);
  for (std::size_t i = 0; i < kFields.size(); ++i) counters.*kFields[i] = record.values[i];
  ::close(fd);
  return counters;
}

void warn_once(const std::string& reason) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true))
    std::fprintf(
        stderr,
        "tare: compiled programs are kept in memory only: %s (TARE_CACHE_DIR names another directory)\n",
        reason.c_str());
}

}  // namespace tare::detail
