// A sweep as a table of sizes and rows with the crossings in words, and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "compare/report/checks.hpp"
#include "compare/report/figures.hpp"
#include "compare/report/header.hpp"
#include "compare/report/text.hpp"
#include "compare/sweep.hpp"

namespace tare::compare {
namespace {

using json = nlohmann::ordered_json;
using Cell = Table::Cell;

bool was_measured(const Sweep& sweep, const std::string& row) {
  for (const SweepSize& size : sweep.sizes)
    if (const RowResult* found = find_row(find_pass(size.record, "cold"), row); found && found->mean_ms)
      return true;
  return false;
}

std::string times_table(const Sweep& sweep, unsigned width, Painter paint) {
  std::vector<std::string> headings{"n"};
  for (const RowResult& row : sweep.sizes.front().record.passes.front().rows)
    if (was_measured(sweep, row.row)) headings.push_back(row.row);
  Table table(headings);
  const auto size_of = [](const SweepSize& size) { return grouped(static_cast<unsigned long long>(size.n)); };
  const std::size_t widest = size_of(sweep.sizes.back()).size();
  for (const SweepSize& size : sweep.sizes) {
    std::vector<Cell> cells{{.text = fmt::format("{:>{}}", size_of(size), widest)}};
    for (std::size_t i = 1; i < headings.size(); ++i) {
      const RowResult* const row = find_row(find_pass(size.record, "cold"), headings[i]);
      const bool wrong = row && row->status == Status::wrong;
      Cell cell{.text = row && row->mean_ms ? fixed(*row->mean_ms, 4) : "-"};
      if (wrong) cell = {.text = only_differs(*row) ? "differs" : "wrong", .style = Style::bad};
      if (row && row->status == Status::incomparable) cell.style = Style::unsure;
      if (row && row->host_bound && !wrong) cell.note = "h";
      cells.push_back(std::move(cell));
    }
    table.add_row(std::move(cells));
  }
  bool left_out = false;
  const bool cpu = sweep.sizes.front().record.machine.is_cpu_device;
  return '\n' +
         paint(Style::bold, std::string("mean ms per launch") + (cpu ? " (cpu)" : "") + ", steady state") +
         '\n' + table.print(width, paint, left_out);
}

bool any_host_bound(const Sweep& sweep) {
  for (const SweepSize& size : sweep.sizes)
    for (const RowResult& row : size.record.passes.front().rows)
      if (row.host_bound && row.mean_ms && row.status != Status::wrong) return true;
  return false;
}

std::string crossing_text(const RowCrossing& each) {
  const Crossing& crossing = each.crossing;
  if (!crossing.decided) return "undecided: " + crossing.reason;
  std::string text =
      fmt::format("n = {} ({} to {}): {} us a call, {} ns an element", size_text(crossing.n),
                  size_text(crossing.low), size_text(crossing.high),
                  significant(crossing.per_call_ms * 1e3, 3), significant(crossing.per_element_ms * 1e6, 3));
  if (each.bytes_per_element > 0)
    text += fmt::format(" ({} GB/s)", significant(each.bytes_per_element / crossing.per_element_ms / 1e6, 3));
  return text + (crossing.shape == 1   ? "; the two add up"
                 : crossing.shape == 2 ? "; the greater one counts for more"
                                       : "; only the greater one counts");
}

/// " failed", " differs"; nothing where the reason begins with it.
std::string what_happened(const RowResult& row) {
  if (row.status == Status::incomparable) return {};
  return only_differs(row) ? " differs" : std::string(" ") + status_name(row.status);
}

// Rows that have no column, or not at every size.
std::string reasons(const Sweep& sweep, unsigned width, Painter paint) {
  std::string text;
  std::set<std::string> said;
  for (const SweepSize& size : sweep.sizes)
    for (const RowResult& row : size.record.passes.front().rows) {
      if (row.status == Status::ok || !said.insert(row.row + '\n' + row.reason).second) continue;
      const std::string when = row.status == Status::skipped ? "" : fmt::format(" at n = {}", size.n);
      text += paint(row.status == Status::skipped        ? Style::dim
                    : row.status == Status::incomparable ? Style::unsure
                                                         : Style::bad,
                    wrapped(fmt::format("{}{}{}: {}", row.row, what_happened(row), when, row.reason), width,
                            2, 0)) +
              '\n';
    }
  return text.empty() ? text : '\n' + text;
}

json row_json(const RowResult& row) {
  const auto figure = [](const std::optional<double>& value) { return value ? json(*value) : json(nullptr); };
  json rounds = json::array();
  for (const Round& round : row.rounds) rounds.push_back(round.mean_ms);
  return {{"row", row.row},
          {"status", status_name(row.status)},
          {"reason", row.reason},
          {"version", row.version},
          {"mean_ms", figure(row.mean_ms)},
          {"kernel_ms", figure(row.kernel_ms)},
          {"launch_us", figure(row.launch_us)},
          {"host_bound", row.host_bound},
          {"gb_per_s", figure(row.gb_per_s)},
          {"gb_label", row.gb_label},
          {"rounds_ms", std::move(rounds)}};
}

json crossing_json(const RowCrossing& each) {
  const Crossing& crossing = each.crossing;
  json object{{"row", each.row},
              {"verdict", crossing.decided ? "decided" : "undecided"},
              {"reason", crossing.reason}};
  const bool fitted = crossing.n > 0;
  const auto figure = [&](const char* name, double value) {
    object[name] = fitted ? json(value) : json(nullptr);
  };
  figure("n", crossing.n);
  figure("low", crossing.low);
  figure("high", crossing.high);
  figure("per_call_us", crossing.per_call_ms * 1e3);
  figure("per_element_ns", crossing.per_element_ms * 1e6);
  figure("misfit", crossing.misfit);
  object["bytes_per_element"] = each.bytes_per_element > 0 ? json(each.bytes_per_element) : json(nullptr);
  object["shape"] = !fitted                         ? json(nullptr)
                    : std::isfinite(crossing.shape) ? json(crossing.shape)
                                                    : json("max");
  return object;
}

}  // namespace

std::string render(const Sweep& sweep, bool colour, unsigned width) {
  const Painter paint{colour};
  const Record& first = sweep.sizes.front().record;
  std::string text = header(first, width, paint, false);
  text += times_table(sweep, width, paint);
  if (any_host_bound(sweep))
    text += wrapped("h: host-bound, launching sets the pace, not the kernel", width, 2, 0) + '\n';
  text += reasons(sweep, width, paint);
  for (const std::string& doubt : sweep.doubts)
    text += '\n' + paint(Style::bad, wrapped(doubt, width, 2, 0)) + '\n';
  text += '\n' + paint(Style::bold, "where the cost per call and the cost per byte are equal") + '\n';
  std::size_t names = 0;
  for (const RowCrossing& each : sweep.crossings) names = std::max(names, each.row.size());
  const auto indent = static_cast<unsigned>(names) + 2;
  for (const RowCrossing& each : sweep.crossings)
    text += fmt::format("{:<{}}", each.row, indent) +
            paint(each.crossing.decided ? Style::plain : Style::unsure,
                  wrapped(crossing_text(each), width, indent, indent)) +
            '\n';
  if (sweep.crossings.empty()) text += "no row was measured\n";
  text +=
      wrapped(
          "t(n) = (a^p + (b n)^p)^(1/p), p = 1, 2 or infinity, by least absolute deviations of log t over "
          "the "
          "medians per size; in brackets the 95 % interval over resampled rounds. Up to that n a launch "
          "costs its call, beyond it its bytes.",
          width, 2, 0) +
      '\n';
  std::vector<const PassResult*> passes;
  for (const SweepSize& size : sweep.sizes) passes.push_back(&size.record.passes.front());
  const bool is_empty = std::all_of(sweep.sizes.begin(), sweep.sizes.end(),
                                    [](const SweepSize& size) { return size.record.job.empty; });
  return text + '\n' +
         checks(passes, is_empty,
                passes.size() == 1 ? " at the one size" : fmt::format(" at all {} sizes", passes.size()),
                paint);
}

std::string to_json(const Sweep& sweep) {
  // Machine, case and settings are those of a comparison's record, but for what the size changes.
  json object = json::parse(to_json(sweep.sizes.front().record));
  for (const char* of_one_size : {"passes", "claims", "findings"}) object.erase(of_one_size);
  object["schema"] = "tare.sweep/1";
  json& sizes = object["sizes"] = json::array();
  for (const SweepSize& size : sweep.sizes) {
    json rows = json::array();
    for (const RowResult& row : size.record.passes.front().rows) rows.push_back(row_json(row));
    sizes.push_back({{"n", size.n}, {"moved_bytes", size.record.job.moved_bytes}, {"rows", std::move(rows)}});
  }
  json& crossings = object["crossings"] = json::array();
  for (const RowCrossing& each : sweep.crossings) crossings.push_back(crossing_json(each));
  object["doubts"] = sweep.doubts;
  return object.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace tare::compare
