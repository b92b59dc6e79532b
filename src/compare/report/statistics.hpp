// Statistics as pure functions: medians, ranges, and whether two rows' steady states differ by more than
// the noise. Nothing here knows of devices; the same input always gives the same answer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compare/record.hpp"

namespace tare::compare {

/// The middle value, or the mean of the two middle ones; NaN for none.
double median(std::span<const double> values);

/// Median, smallest, largest and count; all 0 for no values.
Sampled summarize(std::span<const double> values);

struct Interval {
  double low = 0, high = 0;
  bool contains(double value) const { return low <= value && value <= high; }
};

/// Random numbers for resampling, the same for the same seed everywhere (SplitMix64).
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  /// The next number in [0, count); `count` at least 1.
  std::size_t below(std::size_t count);

 private:
  std::uint64_t state_;
};

/// How often a bootstrap resamples. With fewer the tails of a corrected interval are a handful of draws.
inline constexpr int kResamples = 4000;

/// The part of `values` that lies between the two tails of a `level` interval (0.95 leaves 2.5 % out on
/// each side). NaN bounds for no values.
Interval percentile_interval(std::vector<double> values, double level);

/// Percentile bootstrap interval for the median of `values`.
Interval bootstrap_median_interval(std::span<const double> values, double level, std::uint64_t seed);

/// The level each of `comparisons` intervals needs so that all of them together hold at `level`
/// (Bonferroni).
double corrected_level(double level, int comparisons);

/// The fewest values that can bear an interval for the median at `level`: even the whole range of n
/// values misses the median with probability 2^(1-n).
int values_needed(double level);

/// row / reference for each round that both took part in.
std::vector<double> paired_ratios(std::span<const Round> row, std::span<const Round> reference);

/// One row's steady state held against the reference row's, round by round.
struct SteadyComparison {
  std::string row, reference;
  double ratio = 1;   // median of the per-round ratios: above 1 is slower than the reference
  Interval interval;  // 95 %, corrected for the number of rows
  int rounds = 0;
  bool settled = false;  // enough rounds for the interval to mean anything
  /// More than the noise: settled, and the interval excludes 1.
  bool differs() const { return settled && !interval.contains(1); }
};

/// Every row of `rows` that has rounds, but the first, held against the first. Empty for fewer than two.
std::vector<SteadyComparison> compare_steady(std::span<const RowResult* const> rows, std::uint64_t seed);

}  // namespace tare::compare
