// tests/kernels/stencil_3d.cu: a seven-point stencil that marches along z: the plane lies in shared memory
// with its halo, what is above and below in variables.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

constexpr int kTile = 8;

const auto kStencil = [](auto in, auto out, auto nx, auto ny, auto nz, auto centre, auto side) {
  auto plane = shared_array<float, kTile + 2, kTile + 2>();
  const auto thread_x = cast<int>(thread_index().x), thread_y = cast<int>(thread_index().y);
  const auto x = cast<int>(block_index().x) * kTile + thread_x,
             y = cast<int>(block_index().y) * kTile + thread_y;
  const auto tx = thread_x + 1, ty = thread_y + 1;
  const auto inside = x < nx && y < ny;
  const auto layer = nx * ny, at = select(inside, y * nx + x, 0);
  // Reads where the condition holds, as ?: does.
  const auto read = [&](auto condition, auto index) {
    return select(
        condition, [&] { return in[index]; }, 0.0f);
  };
  auto below = var(0.0f), current = var(in[at]), above = var(read(nz > 1, at + layer));
  for_(0, nz, [&](auto z) {
    const auto here = at + z * layer;
    plane[ty][tx] = select(inside, current, 0.0f);
    if_(thread_x == 0, [&] { plane[ty][0] = read(inside && x > 0, here - 1); });
    if_(thread_x == kTile - 1, [&] { plane[ty][kTile + 1] = read(inside && x + 1 < nx, here + 1); });
    if_(thread_y == 0, [&] { plane[0][tx] = read(inside && y > 0, here - nx); });
    if_(thread_y == kTile - 1, [&] { plane[kTile + 1][tx] = read(inside && y + 1 < ny, here + nx); });
    sync_threads();
    if_(inside, [&] {
      auto sum = var(below + above);
      sum += plane[ty - 1][tx];
      sum += plane[ty + 1][tx];
      sum += plane[ty][tx - 1];
      sum += plane[ty][tx + 1];
      out[here] = centre * current + side * sum;
    });
    sync_threads();
    below = current;
    current = above;
    above = read(z + 2 < nz, at + (z + 2) * layer);
  });
};

const Registered kPair{{.name = "stencil_3d", .run = [](Run& run) {
                          run.launch("stencil_3d", kStencil, {3, 2}, {kTile, kTile},
                                     run.in(kernels::Numbers(101).f32s(19 * 13 * 7)),
                                     run.out<float>("out", 19 * 13 * 7), 19, 13, 7, 0.4f, 0.1f);
                        }}};

}  // namespace
}  // namespace tare::pairs
