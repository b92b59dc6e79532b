// The loops that are timed. Nothing else happens inside them.
#include "compare/worker/measure.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "compare/report/statistics.hpp"

namespace tare::compare {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

// Never more than a few launches are queued, so that the loop ends when its time is over.
void warm_up(const Session& session, const Request& request, const Launcher& launch) {
  constexpr int kQueued = 4;
  const auto begin = Clock::now();
  for (int done = 0; done < request.warmup || milliseconds(Clock::now() - begin) < request.warm_ms;) {
    launch();
    if (++done % kQueued == 0) session.stream().synchronize();
  }
  session.stream().synchronize();
}

}  // namespace

double steady_mean_ms(const Session& session, const Request& request, const Launcher& launch) {
  if (request.timed < 1) throw ProtocolError("steady without launches to time");
  const Event begin(session.context()), end(session.context());
  std::optional<StreamGate> gate;
  if (request.gate) gate.emplace(session.context());
  warm_up(session, request, launch);
  if (gate) gate->hold(session.stream());
  begin.record(session.stream());
  for (int i = 0; i < request.timed; ++i) launch();
  end.record(session.stream());
  if (gate) gate->release();
  end.synchronize();
  return end.milliseconds_since(begin) / request.timed;
}

double cold_l2_ms(const Session& session, const Request& request, const Launcher& launch) {
  if (request.timed < 1 || request.flush_bytes == 0) throw ProtocolError("cold_l2 without anything to do");
  struct Pair {
    Event begin, end;
  };
  std::vector<Pair> events;
  for (int i = 0; i < request.timed; ++i)
    events.push_back({Event(session.context()), Event(session.context())});
  const Buffer other(session.context(), request.flush_bytes);
  StreamGate gate(session.context());
  gate.hold(session.stream());
  for (const Pair& pair : events) {
    other.fill(0, session.stream());
    pair.begin.record(session.stream());
    launch();
    pair.end.record(session.stream());
  }
  gate.release();
  session.stream().synchronize();
  std::vector<double> times;
  for (const Pair& pair : events) times.push_back(pair.end.milliseconds_since(pair.begin));
  return median(times);
}

LaunchCost launch_cost(const Session& session, const Request& request, const Launcher& launch) {
  if (request.batch < 1 || request.batches < 1) throw ProtocolError("launch without launches");
  std::vector<double> submit, end_to_end;
  session.stream().synchronize();
  for (int batch = 0; batch < request.batches; ++batch) {
    const auto begin = Clock::now();
    for (int i = 0; i < request.batch; ++i) launch();
    const auto submitted = Clock::now();
    session.stream().synchronize();
    const auto done = Clock::now();
    submit.push_back(milliseconds(submitted - begin) * 1e3 / request.batch);
    end_to_end.push_back(milliseconds(done - begin) * 1e3 / request.batch);
  }
  return {median(submit), *std::min_element(end_to_end.begin(), end_to_end.end())};
}

}  // namespace tare::compare
