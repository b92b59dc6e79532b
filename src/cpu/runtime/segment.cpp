#include "cpu/runtime/segment.hpp"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "cpu/runtime/address_range.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace tare::cpu {
namespace {

constexpr std::size_t kPage = Segment::kPage;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

std::string segment_name(std::uint64_t identity) {
  char name[48];
  std::snprintf(name, sizeof name, "tare-cpu-%016" PRIx64, identity);
  return name;
}

/// Makes the pages present now. A file system without MADV_POPULATE_WRITE gets fallocate instead.
bool commit_pages(int fd, std::byte* base, std::size_t bytes) {
  if (madvise(base, bytes, MADV_POPULATE_WRITE) == 0) return true;
  if (errno != EINVAL) return false;
  return fallocate(fd, 0, 0, static_cast<off_t>(bytes)) == 0;
}

/// Device memory must not become the standard input, output or error of a program that has closed its own.
int above_standard_streams(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  const int raised = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  close(fd);
  errno = error;
  return raised;
}

}  // namespace

bool Segment::map(std::size_t first, std::size_t bytes, bool accessible, std::string& why) {
  std::byte* const reserved = AddressRange::get().take(bytes + 2 * kPage);
  if (reserved == nullptr) {
    why = std::string("no address space: ") + std::strerror(errno);
    return false;
  }
  std::byte* const inside = reserved + kPage;
  if (mmap(inside, bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_SHARED | MAP_FIXED, fd_,
           static_cast<off_t>(first)) == MAP_FAILED) {
    why = std::string("cannot map device memory: ") + std::strerror(errno);
    AddressRange::get().give_back(reserved, bytes + 2 * kPage);
    return false;
  }
  mapped_ = inside;
  first_ = first;
  mapped_bytes_ = bytes;
  // A forked child has no device, so it gets no device memory either.
  madvise(mapped_, mapped_bytes_, MADV_DONTFORK);
  return true;
}

std::shared_ptr<Segment> Segment::create(std::size_t bytes, Pages pages, std::string& why) {
  std::shared_ptr<Segment> segment(new Segment);
  segment->bytes_ = whole_pages(bytes);
  if (getrandom(&segment->identity_, sizeof segment->identity_, 0) != sizeof segment->identity_) {
    why = "no random bytes";
    return nullptr;
  }
  segment->fd_ = above_standard_streams(memfd_create(segment_name(segment->identity_).c_str(), MFD_CLOEXEC));
  if (segment->fd_ < 0 || ftruncate(segment->fd_, static_cast<off_t>(segment->bytes_)) != 0) {
    why = std::string("cannot make an anonymous file for device memory: ") + std::strerror(errno);
    return nullptr;
  }
  if (!segment->map(0, segment->bytes_, pages != Pages::sealed, why)) return nullptr;
  if (pages == Pages::present && !commit_pages(segment->fd_, segment->mapped_, segment->bytes_)) {
    why = std::string("it could not be made present: ") + std::strerror(errno);
    return nullptr;
  }
  return segment;
}

std::shared_ptr<Segment> Segment::open(std::int32_t pid, std::int32_t fd, std::uint64_t identity,
                                       std::size_t segment_bytes, std::size_t offset, std::size_t bytes) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
  char target[128] = {};
  const ssize_t length = readlink(path, target, sizeof target - 1);
  if (length <= 0) return nullptr;
  const std::string expected = "/memfd:" + segment_name(identity);
  if (std::strncmp(target, expected.c_str(), expected.size()) != 0) return nullptr;

  std::shared_ptr<Segment> segment(new Segment);
  segment->identity_ = identity;
  segment->bytes_ = segment_bytes;
  segment->fd_ = above_standard_streams(::open(path, O_RDWR | O_CLOEXEC));
  if (segment->fd_ < 0) return nullptr;
  struct stat status {};
  if (fstat(segment->fd_, &status) != 0 || static_cast<std::size_t>(status.st_size) != segment_bytes)
    return nullptr;
  std::string why;
  const std::size_t first = offset / kPage * kPage;
  if (!segment->map(first, whole_pages(offset + bytes) - first, true, why)) return nullptr;
  // The pages are there; entering them into this process's tables now keeps that out of the first launch.
  // Where the kernel cannot, the first accesses do it.
  madvise(segment->mapped_, segment->mapped_bytes_, MADV_POPULATE_WRITE);
  return segment;
}

Segment::~Segment() {
  if (mapped_ != nullptr) AddressRange::get().give_back(mapped_ - kPage, mapped_bytes_ + 2 * kPage);
  if (fd_ >= 0) close(fd_);
}

bool Segment::allow(std::size_t offset, std::size_t bytes) {
  return mprotect(at(offset), bytes, PROT_READ | PROT_WRITE) == 0;
}

void Segment::seal(std::size_t offset, std::size_t bytes) {
  mprotect(at(offset), bytes, PROT_NONE);
}

}  // namespace tare::cpu
