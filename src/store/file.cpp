#include "store/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "store/size_limit.hpp"

namespace tare::store {
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

bool write_all(int fd, std::string_view bytes) {
  const NoSizeSignal no_signal;
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

struct Plain {
  Descriptor descriptor;
  std::optional<std::uint64_t> bytes;  // none: not there, or not a plain file
};

/// Never waits: not for the other end of a pipe either.
Plain open_plain(const fs::path& file, int how = 0) {
  Plain in{Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | how)), std::nullopt};
  struct stat status = {};
  if (in.descriptor.get() >= 0 && ::fstat(in.descriptor.get(), &status) == 0 && S_ISREG(status.st_mode))
    in.bytes = static_cast<std::uint64_t>(status.st_size);
  return in;
}

/// Adds up to `count` bytes, fewer where the file has become shorter.
void read_more(int fd, std::uint64_t count, std::string& bytes) {
  std::size_t have = bytes.size();
  bytes.resize(have + static_cast<std::size_t>(count));
  while (have < bytes.size()) {
    const ssize_t got = ::read(fd, bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
}

}  // namespace

std::string checksum(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  static_assert(sizeof canonical.digest == kChecksumBytes);
  return {reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest};
}

std::optional<std::string> read_whole(const fs::path& file) {
  const Plain in = open_plain(file);
  if (!in.bytes) return std::nullopt;
  std::string bytes;
  read_more(in.descriptor.get(), *in.bytes, bytes);
  return bytes;
}

std::optional<std::string> read_checked(
    const fs::path& file, std::size_t header_bytes,
    const std::function<bool(std::string_view header, std::uint64_t file_bytes)>& is_worth_reading) {
  const Plain in = open_plain(file, O_NOFOLLOW);
  if (!in.bytes) return std::nullopt;
  std::string bytes;
  read_more(in.descriptor.get(), std::min<std::uint64_t>(*in.bytes, header_bytes), bytes);
  if (is_worth_reading(bytes, *in.bytes)) read_more(in.descriptor.get(), *in.bytes - bytes.size(), bytes);
  return bytes;
}

std::string write_atomically(const fs::path& target, std::string_view temporary, std::string_view bytes,
                             Durable durable) {
  const fs::path directory = target.parent_path();
  std::string name = (directory / temporary).string() + "XXXXXX";
  const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.get() < 0) return "cannot write in " + directory.string() + ": " + std::strerror(errno);
  if (write_all(file.get(), bytes) && (durable == Durable::no || ::fsync(file.get()) == 0) &&
      ::rename(name.c_str(), target.c_str()) == 0)
    return {};
  std::string fault = "cannot write " + target.string() + ": " + std::strerror(errno);
  ::unlink(name.c_str());
  return fault;
}

}  // namespace tare::store
