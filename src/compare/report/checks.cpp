#include "compare/report/checks.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "compare/report/figures.hpp"

namespace tare::compare {
namespace {

using Passes = std::vector<const PassResult*>;

/// The row's results with that status, over all passes.
std::vector<const RowResult*> results_of(const Passes& passes, const std::string& name, Status status) {
  std::vector<const RowResult*> results;
  for (const PassResult* const pass : passes)
    for (const RowResult& row : pass->rows)
      if (row.row == name && row.status == status) results.push_back(&row);
  return results;
}

struct Said {
  std::string text;
  bool is_good = false;  // something was checked against something else
};

/// What the rows that match were held against: "4 rows match", "2 rows agree with one another (...)".
Said of_matching(const Passes& passes, const std::vector<std::string>& matching, const std::string& where) {
  bool compared = false, by_rows = false;
  std::set<std::string> ways, ways_that_match;
  for (const PassResult* const pass : passes)
    for (const RowResult& row : pass->rows) {
      if (!has_figures(row)) continue;
      const std::string& way = is_check_row(row) ? row.twin : row.row;
      ways.insert(way);
      if (std::find(matching.begin(), matching.end(), row.row) == matching.end()) continue;
      ways_that_match.insert(way);
      compared = compared || outputs_compared(row);
      by_rows = by_rows || outputs_given_by_a_row(row);
    }
  const bool one = matching.size() == 1;
  const std::string rows = plural(static_cast<int>(matching.size()), "row");
  if (!compared) return {rows + " ran" + where + "; no output is compared", false};
  if (!by_rows) return {rows + (one ? " matches" : " match") + where, true};
  if (ways_that_match.size() > 1)
    return {rows + " agree with one another" + where + " (there is no reference)", true};
  return {join_names(matching) +
              (one ? " was only held against what it gave itself"
                   : " were only held against what they gave themselves") +
              ": there is no reference" + (ways.size() == 1 ? ", and no other row ran" : ""),
          false};
}

}  // namespace

const Difference* first_differing(const RowResult& row) {
  for (const auto* differences : {&row.differences, &row.late_differences})
    for (const Difference& difference : *differences)
      if (!difference.equal) return &difference;
  return nullptr;
}

bool is_disagreement(const RowResult& row, const Difference& difference) {
  return !difference.giver.empty() && difference.giver != row.row && difference.hint.empty();
}

std::string expected(const RowResult& row, const Difference& difference) {
  if (difference.giver.empty()) return "want " + difference.want;
  return (difference.giver == row.row ? "it gave first " : difference.giver + " gave ") + difference.want;
}

bool only_differs(const RowResult& row) {
  const Difference* const difference = first_differing(row);
  return row.status == Status::wrong && difference != nullptr && is_disagreement(row, *difference);
}

std::string checks(const Passes& passes, bool is_empty, const std::string& where, Painter paint) {
  enum { matches, skipped, failed, wrong, differs, incomparable, kinds };
  std::vector<std::string> names, by_kind[kinds];
  for (const PassResult* const pass : passes)
    for (const RowResult& row : pass->rows)
      if (std::find(names.begin(), names.end(), row.row) == names.end()) names.push_back(row.row);
  std::vector<std::string> givers;
  for (const std::string& name : names) {
    const auto any = [&](Status status) { return !results_of(passes, name, status).empty(); };
    const std::vector<const RowResult*> wrongs = results_of(passes, name, Status::wrong);
    const bool only_different =
        std::all_of(wrongs.begin(), wrongs.end(), [](const auto* row) { return only_differs(*row); });
    if (!wrongs.empty() && only_different) givers.push_back(first_differing(*wrongs.front())->giver);
    by_kind[!wrongs.empty()             ? (only_different ? differs : wrong)
            : any(Status::failed)       ? failed
            : any(Status::incomparable) ? incomparable
            : any(Status::ok)           ? matches
                                        : skipped]
        .push_back(name);
  }
  const std::vector<std::string>& matching = by_kind[matches];
  std::string text = "Checks: ";
  if (is_empty) {
    text += "nothing was launched, so nothing was checked";
  } else if (by_kind[skipped].size() == names.size()) {
    text += paint(Style::bad, "no row ran, so nothing was checked");
  } else if (matching.empty()) {
    text += paint(Style::bad, "no row matches");
  } else {
    const Said said = of_matching(passes, matching, where);
    text += paint(said.is_good ? Style::good : Style::unsure, said.text);
  }
  const bool one_giver =
      std::all_of(givers.begin(), givers.end(), [&](const auto& each) { return each == givers.front(); });
  const std::string differing =
      givers.empty() || !one_giver ? "differing from another row" : "differing from " + givers.front();
  for (const auto& [kind, word, style] :
       {std::tuple(wrong, std::string("wrong"), Style::bad), std::tuple(differs, differing, Style::bad),
        std::tuple(incomparable, std::string("not comparable"), Style::unsure),
        std::tuple(failed, std::string("failed"), Style::bad),
        std::tuple(skipped, std::string("skipped"), Style::plain)})
    if (!by_kind[kind].empty())
      text += "; " + paint(style, word + ": " + join_names(by_kind[kind])) +
              (kind == differs ? " (either may be wrong)" : "");
  return text + '\n';
}

}  // namespace tare::compare
