// The printed report: what was run, a table per pass, the claims' verdicts and the findings. It prints what
// the record holds and works nothing out that the record does not say.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compare/options.hpp"
#include "compare/report/checks.hpp"
#include "compare/report/figures.hpp"
#include "compare/report/findings.hpp"
#include "compare/report/header.hpp"
#include "compare/report/reasons.hpp"
#include "compare/report/text.hpp"
#include "compare/report/timeline.hpp"

namespace tare::compare {
namespace {

using Cell = Table::Cell;

// --- one pass

Cell sampled(const std::optional<Sampled>& figure, int decimals) {
  if (!figure) return {.text = "-"};
  Cell cell{.text = fixed(figure->median, decimals), .spare = true};
  const std::string low = fixed(figure->low, decimals), high = fixed(figure->high, decimals);
  if (figure->count > 1 && low != high) cell.note = low + "-" + high;
  return cell;
}

Cell number(const std::optional<double>& figure, int decimals) {
  return {.text = figure ? fixed(*figure, decimals) : "-"};
}

Cell rate(const RowResult& row) {
  if (row.host_bound) return {.text = "host-bound", .style = Style::unsure};
  if (!row.gb_per_s) return {.text = "-"};
  Cell cell{.text = fixed(*row.gb_per_s, *row.gb_per_s < 100 ? 1 : 0), .note = row.gb_label};
  if (row.gb_label == "above peak") cell.style = Style::unsure;
  return cell;
}

Cell bits(const RowResult& row) {
  if (row.status == Status::wrong)
    return {.text = only_differs(row) ? "differs" : "wrong", .style = Style::bad};
  if (row.status == Status::incomparable) return {.text = "not comparable", .style = Style::unsure};
  if (!outputs_compared(row)) return {.text = "-"};
  if (is_only_held_against_itself(row)) return {.text = "itself"};
  std::uint64_t ulps = 0;
  for (const auto* differences : {&row.differences, &row.late_differences})
    for (const Difference& difference : *differences) ulps = std::max(ulps, difference.max_ulp.value_or(0));
  if (ulps > 0) return {.text = fmt::format("within {} ulp", ulps), .style = Style::good};
  return {.text = "equal", .style = Style::good};
}

std::uint64_t count_of(const Record& record, const std::string& argument) {
  for (const JobArgument& each : record.job.arguments)
    if (each.name == argument) return each.count;
  return 0;
}

/// "wrong", "differs from nvrtc".
std::string how_it_differs(const RowResult& row, const Difference& difference) {
  if (row.status == Status::incomparable) return "not comparable";
  return is_disagreement(row, difference) ? "differs from " + difference.giver : "wrong";
}

/// "wrong: out[4194304]: got nan (0xffffffff), want 2.5 (0x40200000); 611 of 4194915 differ".
std::vector<std::string> wrong_lines(const Record& record, const RowResult& row) {
  std::vector<std::string> lines;
  std::set<std::string> said;
  for (const auto& [differences, when] :
       {std::pair(&row.differences, ": "), std::pair(&row.late_differences, " after the timed launches: ")})
    for (const Difference& difference : *differences) {
      if (difference.equal || !said.insert(difference.argument).second) continue;
      lines.push_back(fmt::format("{}{}{}[{}]: got {}, {}; {} of {} differ", how_it_differs(row, difference),
                                  when, difference.argument, difference.first_index, difference.got,
                                  expected(row, difference), difference.differing,
                                  count_of(record, difference.argument)));
      if (!difference.hint.empty()) lines.push_back("  hint: " + difference.hint);
    }
  if (lines.empty()) lines.push_back("wrong: " + row.reason);
  if (only_differs(row)) lines.push_back("  there is no reference: either may be wrong");
  // Why the row's own library cannot be strict stands below the table.
  if (row.status == Status::incomparable && row.not_strict.empty())
    lines.push_back("  under --fp strict the library of row " + first_differing(row)->giver +
                    " cannot be strict");
  return lines;
}

std::string with_verb(const std::string& verb, const std::string& reason) {
  return reason.starts_with(verb) ? reason : verb + reason;
}

std::string pass_title(const std::string& name) {
  if (name == "cold") return "cold: empty caches";
  if (name == "warm") return "warm: a second process, on the caches that the cold pass left";
  return name;
}

/// Prints the passes one after the other, and does not repeat what an earlier one already said of a row.
class PassPrinter {
 public:
  PassPrinter(const Record& record, unsigned width, Painter paint, bool first_boot)
      : record_(record), width_(width), paint_(paint), first_boot_(first_boot) {}

