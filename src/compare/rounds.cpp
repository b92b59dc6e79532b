// Steady state: interleaved rounds of all rows' workers, then each row's launch cost and its kernel's own
// time.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compare/comparison.hpp"
#include "compare/report/pace.hpp"
#include "compare/report/statistics.hpp"

namespace tare::compare {
namespace {

// After a change of process the device's clocks and caches are another's.
constexpr double kWarmMs = 10, kWarmMsOfCpuDevice = 3;
// Together well below the depth of a driver's queue, and no longer than this on the device.
constexpr double kBatchMs = 10, kGateMs = 20;
constexpr int kLargestBatch = 64, kLargestGate = 100, kBatches = 11;
constexpr int kColdLaunches = 21;

int launches_within(double budget_ms, double mean_ms, int largest) {
  if (mean_ms <= 0) return largest;
  return static_cast<int>(std::clamp(budget_ms / mean_ms, 4.0, static_cast<double>(largest)));
}

void note(RowResult& result, const std::string& text) {
  if (!result.detail.empty()) result.detail += '\n';
  result.detail += text;
}

}  // namespace

bool worth_retaking(const PassResult& pass, int rounds) {
  if (pass.retaken >= std::max(1, rounds / 3)) return false;
  return std::any_of(pass.rows.begin(), pass.rows.end(), [](const RowResult& row) {
    return row.status == Status::ok && !row.rounds.empty() && !row.rounds.back().slowed_by.empty();
  });
}

void Comparison::run_rounds(Pass& pass, const std::string& name) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (pass.live[i].worker) order.push_back(i);
  const int rounds = record_.settings.rounds;
  for (int round = 0; round < rounds && !order.empty();) {
    const bool last = round + 1 == rounds;
    step(fmt::format("{}: steady state, round {}/{}", name, round + 1, rounds));
    std::shuffle(order.begin(), order.end(), random_);
    for (const std::size_t row : order)
      if (!pass.finished[row]) turn(pass, row, last);
    // Retaken for all rows, so that the rounds stay paired. The last one is not: its outputs were checked.
    if (last || !worth_retaking(pass.result, rounds)) {
      ++round;
      continue;
    }
    ++pass.result.retaken;
    for (const std::size_t row : order)
      if (!pass.finished[row]) pass.result.rows[row].rounds.pop_back();
  }
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (pass.live[i].worker) finish_row(pass, i);
}

void Comparison::turn(Pass& pass, std::size_t row, bool last) try {
  Live& live = pass.live[row];
  if (last) {
    memory_.prepare_outputs(live.mode);
    if (live.mode == MemoryMode::own) live.worker->ask(RequestKind::refill);
  }
  Request steady;
  steady.kind = RequestKind::steady;
  steady.warm_ms = record_.machine.is_cpu_device ? kWarmMsOfCpuDevice : kWarmMs;
  steady.warmup = record_.settings.warmup;
  steady.timed = record_.settings.timed;
  const Reply reply = live.worker->ask(steady);
  RowResult& result = pass.result.rows[row];
  Round measured{.mean_ms = reply.figure("mean_ms"), .launches = steady.timed};
  if (const auto clocks = clocks_.read()) {
    measured.sm_mhz = clocks->sm_mhz;
    measured.memory_mhz = clocks->memory_mhz;
    measured.slowed_by = clocks->slowed_by;
  }
  result.rounds.push_back(std::move(measured));
  if (reply.compiles) result.cache.compiles = *reply.compiles;
  if (last) late_check(pass, row);
} catch (const WorkerFailure& failure) {
  fail(pass, row, failure, true);
} catch (const ProtocolError& e) {
  fail(pass, row, WorkerFailure(e.what()), true);
}

void Comparison::launch_once(Pass& pass, std::size_t row) {
  Live& live = pass.live[row];
  memory_.prepare_outputs(live.mode);
  if (live.mode == MemoryMode::own) live.worker->ask(RequestKind::refill);
  Request once;
  once.kind = RequestKind::steady;
  once.timed = 1;
  live.worker->ask(once);
}

void Comparison::late_check(Pass& pass, std::size_t row) {
  Live& live = pass.live[row];
  // Many launches in a row changed what they started from: once more from the beginning.
  if (memory_.has_in_out()) launch_once(pass, row);
  if (live.collects) live.worker->ask(RequestKind::collect);
  std::vector<Difference> found = memory_.check(live.mode, rows_[row].description.name);
  explain_late(pass, row, found);
  judge_bits(pass.result.rows[row], found, true);
}

// Right after the first launch and wrong after many: one more, from the beginning, tells what adds up from
// what changes by itself.
void Comparison::explain_late(Pass& pass, std::size_t row, std::vector<Difference>& found) {
  const auto is_equal = [](const std::vector<Difference>& all, const Difference& difference) {
    return std::any_of(all.begin(), all.end(), [&](const Difference& each) {
      return each.argument == difference.argument && each.equal;
    });
  };
  const std::vector<Difference>& first = pass.result.rows[row].differences;
  const auto turned = [&](const Difference& each) { return !each.equal && is_equal(first, each); };
  if (std::none_of(found.begin(), found.end(), turned)) return;
  std::vector<Difference> again;
  if (!memory_.has_in_out()) {
    Live& live = pass.live[row];
    launch_once(pass, row);
    if (live.collects) live.worker->ask(RequestKind::collect);
    again = memory_.check(live.mode, rows_[row].description.name);
  }
  for (Difference& each : found)
    if (turned(each))
      each.hint = is_equal(again, each)
                      ? "one launch is right and many in a row are not: it accumulates in `" + each.argument +
                            "`, so give that a `fill`"
                      : kDiffersBetweenLaunches;
}

