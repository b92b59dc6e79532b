// Occupancy: how many blocks of a function a multiprocessor of the compute capability we present
// would hold. A program that sizes its grid this way gets the grid it would get on a GPU.
#include <algorithm>
#include <climits>

#include "cpu/driver/api.hpp"
#include "cpu/driver/attributes.hpp"
#include "cpu/driver/module.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

/// Shared memory of a multiprocessor, in bytes, where a block of the function takes so many: what the
/// function prefers (CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT), or more if one block needs more.
std::size_t carve_out(const Capability& capability, const FunctionObject& function, std::size_t block_bytes) {
  const std::size_t all = capability.shared_per_multiprocessor();
  const int percent = function.carveout.load();
  const std::size_t preferred = percent < 0 ? all : all * static_cast<std::size_t>(percent) / 100;
  for (const int kib : capability.carve_outs_kib) {
    const std::size_t bytes = static_cast<std::size_t>(kib) * 1024;
    if (bytes >= std::max(preferred, block_bytes)) return bytes;
  }
  return all;
}

}  // namespace

int blocks_per_multiprocessor(const FunctionObject& function, int block_size, std::size_t dynamic_shared) {
  if (block_size > function.max_threads_per_block() || dynamic_shared > function.dynamic_shared_limit.load())
    return 0;
  const Capability& capability = *Process::get().settings.capability;
  const int warps = (block_size + kWarp - 1) / kWarp;
  const int of_threads = capability.threads / kWarp / warps;
  const std::size_t unit = capability.shared_unit();
  const std::size_t shared =
      function.sizes.static_shared_bytes + dynamic_shared + capability.shared_reserved();
  const std::size_t taken = (shared + unit - 1) / unit * unit;
  const int of_shared =
      taken == 0 ? INT_MAX : static_cast<int>(carve_out(capability, function, taken) / taken);
  return std::min({of_threads, of_shared, capability.blocks});
}

namespace {

template <typename Body>
Result with_function(abi::Function handle, unsigned flags, Body body) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    if (flags > 1) return abi::kInvalidValue;
    std::shared_ptr<FunctionObject> function;
    if (const Result found = find_function(handle, function); found != abi::kSuccess) return found;
    return body(process, *function);
  });
}

Result max_active_blocks(int* blocks, abi::Function handle, int block_size, std::size_t dynamic_shared,
                         unsigned flags) {
  return with_function(handle, flags, [&](Process&, const FunctionObject& function) -> Result {
    if (blocks == nullptr || block_size <= 0) return abi::kInvalidValue;
    *blocks = blocks_per_multiprocessor(function, block_size, dynamic_shared);
    return abi::kSuccess;
  });
}

Result best_block(int* min_grid, int* block, abi::Function handle, abi::BlockSizeToSharedBytes shared_of,
                  std::size_t dynamic_shared, int limit, unsigned flags) {
  return with_function(handle, flags, [&](Process& process, const FunctionObject& function) -> Result {
    if (min_grid == nullptr || block == nullptr || limit < 0) return abi::kInvalidValue;
    const int largest = std::min(function.max_threads_per_block(), limit == 0 ? kMaxThreadsPerBlock : limit);
    int best_threads = 0;
    for (int size = largest; size > 0; size = (size - 1) / kWarp * kWarp) {
      const std::size_t shared = shared_of != nullptr ? shared_of(size) : dynamic_shared;
      const int blocks = blocks_per_multiprocessor(function, size, shared);
      if (blocks * size <= best_threads) continue;
      best_threads = blocks * size;
      *block = size;
      *min_grid = blocks * process.settings.threads;
    }
    return best_threads > 0 ? abi::kSuccess : abi::kInvalidValue;
  });
}

}  // namespace

TARE_API Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, abi::Function f, int block_size,
                                                            std::size_t dynamic_shared) {
  return max_active_blocks(blocks, f, block_size, dynamic_shared, 0);
}
TARE_API Result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, abi::Function f,
                                                                     int block_size,
                                                                     std::size_t dynamic_shared,
                                                                     unsigned flags) {
  return max_active_blocks(blocks, f, block_size, dynamic_shared, flags);
}
TARE_API Result cuOccupancyMaxPotentialBlockSize(int* min_grid, int* block, abi::Function f,
                                                 abi::BlockSizeToSharedBytes shared_of,
                                                 std::size_t dynamic_shared, int limit) {
  return best_block(min_grid, block, f, shared_of, dynamic_shared, limit, 0);
}
TARE_API Result cuOccupancyMaxPotentialBlockSizeWithFlags(int* min_grid, int* block, abi::Function f,
                                                          abi::BlockSizeToSharedBytes shared_of,
                                                          std::size_t dynamic_shared, int limit,
                                                          unsigned flags) {
  return best_block(min_grid, block, f, shared_of, dynamic_shared, limit, flags);
}
TARE_API Result cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, abi::Function f, int blocks,
                                                        int block_size) {
  return with_function(f, 0, [&](Process& process, const FunctionObject& function) -> Result {
    if (bytes == nullptr || blocks <= 0 || block_size <= 0 ||
        blocks_per_multiprocessor(function, block_size, 0) < blocks) {
      return abi::kInvalidValue;
    }
    const Capability& capability = *process.settings.capability;
    const std::size_t taken = function.sizes.static_shared_bytes + capability.shared_reserved();
    // One block may have all that a block can have, whatever its function prefers.
    const std::size_t all = blocks == 1 ? capability.shared_per_block + capability.shared_reserved()
                                        : carve_out(capability, function, 0);
    const std::size_t unit = capability.shared_unit();
    const std::size_t each = all / static_cast<std::size_t>(blocks) / unit * unit;
    *bytes = std::min(function.dynamic_shared_limit.load(), each > taken ? each - taken : 0);
    return abi::kSuccess;
  });
}

}  // namespace tare::cpu
