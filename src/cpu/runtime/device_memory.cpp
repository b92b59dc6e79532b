#include "cpu/runtime/device_memory.hpp"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "cpu/runtime/host.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace tare::cpu {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kGranule = 512;
constexpr std::size_t kSharedSegment = std::size_t{4} << 20;
constexpr std::size_t kLargestSmallBlock = std::size_t{1} << 20;

std::size_t round_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

std::string segment_name(std::uint64_t identity) {
  char name[48];
  std::snprintf(name, sizeof name, "tare-cpu-%016" PRIx64, identity);
  return name;
}

std::string megabytes(std::size_t bytes) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1024.0 * 1024.0));
  return text;
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

bool Segment::map(std::string& why) {
  void* reserved =
      mmap(nullptr, bytes_ + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    why = std::string("no address space: ") + std::strerror(errno);
    return false;
  }
  std::byte* inside = static_cast<std::byte*>(reserved) + kPage;
  if (mmap(inside, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd_, 0) == MAP_FAILED) {
    why = std::string("cannot map device memory: ") + std::strerror(errno);
    munmap(reserved, bytes_ + 2 * kPage);
    return false;
  }
  base_ = inside;
  // A forked child has no device, so it gets no device memory either.
  madvise(base_, bytes_, MADV_DONTFORK);
  return true;
}

std::shared_ptr<Segment> Segment::create(std::size_t bytes, bool commit, std::string& why) {
  std::shared_ptr<Segment> segment(new Segment);
  segment->bytes_ = round_up(bytes, kPage);
  if (getrandom(&segment->identity_, sizeof segment->identity_, 0) != sizeof segment->identity_) {
    why = "no random bytes";
    return nullptr;
  }
  segment->fd_ = above_standard_streams(memfd_create(segment_name(segment->identity_).c_str(), MFD_CLOEXEC));
  if (segment->fd_ < 0 || ftruncate(segment->fd_, static_cast<off_t>(segment->bytes_)) != 0) {
    why = std::string("cannot make an anonymous file for device memory: ") + std::strerror(errno);
    return nullptr;
  }
  if (!segment->map(why)) return nullptr;
  if (commit && !commit_pages(segment->fd_, segment->base_, segment->bytes_)) {
    why = megabytes(bytes) + " could not be made present: " + std::strerror(errno);
    return nullptr;
  }
  return segment;
}

std::shared_ptr<Segment> Segment::open(std::int32_t pid, std::int32_t fd, std::uint64_t identity,
                                       std::size_t bytes) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
  char target[128] = {};
  const ssize_t length = readlink(path, target, sizeof target - 1);
  if (length <= 0) return nullptr;
  const std::string expected = "/memfd:" + segment_name(identity);
  if (std::strncmp(target, expected.c_str(), expected.size()) != 0) return nullptr;

  std::shared_ptr<Segment> segment(new Segment);
  segment->identity_ = identity;
  segment->bytes_ = bytes;
  segment->fd_ = above_standard_streams(::open(path, O_RDWR | O_CLOEXEC));
  if (segment->fd_ < 0) return nullptr;
  struct stat status {};
  if (fstat(segment->fd_, &status) != 0 || static_cast<std::size_t>(status.st_size) != bytes) return nullptr;
  std::string why;
  if (!segment->map(why)) return nullptr;
  // The pages are there; entering them into this process's tables now keeps that out of the first launch.
  // Where the kernel cannot, the first accesses do it.
  madvise(segment->base_, bytes, MADV_POPULATE_WRITE);
  return segment;
}

Segment::~Segment() {
  if (base_ != nullptr) munmap(base_ - kPage, bytes_ + 2 * kPage);
  if (fd_ >= 0) close(fd_);
}

std::optional<MemoryBlock> DeviceMemory::allocate(std::size_t bytes, std::string& why) {
  if (bytes <= kLargestSmallBlock) return allocate_small(bytes, why);
  const MemoryState memory = memory_state();
  if (bytes > memory.free_bytes) {
    why = megabytes(bytes) + " of device memory needed, " + megabytes(memory.free_bytes) + " available";
    return std::nullopt;
  }
  auto segment = Segment::create(bytes, true, why);
  if (!segment) return std::nullopt;
  return MemoryBlock{std::move(segment), 0, bytes};
}

std::optional<MemoryBlock> DeviceMemory::allocate_small(std::size_t bytes, std::string& why) {
  const std::size_t size = round_up(std::max<std::size_t>(bytes, 1), kGranule);
  const std::scoped_lock lock(mutex_);
  const auto take = [&](Shared& from) -> std::optional<MemoryBlock> {
    for (auto hole = from.free.begin(); hole != from.free.end(); ++hole) {
      if (hole->second < size) continue;
      const auto [offset, available] = *hole;
      from.free.erase(hole);
      if (available > size) from.free.emplace(offset + size, available - size);
      from.used += size;
      return MemoryBlock{from.segment, offset, bytes};
    }
    return std::nullopt;
  };
  for (Shared& shared : shared_) {
    if (auto block = take(shared)) return block;
  }
  const MemoryState memory = memory_state();
  if (kSharedSegment > memory.free_bytes) {
    why = megabytes(bytes) + " of device memory needed, " + megabytes(memory.free_bytes) + " available";
    return std::nullopt;
  }
  auto segment = Segment::create(kSharedSegment, false, why);
  if (!segment) return std::nullopt;
  shared_.push_back({std::move(segment), {{0, kSharedSegment}}, 0});
  return take(shared_.back());
}

void DeviceMemory::release(const MemoryBlock& block) {
  if (block.segment->bytes() != kSharedSegment) return;  // a large block's segment goes with it
  const std::scoped_lock lock(mutex_);
  const auto shared = std::find_if(shared_.begin(), shared_.end(),
                                   [&](const Shared& s) { return s.segment == block.segment; });
  if (shared == shared_.end()) return;
  std::size_t offset = block.offset;
  std::size_t size = round_up(std::max<std::size_t>(block.bytes, 1), kGranule);
  shared->used -= size;
  auto next = shared->free.lower_bound(offset);
  if (next != shared->free.end() && next->first == offset + size) {
    size += next->second;
    next = shared->free.erase(next);
  }
  if (next != shared->free.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      size += previous->second;
      shared->free.erase(previous);
    }
  }
  shared->free.emplace(offset, size);
  // One empty segment is kept, so that a loop of one allocation does not map and unmap each time.
  if (shared->used == 0 && shared_.size() > 1) shared_.erase(shared);
}

}  // namespace tare::cpu