void Comparison::finish_row(Pass& pass, std::size_t row) try {
  RowResult& result = pass.result.rows[row];
  std::vector<double> means;
  for (const Round& round : result.rounds) means.push_back(round.mean_ms);
  if (means.empty()) return;
  if (const std::uint64_t before = pass.live[row].compiles; result.cache.compiles > before)
    note(result, fmt::format("{} compiled {} more time(s) between its first launch and the end of the timed "
                             "ones: its steady state contains compiling",
                             result.row, result.cache.compiles - before));
  result.mean_ms = median(means);
  measure_launches(pass.live[row], result);
  if (result.host_bound || *result.mean_ms <= 0 || record_.job.moved_bytes <= 0) return;
  result.gb_per_s = record_.job.moved_bytes / *result.mean_ms / 1e6;
  const MachineInfo& machine = record_.machine;
  // Not known to be larger than the caches, or on no GPU: the figure cannot be told from the memory's.
  if (machine.l2_bytes == 0 || machine.is_cpu_device) return;
  if (buffer_bytes(record_.job) < static_cast<double>(machine.l2_bytes))
    result.gb_label = "L2";
  else if (machine.peak_bytes_per_second > 0 && *result.gb_per_s * 1e9 > machine.peak_bytes_per_second)
    result.gb_label = "above peak";
} catch (const WorkerFailure& failure) {
  fail(pass, row, failure, true);
} catch (const ProtocolError& e) {
  fail(pass, row, WorkerFailure(e.what()), true);
}

void Comparison::measure_launches(Live& live, RowResult& result) const {
  const double mean_ms = *result.mean_ms;
  Request launch;
  launch.kind = RequestKind::launch;
  launch.batch = launches_within(kBatchMs, mean_ms, kLargestBatch);
  launch.batches = kBatches;
  const Reply cost = live.worker->ask(launch);
  result.launch_us = cost.figure("launch_us");

  Request gated;
  gated.kind = RequestKind::steady;
  gated.timed = launches_within(kGateMs, mean_ms, kLargestGate);
  gated.gate = true;
  try {
    result.kernel_ms = live.worker->ask(gated).figure("mean_ms");
  } catch (const WorkerFailure& failure) {
    if (failure.kind() != "unsupported") throw;
    note(result, fmt::format("no kernel_ms: {}", failure.what()));
  }

  result.host_bound = pace_of(*result.launch_us, mean_ms, result.kernel_ms) == Pace::host;

  if (record_.settings.cold_l2) measure_cold_l2(live, result);

  if (!cost.figures.contains("end_to_end_us")) return;
  const double end_to_end_us = cost.figure("end_to_end_us"), mean_us = mean_ms * 1e3;
  const bool waits =
      mean_us > 50 && *result.launch_us > 0.9 * end_to_end_us && *result.launch_us > 0.8 * mean_us;
  if (waits && result.kernel_ms.value_or(mean_ms) * 1e3 > 0.6 * *result.launch_us)
    note(result, fmt::format("its launches seem to block: {:.1f} us to submit one, {:.1f} us on the device",
                             *result.launch_us, mean_us));
  note_what_events_miss(live, result, {launch.batch, end_to_end_us});
}

// On a busy machine a batch also waits for a processor, so what looks uncovered is measured once more: the
// events, and the wait with fewer launches.
void Comparison::note_what_events_miss(Live& live, RowResult& result, const Covering& waited) const {
  const double launch_us = *result.launch_us;
  double mean_us = *result.mean_ms * 1e3;
  if (!seems_uncovered(waited, mean_us, launch_us)) return;
  Request steady;
  steady.kind = RequestKind::steady;
  steady.warmup = record_.settings.warmup;
  steady.timed = record_.settings.timed;
  mean_us = std::max(mean_us, live.worker->ask(steady).figure("mean_ms") * 1e3);
  Request launch;
  launch.kind = RequestKind::launch;
  launch.batch = std::max(1, waited.batch / 8);
  launch.batches = kBatches / 2;
  const Reply again = live.worker->ask(launch);
  if (!again.figures.contains("end_to_end_us")) return;
  if (is_uncovered(waited, {launch.batch, again.figure("end_to_end_us")}, mean_us, launch_us))
    note(result, fmt::format("its device time does not cover its launches: {:.1f} us between the events, "
                             "{:.1f} us until they were done",
                             mean_us, waited.end_to_end_us));
}

// Twice the cache's size, so that whatever it replaces first, nothing of the buffers is left in it.
void Comparison::measure_cold_l2(Live& live, RowResult& result) const {
  if (record_.machine.l2_bytes == 0) return;
  Request cold;
  cold.kind = RequestKind::cold_l2;
  cold.timed = launches_within(kGateMs, *result.mean_ms, kColdLaunches);
  cold.flush_bytes = 2 * record_.machine.l2_bytes;
  try {
    result.cold_l2_ms = live.worker->ask(cold).figure("cold_l2_ms");
  } catch (const WorkerFailure& failure) {
    if (failure.kind() != "unsupported" && failure.kind() != "protocol" && failure.kind() != "out_of_memory")
      throw;
    note(result, fmt::format("no cold_l2_ms: {}", failure.what()));
  }
}

}  // namespace tare::compare
