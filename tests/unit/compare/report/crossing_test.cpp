// Where cost per call and cost per byte cross, on times made from known costs, with noise and without.
#include "compare/report/crossing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "compare/report/statistics.hpp"

namespace tare::compare {
namespace {

using ::testing::HasSubstr;

constexpr double kA = 0.004, kB = 1.2e-8;  // 4 us a call, 12 ps an element: they cross at 333,333

/// Times at 2^10 ... 2^26 with `rounds` rounds each, every one within `noise` of the form's.
std::vector<SizeTimes> times(const std::function<double(double)>& form, double noise = 0, int rounds = 9,
                             int from = 10, int to = 26) {
  Draws draws(7);
  std::vector<SizeTimes> all;
  for (int power = from; power <= to; ++power) {
    SizeTimes size{std::ldexp(1.0, power), {}};
    for (int i = 0; i < rounds; ++i)
      size.rounds_ms.push_back(form(size.n) *
                               (1 + noise * (static_cast<double>(draws.below(2001)) / 1000 - 1)));
    all.push_back(size);
  }
  return all;
}

double sum(double n) {
  return kA + kB * n;
}
double greater(double n) {
  return std::max(kA, kB * n);
}

TEST(Crossing, OfCostsThatAddUpIsFoundToThePrecisionOfTheGrid) {
  const Crossing found = find_crossing(times(sum), 1);
  EXPECT_TRUE(found.decided) << found.reason;
  EXPECT_NEAR(found.n, kA / kB, 0.03 * kA / kB);
  EXPECT_NEAR(found.per_call_ms, kA, 0.03 * kA);
  EXPECT_NEAR(found.per_element_ms, kB, 0.03 * kB);
  EXPECT_EQ(found.shape, 1);
  EXPECT_LE(found.low, found.n);
  EXPECT_GE(found.high, found.n);
}

TEST(Crossing, OfCostsOfWhichOnlyTheGreaterCountsIsFoundToo) {
  const Crossing found = find_crossing(times(greater), 1);
  EXPECT_TRUE(found.decided) << found.reason;
  EXPECT_NEAR(found.n, kA / kB, 0.03 * kA / kB);
  EXPECT_TRUE(std::isinf(found.shape));
}

TEST(Crossing, LiesInItsIntervalUnderNoise) {
  const Crossing found = find_crossing(times(greater, 0.1), 1);
  EXPECT_TRUE(found.decided) << found.reason;
  EXPECT_LT(found.low, kA / kB);
  EXPECT_GT(found.high, kA / kB);
  EXPECT_LT(found.high / found.low, 2);
}

TEST(Crossing, IsNotMovedByOneSizeGoneWrong) {
  std::vector<SizeTimes> all = times(greater);
  for (double& each : all[3].rounds_ms) each *= 20;
  const Crossing found = find_crossing(all, 1);
  EXPECT_TRUE(found.decided) << found.reason;
  EXPECT_NEAR(found.n, kA / kB, 0.05 * kA / kB);
}

TEST(Crossing, IsUndecidedWhereTheSizesEndBeforeIt) {
  const Crossing calls = find_crossing(times(greater, 0.02, 9, 4, 14), 1);
  EXPECT_FALSE(calls.decided);
  EXPECT_THAT(calls.reason, HasSubstr("the cost per call is the greater one"));
  const Crossing bytes = find_crossing(times(greater, 0.02, 9, 22, 28), 1);
  EXPECT_FALSE(bytes.decided);
  EXPECT_THAT(bytes.reason, HasSubstr("the cost per byte is the greater one"));
}

TEST(Crossing, IsUndecidedForTimesOfAnotherForm) {
  const Crossing found = find_crossing(times([](double n) { return 1e-3 * (1 + 0.9 * std::sin(n)); }), 1);
  EXPECT_FALSE(found.decided);
}

TEST(Crossing, NeedsFiveSizesWithTimes) {
  std::vector<SizeTimes> all = times(sum, 0, 3, 15, 20);
  all[2].rounds_ms = {0, 0, 0};
  all[3].rounds_ms.clear();
  const Crossing found = find_crossing(all, 1);
  EXPECT_FALSE(found.decided);
  EXPECT_EQ(found.reason, "4 sizes measured, at least 5 are needed");
}

TEST(Crossing, IsTheSameForTheSameSeed) {
  const Crossing one = find_crossing(times(sum, 0.2), 3), other = find_crossing(times(sum, 0.2), 3);
  EXPECT_EQ(one.low, other.low);
  EXPECT_EQ(one.high, other.high);
}

}  // namespace
}  // namespace tare::compare
