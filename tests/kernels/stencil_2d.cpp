// Point by point, the sums in the kernel's order.
#include <algorithm>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr int kWidth = 70, kHeight = 45, kSteps = 2;
constexpr std::size_t kCount = kWidth * kHeight;
constexpr double kRate = 0.1;

std::vector<double> plate() {
  return Numbers(20).f64s(kCount);
}
std::vector<std::uint8_t> image() {
  Numbers numbers(21);
  return Numbers::many<std::uint8_t>(kCount, [&] { return static_cast<std::uint8_t>(numbers.u32() & 0xff); });
}

Outputs run(const Stage& stage) {
  const Launch shape{.grid = {blocks_for(kWidth, 32), blocks_for(kHeight, 8)}, .block = {32, 8}};
  auto in = stage.upload(plate()), out = stage.filled<double>(kCount);
  for (int step = 0; step < kSteps; ++step) {
    stage.launch("heat", shape, in, out, kWidth, kHeight, kRate);
    std::swap(in, out);
  }
  const auto bytes = stage.upload(image()), dilated = stage.filled<std::uint8_t>(kCount);
  stage.launch("dilate", shape, bytes, dilated, kWidth, kHeight);
  return Outputs().add("heat", stage.download(in)).add("dilated", stage.download(dilated));
}

template <class T>
T at(const std::vector<T>& grid, int x, int y) {
  return x < 0 || y < 0 || x >= kWidth || y >= kHeight ? T(0)
                                                       : grid[static_cast<std::size_t>(y * kWidth + x)];
}

Outputs expected() {
  std::vector<double> in = plate(), out(kCount);
  for (int step = 0; step < kSteps; ++step) {
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const double middle = at(in, x, y);
        const double around = at(in, x, y - 1) + at(in, x, y + 1) + at(in, x - 1, y) + at(in, x + 1, y);
        out[static_cast<std::size_t>(y * kWidth + x)] = middle + kRate * (around - 4.0 * middle);
      }
    std::swap(in, out);
  }
  const auto bytes = image();
  std::vector<std::uint8_t> dilated;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      std::uint8_t most = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) most = std::max(most, at(bytes, x + dx, y + dy));
      dilated.push_back(most);
    }
  return Outputs().add("heat", in).add("dilated", dilated);
}

}  // namespace

Complete stencil_2d() {
  return {"stencil_2d", run, expected, {}};
}

}  // namespace tare::kernels
