// The right-looking algorithms: every element is changed in the same order.
#include <cmath>
#include <utility>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kSize = 12, kBatch = 5;
constexpr std::size_t kEach = kSize * kSize;

/// Symmetric, and heavy on the diagonal.
std::vector<double> symmetric() {
  std::vector<double> all = Numbers(45).f64s(kBatch * kEach);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t matrix = i / kEach * kEach, row = i % kEach / kSize, column = i % kSize;
    if (row == column) all[i] = 14.0 + all[i];
    if (column > row) all[i] = all[matrix + column * kSize + row];
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t matrix = i / kEach * kEach, row = i % kEach / kSize, column = i % kSize;
    if (column < row) all[i] = all[matrix + column * kSize + row];
  }
  return all;
}

Outputs run(const Stage& stage) {
  const auto doubles = stage.upload(symmetric());
  const auto singles = stage.upload(Numbers(46).f32s(kBatch * kEach));
  const auto pivots = stage.filled<std::int32_t>(kBatch * kSize);
  const Launch shape{.grid = {kBatch}, .block = {kSize, kSize}};
  stage.launch("cholesky", shape, doubles);
  stage.launch("lu", shape, singles, pivots);
  return Outputs()
      .add("cholesky", stage.download(doubles))
      .add("lu", stage.download(singles))
      .add("pivots", stage.download(pivots));
}

void cholesky(double* a) {
  for (std::size_t k = 0; k < kSize; ++k) {
    a[k * kSize + k] = std::sqrt(a[k * kSize + k]);
    for (std::size_t row = k + 1; row < kSize; ++row) a[row * kSize + k] /= a[k * kSize + k];
    for (std::size_t column = k + 1; column < kSize; ++column)
      for (std::size_t row = column; row < kSize; ++row)
        a[row * kSize + column] -= a[row * kSize + k] * a[column * kSize + k];
    for (std::size_t column = k + 1; column < kSize; ++column) a[k * kSize + column] = 0.0;
  }
}

void factor(float* a, std::vector<std::int32_t>& pivots) {
  for (std::size_t k = 0; k < kSize; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < kSize; ++row)
      if (std::abs(a[row * kSize + k]) > std::abs(a[pivot * kSize + k])) pivot = row;
    pivots.push_back(static_cast<std::int32_t>(pivot));
    for (std::size_t column = 0; column < kSize; ++column)
      if (pivot != k) std::swap(a[k * kSize + column], a[pivot * kSize + column]);
    for (std::size_t row = k + 1; row < kSize; ++row) {
      a[row * kSize + k] /= a[k * kSize + k];
      for (std::size_t column = k + 1; column < kSize; ++column)
        a[row * kSize + column] -= a[row * kSize + k] * a[k * kSize + column];
    }
  }
}

Outputs expected() {
  std::vector<double> doubles = symmetric();
  std::vector<float> singles = Numbers(46).f32s(kBatch * kEach);
  std::vector<std::int32_t> pivots;
  for (std::size_t matrix = 0; matrix < kBatch; ++matrix) {
    cholesky(&doubles[matrix * kEach]);
    factor(&singles[matrix * kEach], pivots);
  }
  return Outputs().add("cholesky", doubles).add("lu", singles).add("pivots", pivots);
}

}  // namespace

Complete cholesky_lu() {
  return {"cholesky_lu", run, expected, {}};
}

}  // namespace tare::kernels
