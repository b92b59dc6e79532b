// The kernel's steps with an exponential that is right to the last bit. CUDA bounds ex2.approx to 2 ulps:
// once in the numerator, once on average in the sum.
#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kRows = 13, kColumns = 83;
constexpr unsigned kMaxUlps = 6;

std::vector<float> input() {
  Numbers numbers(24);
  return Numbers::many<float>(kRows * kColumns, [&] { return 8.0f * numbers.f32(); });
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(input()), out = stage.filled<float>(in.count(), 0xff);
  stage.launch("softmax", {.grid = {blocks_for(kRows, 4)}, .block = {128}}, in, out, kRows, kColumns);
  return Outputs().add("softmax", stage.download(out));
}

float fast_exponential(float x) {
  return static_cast<float>(std::exp2(static_cast<double>(x * 1.4426950408889634f)));
}

Outputs expected() {
  const std::vector<float> in = input();
  std::vector<float> out(in.size());
  for (std::size_t row = 0; row < kRows; ++row) {
    const float* from = &in[row * kColumns];
    const float most = *std::max_element(from, from + kColumns);
    std::vector<float> lanes(32, 0.0f);
    for (std::size_t lane = 0; lane < 32; ++lane)
      for (std::size_t i = lane; i < kColumns; i += 32) lanes[lane] += fast_exponential(from[i] - most);
    for (std::size_t step = 16; step > 0; step /= 2) {
      const std::vector<float> before = lanes;
      for (std::size_t lane = 0; lane < 32; ++lane) lanes[lane] += before[lane ^ step];
    }
    for (std::size_t i = 0; i < kColumns; ++i)
      out[row * kColumns + i] = fast_exponential(from[i] - most) / lanes[i % 32];
  }
  return Outputs().add("softmax", out);
}

}  // namespace

Complete softmax() {
  return {"softmax", run, expected, {}, kMaxUlps};
}

}  // namespace tare::kernels
