// Where device memory comes from: which piece of which segment an allocation is. Every block ends as near to
// an inaccessible page as its alignment allows, as long as the process has mappings to spare for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cpu/runtime/free_list.hpp"
#include "cpu/runtime/segment.hpp"

namespace tare::cpu {

/// A piece of a segment.
struct MemoryBlock {
  enum class Place : std::uint8_t {
    own,      // a segment of its own
    guarded,  // pages of its own in a segment with others, between inaccessible ones
    packed,   // shares pages with others
  };
  std::shared_ptr<Segment> segment;
  std::size_t offset = 0;
  std::size_t bytes = 0;  // as asked for
  Place place = Place::own;
  std::byte* address() const { return segment->at(offset); }
};

/// Hands out blocks, aligned to 512 bytes. Thread-safe.
class DeviceMemory {
 public:
  /// nullopt, with the reason in `why`, where the machine has not that much memory to give.
  std::optional<MemoryBlock> allocate(std::size_t bytes, std::string& why);
  /// A guarded block is inaccessible from here on, until its pages are another's.
  void release(const MemoryBlock& block);

 private:
  struct Shared {
    std::shared_ptr<Segment> segment;
    FreeList free;
  };
  using Pool = std::vector<Shared>;
  struct Hole {
    std::shared_ptr<Segment> segment;
    std::size_t offset = 0;
  };
  std::optional<MemoryBlock> allocate_guarded(std::size_t bytes, std::string& why);
  std::optional<MemoryBlock> allocate_packed(std::size_t bytes, std::string& why);
  /// Of so many bytes, from the pool's segments or a new one.
  static std::optional<Hole> take(Pool& pool, std::size_t size, Segment::Pages pages, std::string& why);
  static void give_back(Pool& pool, const Hole& hole, std::size_t size);
  bool may_guard();

  std::mutex mutex_;
  Pool guarded_, packed_;
  std::size_t guarded_blocks_ = 0;
  std::size_t other_mappings_ = 0;  // of the process, when they were last counted
  std::size_t count_at_ = 0;        // own mappings at which they are counted again
};

}  // namespace tare::cpu
