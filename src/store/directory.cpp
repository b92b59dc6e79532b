#include "store/directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace tare::store {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kDamaged = ".damaged-";
constexpr std::size_t kRandomPart = 6;

bool starts_with_key(std::string_view name, const Names& names) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return name.size() > names.key_digits && std::all_of(name.begin(), name.begin() + names.key_digits, is_hex);
}

bool is_entry(std::string_view name, const Names& names) {
  return starts_with_key(name, names) && name.substr(names.key_digits) == names.suffix;
}

bool is_temporary(std::string_view name, const Names& names) {
  return name.starts_with(names.temporary) && name.size() == names.temporary.size() + kRandomPart;
}

bool is_set_aside(std::string_view name, const Names& names) {
  if (!starts_with_key(name, names)) return false;
  name.remove_prefix(names.key_digits);
  return name.starts_with(names.suffix) && name.substr(names.suffix.size()).starts_with(kDamaged) &&
         name.size() == names.suffix.size() + kDamaged.size() + kRandomPart;
}

bool owner_is_trusted(const struct stat& status) {
  return status.st_uid == ::geteuid() || status.st_uid == 0;
}

std::chrono::system_clock::time_point time_of(const struct stat& status) {
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec)));
}

/// Regular files whose name passes, in no order.
template <class Passes>
std::vector<File> list(const fs::path& directory, const Names& names, Passes passes) {
  std::vector<File> found;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename();
    struct stat status = {};
    if (!passes(name, names) || ::lstat(it->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode))
      continue;
    found.push_back({it->path(), name.substr(0, std::min(name.size(), names.key_digits)),
                     static_cast<std::uint64_t>(status.st_size), time_of(status)});
  }
  return found;
}

/// Temporaries of processes that died, and damaged entries that nobody came to look at.
void remove_leftovers(const fs::path& directory, const Names& names) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::system_clock::now();
  std::error_code ignored;
  for (const File& file : list(directory, names, is_temporary))
    if (now - file.last_used > 1h) fs::remove(file.path, ignored);
  for (const File& file : list(directory, names, is_set_aside))
    if (now - file.last_used > 7 * 24h) fs::remove(file.path, ignored);
}

}  // namespace

bool trusts_others() {
  const char* value = std::getenv("TARE_CACHE_TRUST");
  return value != nullptr && std::string_view(value) == "1";
}

std::string directory_fault(const fs::path& directory) {
  struct stat status = {};
  if (::stat(directory.c_str(), &status) != 0)
    return errno == ENOENT ? "" : "cannot use " + directory.string() + ": " + std::strerror(errno);
  if (!S_ISDIR(status.st_mode)) return directory.string() + " is not a directory";
  if (trusts_others()) return {};
  if (!owner_is_trusted(status)) return directory.string() + " belongs to another user";
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "other users may write in " + directory.string() + " (TARE_CACHE_TRUST=1 allows that)";
  return {};
}

std::string make_directory(const fs::path& directory) {
  std::error_code error;
  if (fs::is_directory(directory, error)) return {};
  std::string fault;
  if (directory.has_parent_path() && directory.parent_path() != directory)
    fault = make_directory(directory.parent_path());
  if (fault.empty() && ::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    fault = "cannot make " + directory.string() + ": " + std::strerror(errno);
  return fault;
}

Found find(const fs::path& entry) {
  struct stat status = {};
  if (::lstat(entry.c_str(), &status) != 0) return Found::nothing;
  return owner_is_trusted(status) || trusts_others() ? Found::usable : Found::of_another_user;
}

void mark_used(const fs::path& entry) {
  ::utimensat(AT_FDCWD, entry.c_str(), nullptr, 0);
}

void set_aside(const fs::path& entry) {
  std::string aside = entry.string() + std::string(kDamaged) + "XXXXXX";
  // A name of its own: rename() may replace neither a directory nor an earlier find.
  const int fd = ::mkostemp(aside.data(), O_CLOEXEC);
  if (fd < 0) return;
  ::close(fd);
  ::unlink(aside.c_str());
  ::rename(entry.c_str(), aside.c_str());
}

std::vector<File> list_entries(const fs::path& directory, const Names& names) {
  std::vector<File> entries = list(directory, names, is_entry);
  std::sort(entries.begin(), entries.end(),
            [](const File& a, const File& b) { return a.last_used > b.last_used; });
  return entries;
}

std::size_t remove_all_entries(const fs::path& directory, const Names& names) {
  std::size_t removed = 0;
  std::error_code ignored;
  for (const File& entry : list_entries(directory, names))
    removed += fs::remove(entry.path, ignored) ? 1u : 0u;
  const auto is_other = [](std::string_view name, const Names& of) {
    return is_temporary(name, of) || is_set_aside(name, of);
  };
  for (const File& file : list(directory, names, is_other)) fs::remove(file.path, ignored);
  return removed;
}

std::size_t evict(const fs::path& directory, const Names& names, std::uint64_t max_bytes) {
  std::vector<File> entries = list_entries(directory, names);
  std::uint64_t total = 0;
  for (const File& entry : entries) total += entry.bytes;
  if (total <= max_bytes) return 0;
  remove_leftovers(directory, names);
  const std::uint64_t target = max_bytes / 10 * 9;
  std::size_t removed = 0;
  std::error_code error;
  for (; total > target && !entries.empty(); entries.pop_back()) {
    if (fs::remove(entries.back().path, error)) ++removed;
    total -= entries.back().bytes;
  }
  return removed;
}

}  // namespace tare::store
