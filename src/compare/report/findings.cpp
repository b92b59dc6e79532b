// Working out the findings. Each function below gives the sentences of one question, or none where the
// figures leave it open.
#include "compare/report/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare/report/figures.hpp"
#include "compare/report/float_options.hpp"
#include "compare/report/pace.hpp"
#include "compare/report/statistics.hpp"
#include "compare/report/text.hpp"

namespace tare::compare {
namespace {

using Sentences = std::vector<std::string>;

std::string ms(double value) {
  return significant(value, 3) + " ms";
}

std::vector<const RowResult*> rows_that(const PassResult* pass, auto&& holds) {
  std::vector<const RowResult*> rows;
  if (pass != nullptr)
    for (const RowResult& row : pass->rows)
      if (!is_check_row(row) && holds(row)) rows.push_back(&row);
  return rows;
}

const std::optional<Sampled>& phase_figure(const RowResult& row, const std::string& phase) {
  return phase == "first" ? row.first_ms : row.build_ms;
}

// --- where each row compiles

Sentences compile_moments(const Record& record) {
  const PassResult* cold = find_pass(record, "cold");
  std::string text;
  for (const std::string phase : {"build", "first"}) {
    const auto rows = rows_that(cold, [&](const RowResult& row) {
      return has_figures(row) && compile_phase(row) == phase && phase_figure(row, phase);
    });
    if (rows.empty()) continue;
    std::vector<std::string> parts;
    for (const RowResult* row : rows)
      parts.push_back(row->row + " (" + ms(phase_figure(*row, phase)->median) + ")");
    text += (text.empty() ? "the compiler runs in " : "; in ") + phase + " for " + join_names(parts);
  }
  std::vector<std::string> beside;
  for (const RowResult* row : rows_that(
           cold, [](const RowResult& each) { return has_figures(each) && compile_phase(each) == "open"; }))
    beside.push_back(row->row);
  if (!beside.empty())
    text += (text.empty() ? "the compiler runs " : "; ") +
            ("beside the opening of the device, outside all columns, for " + join_names(beside));
  if (text.empty()) return {};
  return {text};
}

// --- which caches outlived the process

/// Whether `after` is below `before` by more than their ranges, and by enough to speak of.
bool clearly_below(const Sampled& after, const Sampled& before) {
  return after.count > 1 && before.count > 1 && after.high < before.low && after.median < before.median / 1.5;
}

Sentences caches(const Record& record) {
  const PassResult* warm = find_pass(record, "warm");
  std::vector<std::string> kept, kept_below, again;
  for (const RowResult* cold : rows_that(find_pass(record, "cold"), has_figures)) {
    const RowResult* second = find_row(warm, cold->row);
    const std::string phase = compile_phase(*cold);
    if (second == nullptr || !has_figures(*second) || cold->cache.compiles == 0) continue;
    if (phase != "build" && phase != "first") continue;
    const auto &before = phase_figure(*cold, phase), &after = phase_figure(*second, phase);
    if (!before || !after) continue;
    const std::string change =
        cold->row + " (" + phase + " " + ms(before->median) + ", then " + ms(after->median) + ")";
    if (second->cache.compiles == 0)
      kept.push_back(change);
    else
      (clearly_below(*after, *before) ? kept_below : again).push_back(change);
  }
  Sentences sentences;
  if (!kept.empty()) sentences.push_back("a second process runs no compiler with " + join_names(kept));
  if (!kept_below.empty())
    sentences.push_back("a second process calls the compiler again, yet sooner has its result, with " +
                        join_names(kept_below) + ": a cache below the row kept it");
  if (!again.empty())
    sentences.push_back("a second process runs the compiler again with " + join_names(again));
  return sentences;
}

// --- how far apart the steady states are

/// "1.030 times as long (1.028 to 1.032)".
std::string times_as_long(const SteadyComparison& comparison) {
  return fmt::format("{:.3f} times as long ({:.3f} to {:.3f})", comparison.ratio, comparison.interval.low,
                     comparison.interval.high);
}

Sentences steady_states(const Record& record) {
  const auto rows = rows_that(find_pass(record, "warm"), [](const RowResult& row) {
    return row.status == Status::ok && row.mean_ms && !row.rounds.empty();
  });
  const std::vector<SteadyComparison> comparisons = compare_steady(rows, record.settings.seed);
  if (comparisons.empty()) return {};
  const auto [fastest, slowest] = std::minmax_element(
      rows.begin(), rows.end(), [](const auto* a, const auto* b) { return *a->mean_ms < *b->mean_ms; });
  std::string text = fmt::format("steady states run from {} ({}) to {} ({}), {:.3f} times as long",
                                 ms(*(*fastest)->mean_ms), (*fastest)->row, ms(*(*slowest)->mean_ms),
                                 (*slowest)->row, *(*slowest)->mean_ms / *(*fastest)->mean_ms);
  const int count = static_cast<int>(comparisons.size());
  const int needed = values_needed(corrected_level(0.95, count));
  const bool settled = std::all_of(comparisons.begin(), comparisons.end(),
                                   [](const SteadyComparison& comparison) { return comparison.settled; });
  if (!settled) {
    return {text + fmt::format("; too few rounds to tell that from noise ({} of at least {})",
                               comparisons[0].rounds, needed)};
  }
  std::vector<std::string> different;
  for (const SteadyComparison& comparison : comparisons)
    if (comparison.differs()) different.push_back(comparison.row + " takes " + times_as_long(comparison));
  const std::string& reference = comparisons[0].reference;
  const std::string how =
      count == 1 ? "; 95% interval of the per-round ratios"
                 : fmt::format("; 95% intervals of the per-round ratios, corrected for {} rows", count);
  if (different.empty())
    text += "; no row differs from " + reference + " by more than the noise" + how;
  else
    text += "; more than the noise, against " + reference + ": " + join_names(different) + how;
  return {text};
}

// --- what the launcher hides

Sentences paces(const Record& record) {
  std::vector<std::string> held_back, queued;
  for (const RowResult* row : rows_that(find_pass(record, "warm"), [](const RowResult& row) {
         return has_figures(row) && row.launch_us && row.mean_ms;
       })) {
    const std::string name = fmt::format("{} (a call takes {:.3g} us of the host's time, a launch {:.3g} us)",
                                         row->row, *row->launch_us, *row->mean_ms * 1000);
    if (row->host_bound)
      held_back.push_back(name);
    else if (pace_of(*row->launch_us, *row->mean_ms, row->kernel_ms) == Pace::queued)
      queued.push_back(name);
  }
  Sentences sentences;
  if (!held_back.empty())
    sentences.push_back("the launching, not the kernel, sets the pace of " + join_names(held_back));
  if (!queued.empty())
    sentences.push_back("the launches of " + join_names(queued) +
                        " were queued before the device began: their mean is not the launching's pace");
  return sentences;
}

// --- the row on memory of its own

Sentences check_row(const Record& record) {
  const PassResult* warm = find_pass(record, "warm");
  if (warm == nullptr) return {};
  const auto self = std::find_if(warm->rows.begin(), warm->rows.end(), is_check_row);
  if (self == warm->rows.end() || self->status != Status::ok) return {};
  const RowResult* twin = find_row(warm, self->twin);
  if (twin == nullptr || twin->status != Status::ok) return {};
  const std::vector<const RowResult*> pair{twin, &*self};
  const std::vector<SteadyComparison> comparison = compare_steady(pair, record.settings.seed);
  if (comparison.empty() || !comparison[0].settled) return {};
  const auto [low, high] = comparison[0].interval;
  const std::string interval =
      fmt::format("{:.3f} times as long, 95% interval {:.3f} to {:.3f}", comparison[0].ratio, low, high);
  if (!comparison[0].differs())
    return {twin->row + " runs the same on memory of its own as on the shared buffers, within the noise (" +
            interval + ")"};
  return {twin->row + " does not run the same on memory of its own as on the shared buffers (" + interval +
          "): distances of that size between rows say nothing"};
}

// --- whose bits differ, and why

bool floating_output(const Record& record, const RowResult& row) {
  using Kind = ElementType::Kind;
  for (const auto* differences : {&row.differences, &row.late_differences})
    for (const Difference& difference : *differences)
      for (const JobArgument& argument : record.job.arguments)
        if (!difference.equal && argument.name == difference.argument)
          return argument.element.kind == Kind::floating || argument.element.kind == Kind::half ||
                 argument.element.kind == Kind::bfloat16;
  return false;
}

/// Over the outputs that differ; nullopt where a NaN meets a number.
std::optional<std::uint64_t> farthest(const RowResult& row) {
  std::uint64_t ulps = 0;
  for (const auto* differences : {&row.differences, &row.late_differences})
    for (const Difference& difference : *differences) {
      if (difference.equal) continue;
      if (!difference.max_ulp) return std::nullopt;
      ulps = std::max(ulps, *difference.max_ulp);
    }
  return ulps;
}

std::string how_far(const RowResult& row) {
  const std::uint64_t differing = elements_differing(row);
  std::string text = fmt::format("{} in {} element{}", row.row, differing, differing == 1 ? "" : "s");
  const std::optional<std::uint64_t> ulps = farthest(row);
  if (ulps && *ulps > 0) text += fmt::format(" by at most {} ulp", *ulps);
  return text;
}

/// Whether the rows are as far from the reference as rounding alone takes them.
Distance distance_of(const std::vector<const RowResult*>& rows) {
  constexpr std::uint64_t kRounding = 64;
  Distance distance = Distance::of_rounding;
  for (const RowResult* row : rows) {
    const std::optional<std::uint64_t> ulps = farthest(*row);
    if (!ulps) return Distance::none;
    if (*ulps > kRounding) distance = Distance::far;
  }
  return distance;
}

Sentences differing_bits(const Record& record) {
  if (record.settings.fp != "default") return {};
  const PassResult* pass = find_pass(record, "cold");
  if (pass == nullptr) pass = find_pass(record, "warm");
  const auto compared =
      rows_that(pass, [](const RowResult& row) { return has_figures(row) && outputs_compared(row); });
  std::vector<const RowResult*> differing, equal;
  for (const RowResult* row : compared) (elements_differing(*row) > 0 ? differing : equal).push_back(row);
  if (differing.empty() || !std::all_of(differing.begin(), differing.end(),
                                        [&](const RowResult* row) { return floating_output(record, *row); }))
    return {};
  std::vector<std::string> parts, givers;
  for (const RowResult* row : differing) {
    parts.push_back(how_far(*row));
    for (const Difference& difference : row->differences)
      if (!difference.equal && !difference.giver.empty() &&
          std::find(givers.begin(), givers.end(), difference.giver) == givers.end())
        givers.push_back(difference.giver);
  }
  // What has an explanation of its own stands with the row.
  const auto is_explained = [](const RowResult* row) {
    return std::any_of(row->differences.begin(), row->differences.end(),
                       [](const Difference& each) { return !each.hint.empty(); });
  };
  if (std::all_of(differing.begin(), differing.end(), is_explained)) return {};
  const std::string why = explain_by_options(differing, equal, distance_of(differing));
  return {"under --fp default these differ from " +
          (givers.empty() ? "the reference" : "row " + join_names(givers)) + ": " + join_names(parts) + "; " +
          (!why.empty()    ? why
           : equal.empty() ? "no option that was passed explains it"
                           : "no option that was passed separates them from the rows that do not differ")};
}

// --- what equal bits do not show

Sentences weak_checks(const Record& record) {
  const bool any = std::any_of(record.passes.begin(), record.passes.end(), [](const PassResult& pass) {
    return std::any_of(pass.rows.begin(), pass.rows.end(), has_figures);
  });
  Sentences sentences;
  for (const WeakCheck& weak : record.weak_checks) {
    if (!any) break;
    if (weak.unchanged)
      sentences.push_back(
          "`" + weak.argument +
          "` is to be just what it was filled with, so a kernel that does nothing matches too");
    else
      sentences.push_back("every element of `" + weak.argument + "` is to be " + weak.value +
                          ", so equal bits do not show that each comes from its own inputs");
  }
  return sentences;
}

// --- the device's clocks

/// How the multiprocessors' clock ran over all rounds, and in how many something held it back.
Sentences clocks(const Record& record) {
  int low = 0, high = 0, rounds = 0, slowed = 0, retaken = 0;
  std::vector<std::string> reasons;
  for (const PassResult& pass : record.passes) {
    retaken += pass.retaken;
    for (const RowResult& row : pass.rows)
      for (const Round& round : row.rounds) {
        if (round.sm_mhz == 0) continue;
        low = rounds == 0 ? round.sm_mhz : std::min(low, round.sm_mhz);
        high = std::max(high, round.sm_mhz);
        ++rounds;
        slowed += round.slowed_by.empty() ? 0 : 1;
        for (const std::string& reason : round.slowed_by)
          if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
      }
  }
  if (rounds == 0) return {};
  std::string text = low == high
                         ? fmt::format("the multiprocessors ran at {} MHz in all {} turns", high, rounds)
                         : fmt::format("the multiprocessors ran at {} to {} MHz", low, high);
  if (retaken > 0)
    text += fmt::format("; {} in which something held them back were taken again", plural(retaken, "round"));
  if (slowed == 0) return {text + ", held back by nothing"};
  return {text + fmt::format("; throttled in {} of {} turns by {}: compare the ratios, not the times", slowed,
                             rounds, join_names(reasons))};
}

}  // namespace

std::string findings_scope(const Record& record) {
  const MachineInfo& machine = record.machine;
  std::string scope = "On " + (machine.device.empty() ? "this device" : machine.device);
  if (!machine.driver_version.empty()) scope += " (driver " + machine.driver_version + ")";
  return scope;
}

std::vector<std::string> work_out_findings(const Record& record) {
  std::vector<std::string> findings;
  for (const auto& question :
       {compile_moments, caches, steady_states, paces, clocks, check_row, differing_bits, weak_checks})
    for (const std::string& sentence : question(record))
      findings.push_back(findings_scope(record) + ": " + sentence + ".");
  return findings;
}

}  // namespace tare::compare
