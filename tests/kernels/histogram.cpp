// Bins counted one byte after another.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 6007;

std::vector<std::uint32_t> input() {
  return Numbers(12).u32s(kCount);
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(input());
  const auto counts = stage.filled<std::uint32_t>(256);
  const auto singles = stage.filled<float>(16);
  const auto doubles = stage.filled<double>(16);
  stage.launch("histogram", {.grid = {5}, .block = {192}}, in, kCount, counts);
  stage.launch("weighted", {.grid = {blocks_for(kCount, 160)}, .block = {160}}, in, kCount, singles, doubles);
  return Outputs()
      .add("counts", stage.download(counts))
      .add("f32", stage.download(singles))
      .add("f64", stage.download(doubles));
}

Outputs expected() {
  std::vector<std::uint32_t> counts(256);
  std::vector<float> singles(16);
  std::vector<double> doubles(16);
  for (const std::uint32_t word : input()) {
    for (unsigned shift = 0; shift < 32; shift += 8) ++counts[(word >> shift) & 255];
    singles[word & 15] += static_cast<float>(word >> 4 & 63) * 0.125f;
    doubles[word & 15] += static_cast<double>(word >> 4 & 1023) * 0.125;
  }
  return Outputs().add("counts", counts).add("f32", singles).add("f64", doubles);
}

}  // namespace

Complete histogram() {
  return {"histogram", run, expected, {}};
}

}  // namespace tare::kernels
