// The addresses that device memory gets: one inaccessible range, far larger than the memory, so that a kernel
// that goes astray meets an inaccessible address and not the program's own memory.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>

#include "cpu/runtime/free_list.hpp"

namespace tare::cpu {

class AddressRange {
 public:
  /// The process's. Reserved at the first call and never given back: kernels may run until the process ends.
  static AddressRange& get();

  /// Whole pages of inaccessible addresses; null where the system has none. From the range while it has so
  /// many, else wherever the system puts them. Thread-safe.
  std::byte* take(std::size_t bytes);
  /// What take() gave, of the same size: whatever was mapped there is unmapped.
  void give_back(std::byte* start, std::size_t bytes);

 private:
  AddressRange();

  std::mutex mutex_;
  std::byte* start_ = nullptr;  // of what is given out; null: there is no range
  std::size_t bytes_ = 0;
  std::optional<FreeList> free_;
};

}  // namespace tare::cpu
