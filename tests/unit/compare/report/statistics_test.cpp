// Statistics against values worked out by hand and against slow oracles.
#include "compare/report/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tare::compare {
namespace {

std::vector<Round> rounds(const std::vector<double>& means) {
  std::vector<Round> result;
  for (double mean : means) result.push_back({mean, 10});
  return result;
}

RowResult row_with(const std::string& name, const std::vector<double>& means) {
  RowResult row;
  row.row = name;
  row.rounds = rounds(means);
  return row;
}

/// The bootstrap distribution of an odd number of values' median, worked out exactly: the resampled median is
/// at most the k-th value if at least half of n independent draws are, each with probability k / n.
double exact_probability_median_at_most(int k, int n) {
  const double p = static_cast<double>(k) / n;
  double sum = 0;
  for (int hits = (n + 1) / 2; hits <= n; ++hits)
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(hits + 1.0) - std::lgamma(n - hits + 1.0)) *
           std::pow(p, hits) * std::pow(1 - p, n - hits);
  return sum;
}

double exact_quantile(std::vector<double> values, double probability) {
  std::sort(values.begin(), values.end());
  const int n = static_cast<int>(values.size());
  for (int k = 1; k <= n; ++k)
    if (exact_probability_median_at_most(k, n) >= probability) return values[static_cast<std::size_t>(k) - 1];
  return values.back();
}

TEST(Median, IsTheMiddleValueOrTheMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
  EXPECT_TRUE(std::isnan(median(std::vector<double>{})));
}

TEST(Median, AgreesWithSortingForEveryLength) {
  Draws draws(1);
  for (std::size_t n = 1; n < 60; ++n) {
    std::vector<double> values(n);
    for (double& value : values) value = static_cast<double>(draws.below(20));
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(median(values), (sorted[(n - 1) / 2] + sorted[n / 2]) / 2) << n;
  }
}

TEST(Summarize, GivesMedianRangeAndCount) {
  const Sampled figure = summarize(std::vector<double>{5, 9, 1, 6});
  EXPECT_EQ(figure.median, 5.5);
  EXPECT_EQ(figure.low, 1);
  EXPECT_EQ(figure.high, 9);
  EXPECT_EQ(figure.count, 4);
  EXPECT_EQ(summarize(std::vector<double>{}).count, 0);
}

TEST(Draws, AreInRangeEvenAndTheSameForTheSameSeed) {
  Draws draws(7), again(7);
  std::vector<int> counts(6);
  for (int i = 0; i < 60000; ++i) {
    const std::size_t drawn = draws.below(6);
    ASSERT_LT(drawn, 6u);
    ASSERT_EQ(drawn, again.below(6));
    ++counts[drawn];
  }
  for (int count : counts) EXPECT_NEAR(count, 10000, 400);  // over four standard deviations
}

TEST(PercentileInterval, LeavesTheTailsOutOnBothSides) {
  std::vector<double> values(1000);
  std::iota(values.begin(), values.end(), 0.0);
  const Interval interval = percentile_interval(values, 0.95);
  EXPECT_EQ(interval.low, 25);
  EXPECT_EQ(interval.high, 974);
  EXPECT_EQ(percentile_interval({3}, 0.95).low, 3);
}

TEST(BootstrapInterval, IsTheSameForTheSameSeed) {
  const std::vector<double> values{1.0, 1.1, 0.9, 1.3, 1.2, 1.05, 0.95};
  const Interval one = bootstrap_median_interval(values, 0.95, 3),
                 two = bootstrap_median_interval(values, 0.95, 3);
  EXPECT_EQ(one.low, two.low);
  EXPECT_EQ(one.high, two.high);
}

