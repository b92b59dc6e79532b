// Sealed-off mappings of anonymous files (memfd), so that another process can map the same pages through
// /proc/PID/fd/N and the kernel frees them when the last process that has them is gone, however it went.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tare::cpu {

/// A memfd and its mapping, or that of a part of it, with an inaccessible page on either side, at
/// addresses of the AddressRange. Unmapped on destruction.
class Segment {
 public:
  static constexpr std::size_t kPage = 4096;
  enum class Pages : std::uint8_t {
    present,    // made at once, so that a refusal comes here and not later as a signal
    on_demand,  // made when they are touched
    sealed,     // on demand, and inaccessible until allow()
  };
  /// Makes a segment of whole pages; nullptr where the system refuses, with the reason in `why`.
  static std::shared_ptr<Segment> create(std::size_t bytes, Pages pages, std::string& why);
  /// Maps the pages of [offset, offset + bytes) of a segment of `segment_bytes` that the process `pid` holds
  /// as its descriptor `fd`. nullptr if that process is gone or the descriptor is not the segment `identity`.
  static std::shared_ptr<Segment> open(std::int32_t pid, std::int32_t fd, std::uint64_t identity,
                                       std::size_t segment_bytes, std::size_t offset, std::size_t bytes);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  /// Where the byte `offset` of the file is mapped.
  std::byte* at(std::size_t offset) const { return mapped_ + (offset - first_); }
  std::size_t bytes() const { return bytes_; }
  int fd() const { return fd_; }
  /// Random, and part of the file's name: tells this segment from every other one.
  std::uint64_t identity() const { return identity_; }

  /// Makes whole pages accessible; false where the process may have no more mappings.
  bool allow(std::size_t offset, std::size_t bytes);
  /// Makes whole pages inaccessible again. They keep what they hold.
  void seal(std::size_t offset, std::size_t bytes);

 private:
  Segment() = default;
  bool map(std::size_t first, std::size_t bytes, bool accessible, std::string& why);

  int fd_ = -1;
  std::size_t bytes_ = 0;  // of the file
  std::uint64_t identity_ = 0;
  std::byte* mapped_ = nullptr;
  std::size_t first_ = 0, mapped_bytes_ = 0;  // which part of the file that is
};

}  // namespace tare::cpu
