// Every complete kernel, in the order in which they are run: those that could leave a device unusable (waits
// between blocks, allocation on the device) come last.
#include "complete.hpp"

// clang-format off
#define TARE_KERNELS(X) \
  X(reduce_tree) X(reduce_shuffle) X(reduce_atomic) X(scan_block) X(scan_grid) X(histogram) \
  X(bitonic_sort) X(radix_sort) X(odd_even_merge) X(matmul_tiled) X(stencil_1d) X(stencil_2d) \
  X(stencil_3d) X(fft_radix2) X(softmax) X(layer_norm) X(n_body) X(monte_carlo_pi) X(bfs_frontier) \
  X(hash_table) X(compaction) X(transpose) X(spmv_csr) X(game_of_life) X(mandelbrot) \
  X(floyd_warshall) X(string_match) X(crc32_blocks) X(bit_transpose) X(cholesky_lu) X(k_means) \
  X(quaternions) X(recursion) X(function_table) X(match_histogram) X(block_queue) X(big_shared) \
  X(half_arithmetic) X(bfloat16_arithmetic) X(constant_tables) X(templates) X(device_lists) \
  X(scan_lookback) X(grid_barrier)
// clang-format on

namespace tare::kernels {

#define TARE_DECLARE(name) Complete name();
TARE_KERNELS(TARE_DECLARE)
#undef TARE_DECLARE

std::vector<Complete> all_kernels() {
#define TARE_CALL(name) name(),
  return {TARE_KERNELS(TARE_CALL)};
#undef TARE_CALL
}

}  // namespace tare::kernels
