// Looking figures up in a record, and resampling those that were measured more than once.
#include "compare/report/figures.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "compare/report/statistics.hpp"

namespace tare::compare {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_check(Figure figure) {
  return figure == Figure::bits_differing || figure == Figure::bits_max_ulp || figure == Figure::bits_equal;
}

bool is_moment(Figure figure) {
  return figure == Figure::compiles_in_build || figure == Figure::compiles_in_first;
}

double max_ulp(const RowResult& row) {
  double largest = 0;
  for (const auto* differences : {&row.differences, &row.late_differences})
    for (const Difference& difference : *differences) {
      if (difference.max_ulp)
        largest = std::max(largest, static_cast<double>(*difference.max_ulp));
      else if (!difference.equal)
        largest = kInfinity;  // no distance: a NaN where a number was wanted, or no floating type
    }
  return largest;
}

std::optional<double> check_value(const RowResult& row, Figure figure) {
  if (row.status != Status::ok && row.status != Status::wrong) return std::nullopt;
  if (!outputs_compared(row)) return std::nullopt;
  if (figure == Figure::bits_max_ulp) return max_ulp(row);
  const std::uint64_t differing = elements_differing(row);
  if (figure == Figure::bits_equal) return differing == 0 ? 1 : 0;
  return static_cast<double>(differing);
}

const std::optional<Sampled>& phase(const RowResult& row, Figure figure) {
  return figure == Figure::start_ms ? row.start_ms : figure == Figure::build_ms ? row.build_ms : row.first_ms;
}

double phase_of(const Sample& sample, Figure figure) {
  return figure == Figure::start_ms   ? sample.start_ms
         : figure == Figure::build_ms ? sample.build_ms
                                      : sample.first_ms;
}

std::optional<double> figure_value(const RowResult& row, Figure figure) {
  if (is_check(figure)) return check_value(row, figure);
  if (is_moment(figure)) {
    const std::string phase = compile_phase(row);
    if ((row.status != Status::ok && row.status != Status::wrong) || phase.empty()) return std::nullopt;
    return phase == (figure == Figure::compiles_in_build ? "build" : "first") ? 1 : 0;
  }
  if (row.status != Status::ok) return std::nullopt;
  switch (figure) {
    case Figure::launch_us:
      return row.launch_us;
    case Figure::mean_ms:
      return row.mean_ms;
    case Figure::kernel_ms:
      return row.kernel_ms;
    case Figure::cold_l2_ms:
      return row.cold_l2_ms;
    case Figure::gb_per_s:
      return row.gb_per_s;
    default:
      return phase(row, figure) ? std::optional(phase(row, figure)->median) : std::nullopt;
  }
}

}  // namespace

const PassResult* find_pass(const Record& record, const std::string& name) {
  const auto found = std::find_if(record.passes.begin(), record.passes.end(),
                                  [&](const PassResult& pass) { return pass.name == name; });
  return found == record.passes.end() ? nullptr : &*found;
}

const RowResult* find_row(const PassResult* pass, const std::string& name) {
  if (pass == nullptr) return nullptr;
  const auto found = std::find_if(pass->rows.begin(), pass->rows.end(),
                                  [&](const RowResult& row) { return row.row == name; });
  return found == pass->rows.end() ? nullptr : &*found;
}

const char* status_name(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::skipped:
      return "skipped";
    case Status::failed:
      return "failed";
    case Status::incomparable:
      return "incomparable";
    case Status::wrong:
      break;
  }
  return "wrong";
}

bool has_figures(const RowResult& row) {
  return row.status == Status::ok || row.status == Status::wrong || row.status == Status::incomparable;
}

bool is_check_row(const RowResult& row) {
  return row.row == "self" || !row.twin.empty();
}

std::string join_names(const std::vector<std::string>& names) {
  std::string joined;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) joined += i + 1 == names.size() ? " and " : ", ";
    joined += names[i];
  }
  return joined;
}

bool is_only_held_against_itself(const RowResult& row) {
  for (const auto* differences : {&row.differences, &row.late_differences})
    for (const Difference& difference : *differences)
      if (difference.giver != row.row) return false;
  return outputs_compared(row);
}

bool outputs_given_by_a_row(const RowResult& row) {
  for (const auto* differences : {&row.differences, &row.late_differences})
    for (const Difference& difference : *differences)
      if (!difference.giver.empty()) return true;
  return false;
}

