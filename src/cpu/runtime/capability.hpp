// What a multiprocessor of each compute capability holds. The one table of it: attributes, launches and
// occupancy follow the capability that the device presents (TARE_CPU_CC).
#pragma once

#include <cstddef>
#include <span>

namespace tare::cpu {

struct Capability {
  int number;               // 86 is 8.6
  int threads, blocks;      // on a multiprocessor at a time
  int registers_per_block;  // 32-bit; a multiprocessor has 65,536
  /// What shared memory of a multiprocessor can be set to, in KiB, rising. The last is all there is.
  std::span<const int> carve_outs_kib;
  /// What a block may have at most, if its function asks for more than the usual 48 KiB.
  std::size_t shared_per_block;

  std::size_t shared_per_multiprocessor() const {
    return static_cast<std::size_t>(carve_outs_kib.back()) * 1024;
  }
  /// Bytes that the driver takes of each block's shared memory beside the function's own.
  std::size_t shared_reserved() const { return number >= 80 ? 1024 : 0; }
  /// Shared memory is given to blocks in multiples of this many bytes.
  std::size_t shared_unit() const { return number >= 80 ? 128 : 256; }
  bool has_cooperative_launches() const { return number >= 60; }
  bool has_compute_preemption() const { return number >= 60; }
};

/// Null where no GPU has this compute capability (major * 10 + minor).
const Capability* find_capability(int number);

}  // namespace tare::cpu
