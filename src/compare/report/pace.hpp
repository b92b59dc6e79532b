// What sets the pace of a row's timed launches, and whether its events cover them: judged from its figures
// alone.
#pragma once

#include <optional>

namespace tare::compare {

enum class Pace {
  kernel,  // the mean is the kernel's
  host,    // the mean is how fast the host launches; the kernel would be faster
  queued,  // a call takes longer than a launch between the events: they were queued before the device began
};

/// A launch that the host holds back makes a mean of about what a call costs, over a kernel that takes well
/// below the mean. `kernel_ms` is nullopt where the stream could not be held back.
Pace pace_of(double launch_us, double mean_ms, std::optional<double> kernel_ms);

/// Of batches of launches, each waited for: host time per launch until all were done, the smallest.
struct Covering {
  int batch = 1;  // launches in each
  double end_to_end_us = 0;
};

/// Whether the host waits so much longer than the events say that there must be work outside of them.
bool seems_uncovered(const Covering& waited, double mean_us, double launch_us);

/// Whether it is work and no wait for a processor: of work each launch brings its share, so that fewer
/// launches take as long each; what a batch as a whole waits for, they would share among fewer. `fewer` has
/// an eighth of the launches of `waited`. Where that has too few for an eighth, its kernel is so long that a
/// wait is not three times as long.
bool is_uncovered(const Covering& waited, const Covering& fewer, double mean_us, double launch_us);

}  // namespace tare::compare