bool outputs_compared(const RowResult& row) {
  return !row.differences.empty() || !row.late_differences.empty();
}

std::uint64_t elements_differing(const RowResult& row) {
  std::uint64_t worst = 0;
  for (const auto* differences : {&row.differences, &row.late_differences}) {
    std::uint64_t sum = 0;
    for (const Difference& difference : *differences) sum += difference.differing;
    worst = std::max(worst, sum);
  }
  return worst;
}

std::string compile_phase(const RowResult& row) {
  if (row.samples.empty()) return {};
  const auto& events = row.samples.front().events;
  const auto at = [&](const std::string& what) {
    return std::find_if(events.begin(), events.end(),
                        [&](const RowEvent& event) { return event.what == what; });
  };
  const auto compiler = at("compiler"), opened = at("opened"), build = at("build"), first = at("first");
  if (compiler == events.end() || build == events.end() || first == events.end()) return {};
  if (opened != events.end() && compiler->t_ms <= opened->t_ms) return "open";
  return compiler->t_ms <= build->t_ms ? "build" : "first";
}

const Figures::Series* Figures::find(const std::string& pass, const std::string& row, Figure figure) {
  const auto key = std::tuple(pass, row, figure);
  if (const auto known = series_.find(key); known != series_.end()) return &known->second;
  const PassResult* in = find_pass(record_, pass);
  const RowResult* result = find_row(in, row);
  if (result == nullptr) return nullptr;
  const std::optional<double> value = figure_value(*result, figure);
  if (!value) return nullptr;
  const auto index = static_cast<std::size_t>(result - in->rows.data());
  return &series_.emplace(key, resample(pass, index, *result, figure, *value)).first->second;
}

Figures::Series Figures::resample(const std::string& pass, std::size_t row_index, const RowResult& row,
                                  Figure figure, double value) const {
  Series series(static_cast<std::size_t>(kResamples) + 1, value);
  std::vector<double> measured;
  const bool by_rounds = figure == Figure::mean_ms || figure == Figure::gb_per_s;
  if (by_rounds)
    for (const Round& round : row.rounds) measured.push_back(round.mean_ms);
  else if (!is_steady(figure) && !is_check(figure) && !is_moment(figure))
    for (const Sample& sample : row.samples) measured.push_back(phase_of(sample, figure));
  if (measured.size() < 2) return series;

  Draws draws(seed_ + (pass == "warm" ? 1u : 0u) + (by_rounds ? 0u : 2u + 2u * row_index));
  std::vector<double> drawn(measured.size());
  const double mean = row.mean_ms.value_or(0);
  for (std::size_t i = 1; i < series.size(); ++i) {
    for (double& each : drawn) each = measured[draws.below(measured.size())];
    const double resampled = median(drawn);
    series[i] = figure == Figure::gb_per_s ? (resampled > 0 ? value * mean / resampled : value) : resampled;
  }
  return series;
}

std::string Figures::measured_once(const std::string& pass, const std::string& row, Figure figure) const {
  const RowResult* result = find_row(find_pass(record_, pass), row);
  if (result == nullptr || is_check(figure) || is_moment(figure)) return {};
  const std::string name(figure_name(figure));
  if (figure == Figure::mean_ms || figure == Figure::gb_per_s)
    return result->rounds.size() != 1 ? "" : name + " was measured in one round only";
  if (is_steady(figure)) return {};
  return result->samples.size() != 1 ? "" : name + " was measured in one process only (--quick, --samples)";
}

std::string Figures::why_missing(const std::string& pass, const std::string& row, Figure figure) const {
  const RowResult* result = find_row(find_pass(record_, pass), row);
  if (result == nullptr) return "not in this run";
  if (result->status == Status::skipped) return "skipped";
  if (result->status == Status::failed) return "failed";
  if (result->status == Status::incomparable) return "not comparable under --fp strict";
  if (is_check(figure)) return "its outputs are not compared";
  if (result->status == Status::wrong)
    return outputs_given_by_a_row(*result)
               ? "its output differs from another row's, so its times do not count"
               : "its output is wrong, so its times do not count";
  if (is_moment(figure)) return "it compiled nothing";
  if (figure == Figure::gb_per_s && result->host_bound) return "host-bound, so no gb_per_s";
  return "no " + std::string(figure_name(figure));
}

}  // namespace tare::compare
