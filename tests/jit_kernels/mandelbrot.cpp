// tests/kernels/mandelbrot.cu: how many steps every point of the plane takes to leave a circle.
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

const auto kMandelbrot = [](auto steps, auto width, auto height, auto left, auto top, auto pixel, auto most) {
  const auto [column, row] = grid_index<2>();
  const auto x = cast<int>(column), y = cast<int>(row);
  if_(x >= width || y >= height, [] { return_(); });
  const auto cr = left + x * pixel, ci = top - y * pixel;
  auto zr = var(0.0), zi = var(0.0);
  auto step = var(0);
  while_([&] { return step < most && zr * zr + zi * zi <= 4.0; },
         [&] {
           const auto next = zr * zr - zi * zi + cr;
           zi = 2.0 * zr * zi + ci;
           zr = next;
           ++step;
         });
  steps[y * width + x] = step;
};

const Registered kPair{{.name = "mandelbrot", .run = [](Run& run) {
                          run.launch("mandelbrot", kMandelbrot, {4, 6}, {16, 8},
                                     run.out<unsigned short>("steps", 60 * 45), 60, 45, -2.2, 1.2, 0.05, 200);
                        }}};

}  // namespace
}  // namespace tare::pairs
