// Statistics as pure functions: see statistics.hpp. The intervals are percentile bootstraps, which ask
// nothing of the distribution; launch times are skewed and have several modes.
#include "compare/report/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tare::compare {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double median_in_place(std::vector<double>& values) {
  if (values.empty()) return kNaN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace

double median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

Sampled summarize(std::span<const double> values) {
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {median(values), *low, *high, static_cast<int>(values.size())};
}

std::size_t Draws::below(std::size_t count) {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<std::size_t>(((z >> 32) * static_cast<std::uint64_t>(count)) >> 32);
}

Interval percentile_interval(std::vector<double> values, double level) {
  if (values.empty()) return {kNaN, kNaN};
  std::sort(values.begin(), values.end());
  const double tail = (1 - level) / 2 * static_cast<double>(values.size());
  const auto left_out = std::min(static_cast<std::size_t>(tail), (values.size() - 1) / 2);
  return {values[left_out], values[values.size() - 1 - left_out]};
}

Interval bootstrap_median_interval(std::span<const double> values, double level, std::uint64_t seed) {
  if (values.empty()) return {kNaN, kNaN};
  Draws draws(seed);
  std::vector<double> medians, resample(values.size());
  medians.reserve(kResamples);
  for (int i = 0; i < kResamples; ++i) {
    for (double& value : resample) value = values[draws.below(values.size())];
    medians.push_back(median_in_place(resample));
  }
  return percentile_interval(std::move(medians), level);
}

double corrected_level(double level, int comparisons) {
  return 1 - (1 - level) / std::max(comparisons, 1);
}

int values_needed(double level) {
  return static_cast<int>(std::ceil(1 - std::log2(1 - level)));
}

std::vector<double> paired_ratios(std::span<const Round> row, std::span<const Round> reference) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(row.size(), reference.size()); ++i)
    if (row[i].mean_ms > 0 && reference[i].mean_ms > 0)
      ratios.push_back(row[i].mean_ms / reference[i].mean_ms);
  return ratios;
}

std::vector<SteadyComparison> compare_steady(std::span<const RowResult* const> rows, std::uint64_t seed) {
  std::vector<const RowResult*> measured;
  for (const RowResult* row : rows)
    if (!row->rounds.empty()) measured.push_back(row);
  std::vector<SteadyComparison> comparisons;
  if (measured.size() < 2) return comparisons;
  const double level = corrected_level(0.95, static_cast<int>(measured.size()) - 1);
  for (std::size_t i = 1; i < measured.size(); ++i) {
    const std::vector<double> ratios = paired_ratios(measured[i]->rounds, measured[0]->rounds);
    if (ratios.empty()) continue;
    comparisons.push_back({.row = measured[i]->row,
                           .reference = measured[0]->row,
                           .ratio = median(ratios),
                           .interval = bootstrap_median_interval(ratios, level, seed + i),
                           .rounds = static_cast<int>(ratios.size()),
                           .settled = static_cast<int>(ratios.size()) >= values_needed(level)});
  }
  return comparisons;
}

}  // namespace tare::compare
