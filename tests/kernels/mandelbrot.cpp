// The same recurrence; doubles without contraction have one result.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr int kWidth = 90, kHeight = 60, kMost = 300;
constexpr double kLeft = -2.1, kTop = 1.05, kPixel = 0.035;

Outputs run(const Stage& stage) {
  const auto steps = stage.filled<std::uint16_t>(kWidth * kHeight);
  stage.launch("mandelbrot", {.grid = {blocks_for(kWidth, 16), blocks_for(kHeight, 8)}, .block = {16, 8}},
               steps, kWidth, kHeight, kLeft, kTop, kPixel, kMost);
  return Outputs().add("steps", stage.download(steps));
}

Outputs expected() {
  std::vector<std::uint16_t> steps;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const double cr = kLeft + x * kPixel, ci = kTop - y * kPixel;
      double zr = 0.0, zi = 0.0;
      std::uint16_t step = 0;
      for (; step < kMost && zr * zr + zi * zi <= 4.0; ++step) {
        const double next = zr * zr - zi * zi + cr;
        zi = 2.0 * zr * zi + ci;
        zr = next;
      }
      steps.push_back(step);
    }
  return Outputs().add("steps", steps);
}

}  // namespace

Complete mandelbrot() {
  return {"mandelbrot", run, expected, {}};
}

}  // namespace tare::kernels
