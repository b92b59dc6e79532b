// Look-up and keeping: every entry is a whole file or not there, whoever else is at work.
#include "cache/store.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "store/directory.hpp"
#include "store/file.hpp"

namespace tare::detail {
namespace fs = std::filesystem;
namespace {

constexpr store::Names kNames{.key_digits = 64, .suffix = ".tare", .temporary = ".tare-"};

bool unchanged(const OpenedFile& file) {
  struct stat status = {};
  if (::stat(file.path.c_str(), &status) != 0) return false;
  const std::int64_t mtime_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  if (static_cast<std::uint64_t>(status.st_size) != file.size) return false;
  if (mtime_ns == file.mtime_ns) return true;
  const auto content = store::read_whole(file.path);
  return content && hex(sha256(*content)) == file.content;
}

std::optional<Compiled> from_memory(Cache::State& state, const Key& key) {
  const std::lock_guard lock(state.mutex);
  const auto it = state.in_memory.find(key);
  return it == state.in_memory.end() ? std::nullopt : std::optional<Compiled>(it->second);
}

}  // namespace

std::string directory_fault(const fs::path& directory) {
  if (directory.empty()) return "none of TARE_CACHE_DIR, XDG_CACHE_HOME and HOME is set";
  return store::directory_fault(directory);
}

fs::path entry_path(const Cache::State& state, const Key& key) {
  return kNames.path(state.directory, hex(key));
}

std::optional<std::string> read_entry(const fs::path& file) {
  return store::read_checked(file, kEntryHeaderBytes, [](std::string_view header, std::uint64_t file_bytes) {
    return header_fault(header, file_bytes).empty();
  });
}

LookUp look_up(Cache::State& state, const Key& key) {
  const auto miss = [&](const std::string& result) {
    LookUp look{from_memory(state, key), result};
    count(state, look.found ? &CacheCounters::hits : &CacheCounters::misses);
    return look;
  };
  if (const std::string fault = directory_fault(state.directory); !fault.empty())
    return miss("unusable: " + fault);
  const fs::path path = entry_path(state, key);
  const store::Found there = store::find(path);
  if (there == store::Found::nothing) return miss("miss");
  if (there == store::Found::of_another_user)
    return miss("unusable: " + path.string() + " belongs to another user");
  std::string why;
  const auto bytes = read_entry(path);
  std::optional<Entry> entry = bytes ? decode_entry(key, *bytes, why) : std::nullopt;
  if (!entry) {
    set_aside(state, key);
    count(state, &CacheCounters::repaired);
    return miss("repaired");
  }
  if (!std::all_of(entry->opened.begin(), entry->opened.end(), unchanged)) return miss("miss");
  store::mark_used(path);
  count(state, &CacheCounters::hits);
  return {std::move(entry->compiled), "hit"};
}

void keep(Cache::State& state, const Key& key, const Entry& entry) {
  std::string fault = directory_fault(state.directory);
  if (fault.empty()) fault = store::make_directory(state.directory);
  if (fault.empty()) {
    const std::string bytes = encode_entry(key, entry);
    fault =
        bytes.size() > kMostEntryBytes
            ? "an entry would be longer than " + std::to_string(kMostEntryBytes) + " bytes"
            : store::write_atomically(entry_path(state, key), kNames.temporary, bytes, store::Durable::yes);
  }
  if (fault.empty()) {
    count(state, &CacheCounters::stores);
    evict(state);
    return;
  }
  warn_once(fault);
  {
    constexpr std::size_t kMostInMemory = 256;
    const std::lock_guard lock(state.mutex);
    if (state.in_memory.size() < kMostInMemory) state.in_memory[key] = entry.compiled;
  }
  count(state, &CacheCounters::write_failures);
}

void set_aside(Cache::State& state, const Key& key) {
  store::set_aside(entry_path(state, key));
}

std::vector<CacheEntry> list_entries(const fs::path& directory) {
  std::vector<CacheEntry> entries;
  for (store::File& file : store::list_entries(directory, kNames))
    entries.push_back({std::move(file.path), std::move(file.key), file.bytes, file.last_used});
  return entries;
}

std::size_t remove_all_entries(const fs::path& directory) {
  std::error_code ignored;
  fs::remove(directory / "counters", ignored);
  return store::remove_all_entries(directory, kNames);
}

void evict(Cache::State& state) {
  const std::size_t removed = store::evict(state.directory, kNames, state.max_bytes);
  if (removed > 0) count(state, &CacheCounters::evicted, removed);
}

}  // namespace tare::detail
