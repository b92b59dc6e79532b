// tests/kernels/matmul_tiled.cu: a matrix product through tiles in shared memory, for sizes that no tile
// divides. The tile's size is a constant of the lambda's own, as the template's is.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

template <class T, int tile>
const auto kMatmul = [](auto a, auto b, auto c, auto rows, auto inner, auto columns) {
  auto a_tile = shared_array<T, tile, tile>();
  auto b_tile = shared_array<T, tile, tile + 1>();
  const auto x = cast<int>(thread_index().x), y = cast<int>(thread_index().y);
  const auto row = cast<int>(block_index().y) * tile + y, column = cast<int>(block_index().x) * tile + x;
  auto sum = var(T{0});
  for_(0, inner, tile, [&](auto base) {
    a_tile[y][x] = select(
        row < rows && base + x < inner, [&] { return a[row * inner + base + x]; }, T{0});
    b_tile[y][x] = select(
        base + y < inner && column < columns, [&] { return b[(base + y) * columns + column]; }, T{0});
    sync_threads();
    for (int k = 0; k < tile; ++k) sum += a_tile[y][k] * b_tile[k][x];
    sync_threads();
  });
  if_(row < rows && column < columns, [&] { c[row * columns + column] = sum; });
};

const Registered kPair{{.name = "matmul_tiled",
                        .names = {"matmul_tiled<float, 16>", "matmul_tiled<double, 8>"},
                        .run = [](Run& run) {
                          kernels::Numbers numbers(71);
                          run.launch("matmul_tiled<float, 16>", kMatmul<float, 16>, {3, 3}, {16, 16},
                                     run.in(numbers.f32s(37 * 45)), run.in(numbers.f32s(45 * 41)),
                                     run.out<float>("float", 37 * 41), 37, 45, 41);
                          run.launch("matmul_tiled<double, 8>", kMatmul<double, 8>, {3, 2}, {8, 8},
                                     run.in(numbers.f64s(13 * 9)), run.in(numbers.f64s(9 * 17)),
                                     run.out<double>("double", 13 * 17), 13, 9, 17);
                        }}};

}  // namespace
}  // namespace tare::pairs
