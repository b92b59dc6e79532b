// Where device memory comes from: sealed-off mappings of anonymous files (memfd), so that another
// process can map the same pages through /proc/PID/fd/N and the kernel frees them when the last
// process that has them is gone, however it went.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tare::cpu {

/// One memfd and its mapping, with an inaccessible page on either side. Unmapped on destruction.
class Segment {
 public:
  /// Makes a segment of whole pages; nullptr where the system refuses, with the reason in `why`.
  /// With `commit` its pages are made present at once, so that a refusal comes here and not later
  /// as a signal.
  static std::shared_ptr<Segment> create(std::size_t bytes, bool commit, std::string& why);
  /// Maps a segment that the process `pid` holds as its descriptor `fd`. nullptr if that process is
  /// gone or the descriptor is not the segment `identity`.
  static std::shared_ptr<Segment> open(std::int32_t pid, std::int32_t fd, std::uint64_t identity,
                                       std::size_t bytes);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  std::byte* base() const { return base_; }
  std::size_t bytes() const { return bytes_; }
  int fd() const { return fd_; }
  /// Random, and part of the file's name: tells this segment from every other one.
  std::uint64_t identity() const { return identity_; }

 private:
  Segment() = default;
  bool map(std::string& why);

  int fd_ = -1;
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t identity_ = 0;
};

/// A piece of a segment. Small blocks share segments, large ones have one each.
struct MemoryBlock {
  std::shared_ptr<Segment> segment;
  std::size_t offset = 0;
  std::size_t bytes = 0;  // as asked for
  std::byte* address() const { return segment->base() + offset; }
};

/// Hands out blocks, aligned to 512 bytes. Thread-safe.
class DeviceMemory {
 public:
  /// nullopt, with the reason in `why`, where the machine has not that much memory to give.
  std::optional<MemoryBlock> allocate(std::size_t bytes, std::string& why);
  void release(const MemoryBlock& block);

 private:
  struct Shared {
    std::shared_ptr<Segment> segment;
    std::map<std::size_t, std::size_t> free;  // offset -> bytes
    std::size_t used = 0;
  };
  std::optional<MemoryBlock> allocate_small(std::size_t bytes, std::string& why);

  std::mutex mutex_;
  std::vector<Shared> shared_;
};

}  // namespace tare::cpu
