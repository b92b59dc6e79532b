// A comparison per size. There is no second way of measuring.
#include "compare/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare/report/figures.hpp"

namespace tare::compare {
namespace {

/// The progress of one size among several.
class SizeProgress : public Progress {
 public:
  SizeProgress(Progress& whole, std::size_t index, std::size_t count, std::int64_t n)
      : whole_(whole), index_(static_cast<int>(index)), count_(static_cast<int>(count)), n_(n) {}
  void step(int done, int total, const std::string& what) override {
    whole_.step(index_ * kParts + (total > 0 ? done * kParts / total : 0), count_ * kParts,
                fmt::format("n = {}: {}", n_, what));
  }

 private:
  static constexpr int kParts = 100;
  Progress& whole_;
  int index_, count_;
  std::int64_t n_;
};

std::vector<std::string> rows_of(const Sweep& sweep) {
  std::vector<std::string> names;
  for (const RowResult& row : sweep.sizes.front().record.passes.front().rows)
    if (!is_check_row(row)) names.push_back(row.row);
  return names;
}

// Where a launch moves a thousand times as much and far more than a cache holds, it takes longer, whatever
// the device: a row whose kernel does not was not waited for, or leaves out work.
void doubt_what_does_not_grow(Sweep& sweep) {
  constexpr double kTimesAsMuch = 1000, kBeyondACache = 64 << 20, kGrowth = 2;
  const SweepSize &first = sweep.sizes.front(), &last = sweep.sizes.back();
  const double from = first.record.job.moved_bytes, to = last.record.job.moved_bytes;
  if (to < kBeyondACache || to < kTimesAsMuch * from) return;
  for (const std::string& name : rows_of(sweep)) {
    const auto time_at = [&](const SweepSize& size) -> std::optional<double> {
      const RowResult* const row = find_row(find_pass(size.record, "cold"), name);
      if (row == nullptr || row->status != Status::ok) return std::nullopt;
      return row->host_bound ? row->kernel_ms : row->mean_ms;  // a launcher's own time need not grow
    };
    const auto small = time_at(first), large = time_at(last);
    if (!small || !large || *large >= kGrowth * *small) continue;
    sweep.doubts.push_back(fmt::format(
        "{}: its time does not grow with n ({:.4f} ms at n = {}, {:.4f} ms at n = {}), though it moves "
        "{:.0f} "
        "times as much: its launches leave out work, or are not waited for. Believe none of its figures",
        name, *small, first.n, *large, last.n, to / from));
  }
}

}  // namespace

std::vector<std::int64_t> sweep_sizes(std::int64_t low, std::int64_t high, int points) {
  std::vector<std::int64_t> sizes;
  if (points == 0) {
    for (std::int64_t n = low; n<high; n = n> high / 2 ? high : 2 * n) sizes.push_back(n);
    sizes.push_back(high);
    return sizes;
  }
  const double step = std::log(static_cast<double>(high) / static_cast<double>(low)) / (points - 1);
  for (int i = 0; i < points; ++i) {
    const std::int64_t n =
        i + 1 == points ? high : std::llround(static_cast<double>(low) * std::exp(step * i));
    if (sizes.empty() || n > sizes.back()) sizes.push_back(n);
  }
  return sizes;
}

Sweep run_sweep(const SweepOptions& options, Progress& progress) {
  Sweep sweep;
  for (std::size_t i = 0; i < options.sizes.size(); ++i) {
    CompareOptions one = options.compare;
    one.overrides.values["n"] = options.sizes[i];
    one.steady_only = true;
    one.settings.samples = 1;
    SizeProgress part(progress, i, options.sizes.size(), options.sizes[i]);
    sweep.sizes.push_back({options.sizes[i], run_comparison(one, part)});
  }
  find_crossings(sweep);
  return sweep;
}

void find_crossings(Sweep& sweep) {
  sweep.crossings.clear();
  sweep.doubts.clear();
  if (sweep.sizes.empty()) return;
  const SweepSize &first = sweep.sizes.front(), &last = sweep.sizes.back();
  const double bytes = last.n == first.n ? 0
                                         : (last.record.job.moved_bytes - first.record.job.moved_bytes) /
                                               static_cast<double>(last.n - first.n);
  for (const std::string& name : rows_of(sweep)) {
    std::vector<SizeTimes> times;
    for (const SweepSize& size : sweep.sizes) {
      const RowResult* const row = find_row(find_pass(size.record, "cold"), name);
      if (row == nullptr || row->status != Status::ok || row->rounds.empty()) continue;
      SizeTimes one{static_cast<double>(size.n), {}};
      for (const Round& round : row->rounds) one.rounds_ms.push_back(round.mean_ms);
      times.push_back(std::move(one));
    }
    if (times.empty()) continue;
    sweep.crossings.push_back({name, find_crossing(times, first.record.settings.seed), bytes});
  }
  doubt_what_does_not_grow(sweep);
}

ExitCode exit_code(const Sweep& sweep) {
  bool ran = false, wrong = false;
  for (const SweepSize& size : sweep.sizes) {
    const ExitCode code = exit_code(size.record);
    ran |= code != kNothingRan;
    wrong |= code == kWrongOrFailed;
  }
  return wrong ? kWrongOrFailed : ran ? kAllMatched : kNothingRan;
}

}  // namespace tare::compare
