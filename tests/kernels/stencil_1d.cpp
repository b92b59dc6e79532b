// Seven products added from left to right.
#include <algorithm>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr int kCount = 3333, kSteps = 3;
constexpr unsigned kThreads = 128;

Outputs run(const Stage& stage) {
  auto in = stage.upload(Numbers(19).f32s(kCount)), out = stage.filled<float>(kCount);
  for (int step = 0; step < kSteps; ++step) {
    stage.launch("stencil_1d",
                 {.grid = {blocks_for(kCount, kThreads)},
                  .block = {kThreads},
                  .dynamic_shared_bytes = (kThreads + 6) * sizeof(float)},
                 in, out, kCount);
    std::swap(in, out);
  }
  return Outputs().add("line", stage.download(in));
}

Outputs expected() {
  constexpr float weights[] = {0.03125f, 0.109375f, 0.21875f, 0.28125f, 0.21875f, 0.109375f, 0.03125f};
  std::vector<float> in = Numbers(19).f32s(kCount), out(in.size());
  for (int step = 0; step < kSteps; ++step) {
    for (int i = 0; i < kCount; ++i) {
      float sum = 0.0f;
      for (int k = -3; k <= 3; ++k)
        sum += weights[k + 3] * in[static_cast<std::size_t>(std::clamp(i + k, 0, kCount - 1))];
      out[static_cast<std::size_t>(i)] = sum;
    }
    std::swap(in, out);
  }
  return Outputs().add("line", in);
}

}  // namespace

Complete stencil_1d() {
  return {"stencil_1d", run, expected, {}};
}

}  // namespace tare::kernels
