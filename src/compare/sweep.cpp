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
