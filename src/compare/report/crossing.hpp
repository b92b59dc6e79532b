// From a row's times over sizes to the size where its cost per call and its cost per byte are equal. Pure:
// the same times always give the same answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tare::compare {

/// A row's steady state at one size: device time per launch in each round.
struct SizeTimes {
  double n = 0;
  std::vector<double> rounds_ms;
};

/// t(n) = (a^p + (b n)^p)^(1/p): p = 1 adds the cost per call, a, and the cost per element, b; the larger p
/// is, the more only the greater of the two counts, as when a launch is hidden behind the kernel before it.
struct Crossing {
  bool decided = false;
  std::string reason;               // where not: what the data do not show
  double n = 0, low = 0, high = 0;  // where a = b n; 95 % interval
  double per_call_ms = 0;           // a
  double per_element_ms = 0;        // b
  double shape = 1;                 // p; infinity where only the greater counts
  double misfit = 0;                // median of |log(t / fitted t)|
};

/// Fits by least absolute deviations of log t over the medians per size, which neither one size gone wrong
/// nor the largest times can pull; p among 1, 2 and infinity. The interval is from `kSweepResamples`
/// bootstrap resamples of the rounds, drawn alike for all rows that were measured in the same rounds.
/// Undecided where there are fewer than five sizes, the times do not have this form, or the interval reaches
/// within one size of either end or spans more than a factor of four.
Crossing find_crossing(const std::vector<SizeTimes>& times, std::uint64_t seed);

inline constexpr int kSweepResamples = 400;

/// A size with three significant digits, which is what a crossing is known to: "332,000".
std::string size_text(double n);

}  // namespace tare::compare
