// tests/kernels/stencil_1d.cu: a weighted mean of seven neighbours, through shared memory whose size the
// launch gives, with the weights in constant memory.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

constexpr int kRadius = 3;
constexpr std::array<float, 2 * kRadius + 1> kWeights{0.03125f, 0.109375f, 0.21875f, 0.28125f,
                                                      0.21875f, 0.109375f, 0.03125f};

const auto kStencil = [](auto in, auto out, auto n) {
  const auto weights = constant_array(kWeights);
  const auto thread = cast<int>(thread_index().x), threads = cast<int>(block_size().x);
  const auto first = cast<int>(block_index().x) * threads;
  auto line = dynamic_shared_array<float>(threads + 2 * kRadius);
  for_(thread, threads + 2 * kRadius, threads, [&](auto i) {
    line[i] = in[min(max(first + i - kRadius, 0), n - 1)];  // the ends go on as they are
  });
  sync_threads();
  const auto at = first + thread;
  if_(at >= n, [] { return_(); });
  auto sum = var(0.0f);
  for (int k = -kRadius; k <= kRadius; ++k) sum += weights[k + kRadius] * line[thread + kRadius + k];
  out[at] = sum;
};

const Registered kPair{{.name = "stencil_1d", .run = [](Run& run) {
                          run.launch_with_shared(
                              "stencil_1d", kStencil, 8, 128, (128 + 2 * kRadius) * sizeof(float),
                              run.in(kernels::Numbers(81).f32s(1000)), run.out<float>("out", 1000), 1000);
                        }}};

}  // namespace
}  // namespace tare::pairs
