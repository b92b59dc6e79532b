// tests/kernels/stencil_2d.cu: heat in a plate with cold edges, and the largest of a 3x3 neighbourhood of
// bytes; both with a halo of one around the tile.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

constexpr int kTileX = 32, kTileY = 8;

const auto kHeat = [](auto in, auto out, auto width, auto height, auto rate) {
  auto tile = shared_array<double, kTileY + 2, kTileX + 2>();
  const auto thread_x = cast<int>(thread_index().x), thread_y = cast<int>(thread_index().y);
  const auto x = cast<int>(block_index().x) * kTileX + thread_x,
             y = cast<int>(block_index().y) * kTileY + thread_y;
  const auto tx = thread_x + 1, ty = thread_y + 1;
  const auto at = [&](auto column, auto row) {
    return select(column < 0 || row < 0 || column >= width || row >= height, 0.0,
                  [&] { return in[row * width + column]; });
  };
  tile[ty][tx] = at(x, y);
  if_(thread_x == 0, [&] { tile[ty][0] = at(x - 1, y); });
  if_(thread_x == kTileX - 1, [&] { tile[ty][kTileX + 1] = at(x + 1, y); });
  if_(thread_y == 0, [&] { tile[0][tx] = at(x, y - 1); });
  if_(thread_y == kTileY - 1, [&] { tile[kTileY + 1][tx] = at(x, y + 1); });
  sync_threads();
  if_(x >= width || y >= height, [] { return_(); });
  const auto middle = tile[ty][tx];
  const auto around = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1];
  out[y * width + x] = middle + rate * (around - 4.0 * middle);
};

const auto kDilate = [](auto in, auto out, auto width, auto height) {
  using Byte = unsigned char;
  auto tile = shared_array<Byte, kTileY + 2, kTileX + 2>();
  const auto thread_x = cast<int>(thread_index().x), thread_y = cast<int>(thread_index().y);
  const auto left = cast<int>(block_index().x) * kTileX - 1, top = cast<int>(block_index().y) * kTileY - 1;
  for_(thread_y * kTileX + thread_x, (kTileX + 2) * (kTileY + 2), kTileX * kTileY, [&](auto i) {
    const auto x = left + i % (kTileX + 2), y = top + i / (kTileX + 2);
    tile[i / (kTileX + 2)][i % (kTileX + 2)] =
        select(x < 0 || y < 0 || x >= width || y >= height, Byte{0}, [&] { return in[y * width + x]; });
  });
  sync_threads();
  const auto x = left + 1 + thread_x, y = top + 1 + thread_y;
  if_(x >= width || y >= height, [] { return_(); });
  auto most = var(Byte{0});
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) most = max(most, tile[thread_y + dy][thread_x + dx]);
  out[y * width + x] = most;
};

const Registered kPair{{.name = "stencil_2d", .run = [](Run& run) {
                          kernels::Numbers numbers(91);
                          run.launch("heat", kHeat, {3, 4}, {kTileX, kTileY}, run.in(numbers.f64s(70 * 29)),
                                     run.out<double>("heat", 70 * 29), 70, 29, 0.2);
                          run.launch(
                              "dilate", kDilate, {3, 4}, {kTileX, kTileY},
                              run.in(kernels::Numbers::many<unsigned char>(
                                  70 * 29, [&] { return static_cast<unsigned char>(numbers.below(256)); })),
                              run.out<unsigned char>("dilated", 70 * 29), 70, 29);
                        }}};

}  // namespace
}  // namespace tare::pairs
