// The same sums as a tree over 64 threads.
#include <cmath>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kRows = 9, kColumns = 200, kThreads = 64;
constexpr float kEpsilon = 1e-5f;

Outputs run(const Stage& stage) {
  const auto in = stage.upload(Numbers(25).f32s(kRows * kColumns)),
             scale = stage.upload(Numbers(26).f32s(kColumns)),
             shift = stage.upload(Numbers(27).f32s(kColumns)), out = stage.filled<float>(kRows * kColumns),
             means = stage.filled<float>(kRows);
  stage.launch("layer_norm", {.grid = {kRows}, .block = {kThreads}}, in, out, scale, shift, means, kColumns,
               kEpsilon);
  return Outputs().add("rows", stage.download(out)).add("means", stage.download(means));
}

float tree(std::vector<float> sums) {
  for (std::size_t half = sums.size() / 2; half > 0; half /= 2)
    for (std::size_t thread = 0; thread < half; ++thread) sums[thread] += sums[thread + half];
  return sums[0];
}

Outputs expected() {
  const auto in = Numbers(25).f32s(kRows * kColumns), scale = Numbers(26).f32s(kColumns),
             shift = Numbers(27).f32s(kColumns);
  std::vector<float> out, means;
  for (std::size_t row = 0; row < kRows; ++row) {
    const float* from = &in[row * kColumns];
    std::vector<float> sums(kThreads, 0.0f), squares(kThreads, 0.0f);
    for (std::size_t i = 0; i < kColumns; ++i) sums[i % kThreads] += from[i];
    const float mean = tree(sums) / static_cast<float>(kColumns);
    for (std::size_t i = 0; i < kColumns; ++i) squares[i % kThreads] += (from[i] - mean) * (from[i] - mean);
    const float deviation = std::sqrt(tree(squares) / static_cast<float>(kColumns) + kEpsilon);
    for (std::size_t i = 0; i < kColumns; ++i)
      out.push_back((from[i] - mean) / deviation * scale[i] + shift[i]);
    means.push_back(mean);
  }
  return Outputs().add("rows", out).add("means", means);
}

}  // namespace

Complete layer_norm() {
  return {"layer_norm", run, expected, {}};
}

}  // namespace tare::kernels
