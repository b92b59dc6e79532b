// tests/kernels/layer_norm.cu: every row less its mean, over its standard deviation, scaled and shifted; a
// block to a row. What is a device function there is a function of C++ here, called while tracing.
#include "../kernels/harness/numbers.hpp"
#include "harness/block_sum.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

template <class Sums>
auto block_sum(const Value<float>& value, const Sums& sums) {
  const auto thread = thread_index().x;
  add_up(sums, thread, value);
  const auto sum = sums[0];
  sync_threads();
  return sum;
}

const auto kLayerNorm = [](auto in, auto out, auto scale, auto shift, auto means, auto columns,
                           auto epsilon) {
  auto sums = shared_array<float, 64>();
  const auto thread = thread_index().x, row = block_index().x;
  const auto each = [&](auto body) { for_(thread, columns, block_size().x, body); };
  auto sum = var(0.0f);
  each([&](auto i) { sum += in[row * columns + i]; });
  const auto mean = block_sum(sum, sums) / cast<float>(columns);
  auto squares = var(0.0f);
  each([&](auto i) {
    const auto distance = in[row * columns + i] - mean;
    squares += distance * distance;
  });
  const auto deviation = sqrt(block_sum(squares, sums) / cast<float>(columns) + epsilon);
  each([&](auto i) {
    out[row * columns + i] = (in[row * columns + i] - mean) / deviation * scale[i] + shift[i];
  });
  if_(thread == 0u, [&] { means[row] = mean; });
};

const Registered kPair{{.name = "layer_norm", .run = [](Run& run) {
                          kernels::Numbers numbers(121);
                          run.launch("layer_norm", kLayerNorm, 5, 64, run.in(numbers.f32s(5 * 150)),
                                     run.out<float>("out", 5 * 150), run.in(numbers.f32s(150)),
                                     run.in(numbers.f32s(150)), run.out<float>("means", 5), 150u, 1e-5f);
                        }}};

}  // namespace
}  // namespace tare::pairs
