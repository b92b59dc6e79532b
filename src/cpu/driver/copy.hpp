// Copies of up to three dimensions: what is copied, and the checks that all forms of cuMemcpy share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/driver/stream.hpp"

namespace tare::cpu {

/// `depth` slices of `height` rows of `width` bytes.
struct CopyShape {
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t destination_pitch = 0, source_pitch = 0;  // bytes from row to row
  std::size_t destination_slice = 0, source_slice = 0;  // bytes from slice to slice
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};

/// What one side of a copy is said to be.
enum class Side : std::uint8_t { host, device, either };

/// Checks both sides, then copies in the stream's order. `wait`: the call returns when the copy is
/// done; otherwise it returns at once, except that host memory which is not page-locked is read
/// before the call returns, and written before it returns, as CUDA has it.
abi::Result copy(StreamArgument argument, const CopyShape& shape, Side destination, Side source, bool wait);

}  // namespace tare::cpu
