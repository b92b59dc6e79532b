// Row by row: from left to right, and as 32 lanes that are then added in halves.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kRows = 301, kColumns = 400;

struct Pattern {
  std::vector<std::uint32_t> offsets{0}, columns;
};

/// Rows of 0 to 99 elements; every seventh is empty.
Pattern pattern() {
  Numbers numbers(35);
  Pattern made;
  for (unsigned row = 0; row < kRows; ++row) {
    const unsigned count = row % 7 == 6 ? 0 : numbers.below(100);
    for (unsigned i = 0; i < count; ++i) made.columns.push_back(numbers.below(kColumns));
    made.offsets.push_back(static_cast<std::uint32_t>(made.columns.size()));
  }
  return made;
}

Outputs run(const Stage& stage) {
  const Pattern made = pattern();
  const auto offsets = stage.upload(made.offsets), columns = stage.upload(made.columns);
  const auto doubles = stage.upload(Numbers(36).f64s(made.columns.size())),
             x64 = stage.upload(Numbers(37).f64s(kColumns)), y64 = stage.filled<double>(kRows);
  stage.launch("spmv_scalar", {.grid = {blocks_for(kRows, 96)}, .block = {96}}, offsets, columns, doubles,
               x64, y64, kRows);
  const auto singles = stage.upload(Numbers(38).f32s(made.columns.size())),
             x32 = stage.upload(Numbers(39).f32s(kColumns)), y32 = stage.filled<float>(kRows);
  stage.launch("spmv_warp", {.grid = {blocks_for(kRows, 4)}, .block = {128}}, offsets, columns, singles, x32,
               y32, kRows);
  return Outputs().add("f64", stage.download(y64)).add("f32", stage.download(y32));
}

Outputs expected() {
  const Pattern made = pattern();
  const auto doubles = Numbers(36).f64s(made.columns.size()), x64 = Numbers(37).f64s(kColumns);
  const auto singles = Numbers(38).f32s(made.columns.size()), x32 = Numbers(39).f32s(kColumns);
  std::vector<double> y64;
  std::vector<float> y32;
  for (std::size_t row = 0; row < kRows; ++row) {
    double sum = 0.0;
    std::vector<float> lanes(32, 0.0f);
    for (std::size_t i = made.offsets[row]; i < made.offsets[row + 1]; ++i) {
      sum += doubles[i] * x64[made.columns[i]];
      lanes[(i - made.offsets[row]) % 32] += singles[i] * x32[made.columns[i]];
    }
    for (std::size_t step = 16; step > 0; step /= 2)
      for (std::size_t lane = 0; lane < step; ++lane) lanes[lane] += lanes[lane + step];
    y64.push_back(sum);
    y32.push_back(lanes[0]);
  }
  return Outputs().add("f64", y64).add("f32", y32);
}

}  // namespace

Complete spmv_csr() {
  return {"spmv_csr", run, expected, {}};
}

}  // namespace tare::kernels
