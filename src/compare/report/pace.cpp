// The bounds are wide: figures of neighbours and other processes are in them.
#include "compare/report/pace.hpp"

#include <algorithm>

namespace tare::compare {
namespace {

// Of the mean: a call that costs as much is its equal, and a kernel that takes as much is what it shows.
constexpr double kShare = 0.8;
// A host that sets the pace cannot take longer over a call than a launch takes; beyond noise the device began
// late.
constexpr double kLagging = 2;

constexpr double kTimesLonger = 3, kLeastExcessUs = 500, kSameShare = 2;

}  // namespace

Pace pace_of(double launch_us, double mean_ms, std::optional<double> kernel_ms) {
  const double mean_us = mean_ms * 1e3;
  if (launch_us <= kShare * mean_us) return Pace::kernel;
  if (launch_us > kLagging * mean_us) return Pace::queued;
  return kernel_ms && *kernel_ms >= kShare * mean_ms ? Pace::kernel : Pace::host;
}

bool seems_uncovered(const Covering& waited, double mean_us, double launch_us) {
  return waited.end_to_end_us > kTimesLonger * std::max(mean_us, launch_us) &&
         (waited.end_to_end_us - mean_us) * waited.batch > kLeastExcessUs;
}

bool is_uncovered(const Covering& waited, const Covering& fewer, double mean_us, double launch_us) {
  return seems_uncovered(waited, mean_us, launch_us) &&
         fewer.end_to_end_us < kSameShare * waited.end_to_end_us &&
         fewer.end_to_end_us > kTimesLonger * std::max(mean_us, launch_us);
}

}  // namespace tare::compare
