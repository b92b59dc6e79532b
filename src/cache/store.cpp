// Look-up and keeping: every entry is a whole file or not there, whoever else is at work.
#include "cache/store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "compile/toolkit_places.hpp"

namespace tare::detail {
namespace fs = std::filesystem;
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

bool owner_is_trusted(const struct stat& status) {
  return status.st_uid == ::geteuid() || status.st_uid == 0;
}

bool trusted_anyway() {
  return environment("TARE_CACHE_TRUST") == "1";
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Makes the directory and those above it, for the owner alone.
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

/// The whole of "private temporary in the same directory, fsync, rename". Empty, or what went wrong.
std::string write_atomically(const fs::path& directory, const fs::path& target, std::string_view bytes) {
  std::string temporary = (directory / ".tare-XXXXXX").string();
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return "cannot write in " + directory.string() + ": " + std::strerror(errno);
  if (write_all(file.get(), bytes) && ::fsync(file.get()) == 0 &&
      ::rename(temporary.c_str(), target.c_str()) == 0)
    return {};
  std::string fault = "cannot write " + target.string() + ": " + std::strerror(errno);
  ::unlink(temporary.c_str());
  return fault;
}

bool unchanged(const OpenedFile& file) {
  struct stat status = {};
  if (::stat(file.path.c_str(), &status) != 0) return false;
  const std::int64_t mtime_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  if (static_cast<std::uint64_t>(status.st_size) != file.size) return false;
  if (mtime_ns == file.mtime_ns) return true;
  const auto content = read_whole(file.path);
  return content && hex(sha256(*content)) == file.content;
}

struct Plain {
  Descriptor descriptor;
  std::optional<std::uint64_t> bytes;  // none: not there, or not a plain file
};

/// Never waits: not for the other end of a pipe either.
Plain open_plain(const fs::path& file) {
  Plain in{Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), std::nullopt};
  struct stat status = {};
  if (in.descriptor.get() >= 0 && ::fstat(in.descriptor.get(), &status) == 0 && S_ISREG(status.st_mode))
    in.bytes = static_cast<std::uint64_t>(status.st_size);
  return in;
}

/// Up to `count` bytes, fewer where the file has become shorter.
std::string read_bytes(int fd, std::uint64_t count) {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(fd, bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

std::optional<Compiled> from_memory(Cache::State& state, const Key& key) {
  const std::lock_guard lock(state.mutex);
  const auto it = state.in_memory.find(key);
  return it == state.in_memory.end() ? std::nullopt : std::optional<Compiled>(it->second);
}

}  // namespace

std::string directory_fault(const fs::path& directory) {
  if (directory.empty()) return "none of TARE_CACHE_DIR, XDG_CACHE_HOME and HOME is set";
  struct stat status = {};
  if (::stat(directory.c_str(), &status) != 0)
    return errno == ENOENT ? "" : "cannot use " + directory.string() + ": " + std::strerror(errno);
  if (!S_ISDIR(status.st_mode)) return directory.string() + " is not a directory";
  if (trusted_anyway()) return {};
  if (!owner_is_trusted(status)) return directory.string() + " belongs to another user";
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "other users may write in " + directory.string() + " (TARE_CACHE_TRUST=1 allows that)";
  return {};
}

fs::path entry_path(const Cache::State& state, const Key& key) {
  return state.directory / (hex(key) + ".tare");
}

std::optional<std::string> read_whole(const fs::path& file) {
  const Plain in = open_plain(file);
  if (!in.bytes) return std::nullopt;
  return read_bytes(in.descriptor.get(), *in.bytes);
}

std::optional<std::string> read_entry(const fs::path& file) {
  const Plain in = open_plain(file);
  if (!in.bytes) return std::nullopt;
  std::string bytes = read_bytes(in.descriptor.get(), std::min<std::uint64_t>(*in.bytes, kEntryHeaderBytes));
  if (header_fault(bytes, *in.bytes).empty())
    bytes += read_bytes(in.descriptor.get(), *in.bytes - bytes.size());
  return bytes;
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
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) return miss("miss");
  if (!owner_is_trusted(status) && !trusted_anyway())
    return miss("unusable: " + path.string() + " belongs to another user");
  std::string why;
  const auto bytes = S_ISREG(status.st_mode) ? read_entry(path) : std::nullopt;
  std::optional<Entry> entry = bytes ? decode_entry(key, *bytes, why) : std::nullopt;
  if (!entry) {
    set_aside(state, key);
    count(state, &CacheCounters::repaired);
    return miss("repaired");
  }
  if (!std::all_of(entry->opened.begin(), entry->opened.end(), unchanged)) return miss("miss");
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // used now: eviction goes by this
  count(state, &CacheCounters::hits);
  return {std::move(entry->compiled), "hit"};
}

void keep(Cache::State& state, const Key& key, const Entry& entry) {
  std::string fault = directory_fault(state.directory);
  if (fault.empty()) fault = make_directory(state.directory);
  if (fault.empty()) {
    const std::string bytes = encode_entry(key, entry);
    fault = bytes.size() > kMostEntryBytes
                ? "an entry would be longer than " + std::to_string(kMostEntryBytes) + " bytes"
                : write_atomically(state.directory, entry_path(state, key), bytes);
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
  const fs::path path = entry_path(state, key);
  std::string aside = path.string() + ".damaged-XXXXXX";
  // A name of its own: rename() may replace neither a directory nor an earlier find.
  const int fd = ::mkostemp(aside.data(), O_CLOEXEC);
  if (fd < 0) return;
  ::close(fd);
  ::unlink(aside.c_str());
  ::rename(path.c_str(), aside.c_str());
}

}  // namespace tare::detail
