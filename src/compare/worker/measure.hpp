// Timing launches inside a worker: device time between events, host time in batches.
#pragma once

#include <functional>

#include "compare/protocol.hpp"
#include "compare/worker/session.hpp"

namespace tare::compare {

using Launcher = std::function<void()>;

/// Device milliseconds per launch over `timed` launches between two events on the launch stream, after
/// warming up as the request says. With `gate`, the stream is held back until all are queued. Blocks.
double steady_mean_ms(const Session& session, const Request& request, const Launcher& launch);

/// Device milliseconds of one launch, the median over `timed` of them: before each, `flush_bytes` of device
/// memory are written on the launch stream, so that the device's cache holds nothing of the buffers. The
/// stream is held back until all are queued. Throws Error(unsupported) where it cannot be. Blocks.
double cold_l2_ms(const Session& session, const Request& request, const Launcher& launch);

/// Host microseconds per launch: to submit one (the median over the batches), and until it is done (the
/// smallest of them, to be held against the device's own time).
struct LaunchCost {
  double submit_us = 0, end_to_end_us = 0;
};
LaunchCost launch_cost(const Session& session, const Request& request, const Launcher& launch);

}  // namespace tare::compare
