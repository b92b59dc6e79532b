// The heap that kernels take from with malloc: a mapping of its own between inaccessible pages, and what is
// known about its blocks is kept elsewhere, so that a kernel which writes beside its block harms no one but
// its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "cpu/runtime/free_list.hpp"
#include "cpu/runtime/segment.hpp"

namespace tare::cpu {

/// Blocks are aligned to 16 bytes. Thread-safe.
class DeviceHeap {
 public:
  /// CU_LIMIT_MALLOC_HEAP_SIZE, in bytes. Counts until the first allocation.
  void set_limit(std::size_t bytes);
  /// nullptr where the heap has not that much in one piece.
  void* allocate(std::uint64_t bytes);
  /// What allocate() returned; any other address is left alone.
  void release(void* memory);

 private:
  std::mutex mutex_;
  std::size_t limit_ = 0;
  std::shared_ptr<Segment> segment_;  // made by the first allocation
  std::optional<FreeList> free_;
  std::unordered_map<void*, std::size_t> blocks_;  // rounded sizes
};

}  // namespace tare::cpu