TEST(BootstrapInterval, AgreesWithTheExactDistributionOfTheResampledMedian) {
  for (std::size_t n : {5u, 9u, 15u, 31u}) {
    Draws draws(n);
    std::vector<double> values(n);
    for (double& value : values) value = 1 + static_cast<double>(draws.below(1000000)) * 1e-6;
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const Interval interval = bootstrap_median_interval(values, 0.95, 11);
    // Resampling is random, so a bound may fall on the neighbouring value.
    const auto rank = [&](double value) {
      return std::find(sorted.begin(), sorted.end(), value) - sorted.begin();
    };
    EXPECT_LE(std::abs(rank(interval.low) - rank(exact_quantile(values, 0.025))), 1) << n;
    EXPECT_LE(std::abs(rank(interval.high) - rank(exact_quantile(values, 0.975))), 1) << n;
  }
}

TEST(CorrectedLevel, DividesTheErrorAmongTheComparisons) {
  EXPECT_DOUBLE_EQ(corrected_level(0.95, 1), 0.95);
  EXPECT_DOUBLE_EQ(corrected_level(0.95, 5), 0.99);
  EXPECT_DOUBLE_EQ(corrected_level(0.95, 0), 0.95);
}

TEST(ValuesNeeded, IsTheSmallestNumberWhoseWholeRangeReachesTheLevel) {
  for (double level : {0.95, 0.99, corrected_level(0.95, 16)}) {
    const int n = values_needed(level);
    EXPECT_GE(1 - std::pow(2.0, 1 - n), level) << level;
    EXPECT_LT(1 - std::pow(2.0, 2 - n), level) << level;
  }
  EXPECT_EQ(values_needed(0.95), 6);
}

TEST(PairedRatios, TakeOnlyRoundsThatBothRowsTookPartIn) {
  const auto ratios = paired_ratios(rounds({2, 4, 0, 8}), rounds({1, 2, 3}));
  EXPECT_EQ(ratios, (std::vector<double>{2, 2}));
}

TEST(CompareSteady, SaysThatRowsDifferOnlyIfTheIntervalExcludesOne) {
  // Both rows drift together, so that only pairing shows the 2 %.
  std::vector<double> reference, slower, same;
  Draws draws(5);
  for (int i = 0; i < 30; ++i) {
    const double drift = 1 + 0.1 * i;
    const double noise = 1 + (static_cast<double>(draws.below(1000)) - 500) * 1e-6;
    reference.push_back(drift);
    slower.push_back(drift * 1.02 * noise);
    same.push_back(drift * (i % 2 == 0 ? 1.001 : 0.999));
  }
  const RowResult a = row_with("a", reference), b = row_with("b", slower), c = row_with("c", same);
  const std::vector<const RowResult*> rows{&a, &b, &c};
  const auto comparisons = compare_steady(rows, 0);
  ASSERT_EQ(comparisons.size(), 2u);
  EXPECT_EQ(comparisons[0].row, "b");
  EXPECT_EQ(comparisons[0].reference, "a");
  EXPECT_NEAR(comparisons[0].ratio, 1.02, 1e-3);
  EXPECT_TRUE(comparisons[0].differs());
  EXPECT_GT(comparisons[0].interval.low, 1.019);
  EXPECT_FALSE(comparisons[1].differs());
  EXPECT_TRUE(comparisons[1].settled);
  EXPECT_TRUE(comparisons[1].interval.contains(1));
}

TEST(CompareSteady, SettlesNothingOnTooFewRounds) {
  const RowResult a = row_with("a", {1, 1, 1, 1, 1}), b = row_with("b", {2, 2, 2, 2, 2});
  const std::vector<const RowResult*> rows{&a, &b};
  const auto comparisons = compare_steady(rows, 0);
  ASSERT_EQ(comparisons.size(), 1u);
  EXPECT_EQ(comparisons[0].ratio, 2);
  EXPECT_FALSE(comparisons[0].settled);
  EXPECT_FALSE(comparisons[0].differs());
}

TEST(CompareSteady, HasNothingToSayOfOneRow) {
  const RowResult a = row_with("a", {1, 2, 3}), unmeasured = row_with("b", {});
  const std::vector<const RowResult*> rows{&a, &unmeasured};
  EXPECT_TRUE(compare_steady(rows, 0).empty());
}

}  // namespace
}  // namespace tare::compare