  std::string print(const PassResult& pass) {
    const std::string cpu = record_.machine.is_cpu_device ? " (cpu)" : "";
    Table table({"row", "build ms", "first boot ms", "first ms", "launch us", "mean ms" + cpu,
                 "kernel ms" + cpu, "cold L2 ms" + cpu, "GB/s" + cpu, "bits"});
    std::vector<std::string> said_before;
    Details details;
    for (const RowResult& row : pass.rows) {
      if (has_figures(row)) {
        add_figures(table, row,
                    first_boot_ && pass.name == "cold" ? find_row(find_pass(record_, "rehearsal"), row.row)
                                                       : nullptr);
      } else if (!said_.insert(row.row + '\n' + row.reason).second) {
        said_before.push_back(row.row);
        continue;
      } else {
        const bool failed = row.status == Status::failed;
        table.add_line(
            row.row,
            with_verb(failed ? "failed: " : "skipped: ", failed ? row.reason : short_reason(row.reason)),
            failed ? Style::bad : Style::dim);
      }
      if (!row.detail.empty() && said_.insert(row.row + '\n' + row.detail).second) add_detail(details, row);
    }
    if (said_before.size() == pass.rows.size() && details.empty()) return {};
    bool left_out = false;
    std::string text =
        '\n' + paint_(Style::bold, pass_title(pass.name)) + '\n' + table.print(width_, paint_, left_out);
    ranges_left_out_ |= left_out;
    if (!said_before.empty())
      text += wrapped("(as in the pass before: " + join_names(said_before) + ")", width_, 0, 0) + '\n';
    for (const auto& [detail, rows] : details) text += "\n" + join_names(rows) + ":\n" + indented(detail, 4);
    return text;
  }

  bool ranges_left_out() const { return ranges_left_out_; }

 private:
  /// What rows have to say at length, with the rows that say just that: one compiler complains alike in all.
  using Details = std::vector<std::pair<std::string, std::vector<std::string>>>;
  static void add_detail(Details& details, const RowResult& row) {
    const auto same = std::find_if(details.begin(), details.end(),
                                   [&](const auto& each) { return each.first == row.detail; });
    if (same != details.end())
      same->second.push_back(row.row);
    else
      details.push_back({row.detail, {row.row}});
  }

  void add_figures(Table& table, const RowResult& row, const RowResult* rehearsal) const {
    if (row.status == Status::ok && row.samples.empty() && !row.reason.empty()) {  // nothing was launched
      table.add_line(row.row, row.reason, Style::plain);
      return;
    }
    table.add_row({{.text = row.row},
                   sampled(row.build_ms, 2),
                   rehearsal ? sampled(rehearsal->build_ms, 2) : Cell{.text = "-"},
                   sampled(row.first_ms, 2),
                   number(row.launch_us, 2),
                   number(row.mean_ms, 4),
                   number(row.kernel_ms, 4),
                   number(row.cold_l2_ms, 4),
                   rate(row),
                   bits(row)});
    if (row.status == Status::wrong || row.status == Status::incomparable)
      for (const std::string& line : wrong_lines(record_, row))
        table.add_remark(line, row.status == Status::wrong ? Style::bad : Style::unsure);
  }

