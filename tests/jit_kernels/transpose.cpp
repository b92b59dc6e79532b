// tests/kernels/transpose.cu: a transposed matrix through a tile whose rows are one longer than needed.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

const auto kTranspose = []<class T>(ArrayArgument<const T> in, ArrayArgument<T> out, auto width,
                                    auto height) {
  auto tile = shared_array<T, 32, 33>();
  const auto thread_x = cast<int>(thread_index().x), thread_y = cast<int>(thread_index().y);
  const auto block_x = cast<int>(block_index().x) * 32, block_y = cast<int>(block_index().y) * 32;
  for (int row = 0; row < 32; row += 8) {
    const auto x = block_x + thread_x, y = block_y + thread_y + row;
    if_(x < width && y < height, [&] { tile[thread_y + row][thread_x] = in[y * width + x]; });
  }
  sync_threads();
  for (int row = 0; row < 32; row += 8) {
    const auto x = block_y + thread_x, y = block_x + thread_y + row;
    if_(x < height && y < width, [&] { out[y * height + x] = tile[thread_x][thread_y + row]; });
  }
};

const Registered kPair{
    {.name = "transpose", .names = {"transpose<float>", "transpose<unsigned char>"}, .run = [](Run& run) {
       kernels::Numbers numbers(151);
       run.launch("transpose<float>", kTranspose, {3, 2}, {32, 8}, run.in(numbers.f32s(70 * 45)),
                  run.out<float>("floats", 70 * 45), 70, 45);
       run.launch("transpose<unsigned char>", kTranspose, {3, 2}, {32, 8},
                  run.in(kernels::Numbers::many<unsigned char>(
                      70 * 45, [&] { return static_cast<unsigned char>(numbers.below(256)); })),
                  run.out<unsigned char>("bytes", 70 * 45), 70, 45);
     }}};

}  // namespace
}  // namespace tare::pairs