  const Record& record_;
  unsigned width_;
  Painter paint_;
  bool first_boot_;
  std::set<std::string> said_;
  bool ranges_left_out_ = false;
};

// --- after the tables

bool any_row(const Record& record, auto&& holds) {
  return std::any_of(record.passes.begin(), record.passes.end(), [&](const PassResult& pass) {
    return pass.name != "rehearsal" && std::any_of(pass.rows.begin(), pass.rows.end(), holds);
  });
}

std::string legend(const Record& record, bool ranges_left_out, bool first_boot, unsigned width) {
  std::vector<std::string> lines;
  if (first_boot)
    lines.push_back(
        "first boot ms: build ms of the rehearsal, the row's first process in this run. It includes reading "
        "files from the disk, as far as they were not in memory already (from an earlier run, or an earlier "
        "row); build ms beside it does not. It is one process: where it is not above build ms, a median, "
        "nothing "
        "was read that took longer than one process differs from the next");
  if (any_row(record, [](const RowResult& row) { return row.host_bound; }))
    lines.push_back(
        "host-bound: a call costs about what a launch takes, and the kernel alone (kernel ms, taken with the "
        "stream held back) takes well below that; the mean shows the launcher, so no rate is worked out from "
        "it");
  if (any_row(record, [](const RowResult& row) { return row.cold_l2_ms.has_value(); }))
    lines.push_back(
        "cold L2 ms: one launch after the L2 cache was overwritten; in mean ms and kernel ms it holds what "
        "the "
        "launch before left there");
  else if (record.settings.cold_l2 && record.machine.l2_bytes == 0)
    lines.push_back("no cold L2 ms: the device does not say how large its L2 cache is");
  if (any_row(record, [](const RowResult& row) { return row.gb_label == "L2"; }))
    lines.push_back("L2: the buffers fit in the L2 cache (" +
                    binary_bytes(static_cast<double>(record.machine.l2_bytes)) +
                    "), so this is not the memory's rate");
  if (any_row(record, [](const RowResult& row) { return row.gb_label == "above peak"; }))
    lines.push_back(
        fmt::format("above peak: more than the device's memory can move ({:.0f} GB/s); do not believe it",
                    record.machine.peak_bytes_per_second / 1e9));
  if (ranges_left_out) lines.push_back("the ranges over the processes do not fit this width: see the record");
  if (record.machine.is_cpu_device && any_row(record, has_figures))
    lines.push_back(
        "cpu: these figures are the CPU device's, not a GPU's. Running the output of NVIDIA's compilers on "
        "it "
        "is subject to NVIDIA's licence (docs/licensing.md); --rows clang needs none of it.");
  std::string text;
  for (const std::string& line : lines) text += wrapped(line, width, 2, 0) + '\n';
  return text.empty() ? text : '\n' + text;
}

std::string claims(const Record& record, unsigned width, Painter paint) {
  if (record.claims.empty() || record.job.empty) return {};
  std::string text = '\n' + paint(Style::bold, "Claims") + '\n';
  for (const ClaimResult& claim : record.claims) {
    const bool held = claim.verdict == Verdict::held, refuted = claim.verdict == Verdict::refuted;
    text += paint(held      ? Style::good
                  : refuted ? Style::bad
                            : Style::unsure,
                  fmt::format("{:<11}", held      ? "held"
                                        : refuted ? "refuted"
                                                  : "undecided"));
    text += wrapped(claim.text.empty() ? claim.holds : claim.text, width, 11, 11) + '\n';
    text += std::string(11, ' ') + wrapped(claim.figures, width, 11, 11) + '\n';
  }
  return text;
}

std::string findings(const Record& record, unsigned width, Painter paint) {
  if (record.findings.empty()) return {};
  const std::string scope = findings_scope(record);
  std::string text = '\n' + paint(Style::bold, scope + ", this run settled:") + '\n';
  for (std::string finding : record.findings) {
    if (finding.starts_with(scope + ": ")) finding.erase(0, scope.size() + 2);
    text += "- " + wrapped(finding, width, 2, 2) + '\n';
  }
  return text;
}

/// Where the compilers were looked for that the tables only call not found.
std::string places(const Record& record, unsigned width) {
  std::vector<std::string> reasons;
  for (const PassResult& pass : record.passes)
    for (const RowResult& row : pass.rows)
      if (row.status == Status::skipped) reasons.push_back(row.reason);
  std::string text;
  for (const std::string& search : places_left_out(reasons)) text += '\n' + wrapped(search, width, 2, 0);
  return text.empty() ? text : text + '\n';
}

}  // namespace

std::string render(const Record& record, bool colour, unsigned width, const Extras& extras) {
  const Painter paint{colour};
  std::string text = header(record, width, paint);
  PassPrinter printer(record, width, paint, extras.first_boot);
  for (const PassResult& pass : record.passes)
    if (pass.name != "rehearsal") text += printer.print(pass);
  text += legend(record, printer.ranges_left_out(), extras.first_boot, width);
  if (extras.timeline) text += timeline(record, width, extras.utf8, paint);
  text += places(record, width);
  text += claims(record, width, paint);
  text += findings(record, width, paint);
  std::vector<const PassResult*> measured;
  for (const PassResult& pass : record.passes)
    if (pass.name != "rehearsal") measured.push_back(&pass);
  text += '\n' + checks(measured, record.job.empty, "", paint);
  return text;
}

}  // namespace tare::compare
