// Judging claims in three values: a comparison holds if it holds over the whole interval of its two sides'
// difference, is refuted if it fails over the whole of it, and is undecided where the interval spans the
// bound or a row that it needs did not run.
#include "compare/report/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compare/case/complaint.hpp"
#include "compare/report/claim_expression.hpp"
#include "compare/report/claim_rows.hpp"
#include "compare/report/claim_units.hpp"
#include "compare/report/figures.hpp"
#include "compare/report/statistics.hpp"
#include "compare/report/text.hpp"

namespace tare::compare {
namespace {

using Kind = Expression::Kind;

enum class Truth { no, unknown, yes };
Truth both(Truth a, Truth b) {
  return std::min(a, b);
}
Truth either(Truth a, Truth b) {
  return std::max(a, b);
}
Truth opposite(Truth a) {
  return a == Truth::yes ? Truth::no : a == Truth::no ? Truth::yes : a;
}

bool compare_numbers(const std::string& op, double left, double right) {
  if (op == "<") return left < right;
  if (op == "<=") return left <= right;
  if (op == ">") return left > right;
  if (op == ">=") return left >= right;
  if (op == "==") return left == right;
  return left != right;
}

constexpr std::size_t kSeriesLength = std::size_t{kResamples} + 1;

bool is_comparison(const std::string& op) {
  return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
}

/// An operator or function on its operands; statements are 1 and 0.
double apply_operator(const std::string& op, const std::vector<double>& x) {
  if (is_comparison(op)) return compare_numbers(op, x[0], x[1]) ? 1 : 0;
  if (op == "+") return x[0] + x[1];
  if (op == "-") return x.size() == 1 ? -x[0] : x[0] - x[1];
  if (op == "*") return x[0] * x[1];
  if (op == "/") return x[0] / x[1];
  if (op == "abs") return std::abs(x[0]);
  if (op == "not") return 1 - x[0];
  if (op == "median") return median(x);
  if (op == "sum" || op == "count") return std::accumulate(x.begin(), x.end(), 0.0);
  const bool largest = op == "max" || op == "or";
  return largest ? *std::max_element(x.begin(), x.end()) : *std::min_element(x.begin(), x.end());
}

std::string show(double value) {
  return significant(value, 4);
}

/// What one statement came to, and the figures behind it.
struct Outcome {
  Truth truth = Truth::unknown;
  std::string evidence;
  std::vector<std::string> reasons = {};  // where it is unknown: why
};

void add_reasons(std::vector<std::string>& reasons, const std::vector<std::string>& more) {
  for (const std::string& reason : more)
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
}

/// Judges one expression in one pass (the pass of figures without a prefix).
class Judge {
 public:
  Judge(Figures& figures, const Expression& whole, std::vector<std::string> rows, std::string pass,
        double level)
      : figures_(figures), rows_(std::move(rows)), pass_(std::move(pass)), level_(level) {
    collect_reasons(whole);
  }

  Outcome statement(const Expression& expression, const std::string& row) {
    if (expression.kind == Kind::comparison) return comparison(expression, row);
    Outcome left = statement(expression.children[0], row);
    if (expression.op == "not") return {opposite(left.truth), "not (" + left.evidence + ")", left.reasons};
    const Outcome right = statement(expression.children[1], row);
    const Truth truth =
        expression.op == "and" ? both(left.truth, right.truth) : either(left.truth, right.truth);
    add_reasons(left.reasons, right.reasons);
    return {truth, left.evidence + "; " + expression.op + " " + right.evidence, left.reasons};
  }

  /// Why `expression` cannot be worked out for `row`; empty where it can. Rows left out of aggregates are
  /// no reason: see left_out().
  std::string missing(const Expression& expression, const std::string& row) {
    if (expression.kind == Kind::figure) {
      const std::string& name = expression.row.empty() ? row : expression.row;
      if (series(expression, row) != nullptr) return {};
      return name + ": " + figures_.why_missing(pass_of(expression), name, expression.figure);
    }
    if (expression.kind == Kind::aggregate && expression.op != "count" && members(expression).empty())
      return "no row has " + expression.children[0].text;
    if (expression.kind == Kind::aggregate) return {};
    for (const Expression& child : expression.children)
      if (std::string reason = missing(child, row); !reason.empty()) return reason;
    return {};
  }

  /// Rows that aggregates had to do without; and whether one of them should have been there.
  const RowsByReason& left_out() const { return left_out_; }
  const RowsByReason& left_out_needed() const { return left_out_needed_; }
  /// Where an aggregate had just one row to go over: that row. Holding is easy then, so it is said.
  const std::string& only_member() const { return only_member_; }

  /// A row that was skipped cannot run here and is not waited for; one that failed or was wrong is.
  bool needed(const std::string& row) const {
    const RowResult* result = find_row(find_pass(figures_.record(), pass_), row);
    return result != nullptr && (result->status == Status::failed || result->status == Status::wrong);
  }

 private:
  std::string pass_of(const Expression& figure) const {
    if (figure.pass == PassPrefix::cold) return "cold";
    if (figure.pass == PassPrefix::warm || is_steady(figure.figure)) return "warm";
    return pass_;
  }

  const Figures::Series* series(const Expression& figure, const std::string& row) {
    return figures_.find(pass_of(figure), figure.row.empty() ? row : figure.row, figure.figure);
  }

  std::vector<std::string> members(const Expression& aggregate) {
    std::vector<std::string> members;
    for (const std::string& row : rows_)
      if (missing(aggregate.children[0], row).empty()) members.push_back(row);
    return members;
  }

  void collect_reasons(const Expression& expression) {
    if (expression.kind == Kind::aggregate) {
      if (const auto found = members(expression); found.size() == 1) only_member_ = found[0];
      for (const std::string& row : rows_)
        if (const std::string reason = missing(expression.children[0], row); !reason.empty()) {
          const std::size_t colon = reason.find(": ");  // a reason may name another row
          const std::string name = colon == std::string::npos ? row : reason.substr(0, colon);
          const std::string why = colon == std::string::npos ? reason : reason.substr(colon + 2);
          left_out_.add(name, why);
          if (needed(row)) left_out_needed_.add(name, why);
        }
    }
    for (const Expression& child : expression.children) collect_reasons(child);
  }

  /// The expression's value for the figures as they are and for each of their resamples; a statement's is 1
  /// where it is true and 0 where not. Only where missing() has no reason.
  /// With `level`, the rows that an aggregate goes over are all moved to their median first, each with its
  /// noise.
  Figures::Series values(const Expression& expression, const std::string& row, bool level = false) {
    if (expression.kind == Kind::number) return Figures::Series(kSeriesLength, expression.number);
    if (expression.kind == Kind::figure) return *series(expression, row);
    std::vector<Figures::Series> operands;
    if (expression.kind == Kind::aggregate) {
      for (const std::string& member : members(expression))
        operands.push_back(values(expression.children[0], member, level));
      if (level && !expression.children[0].is_statement()) move_to_their_median(operands);
      if (expression.op == "count" && !expression.children[0].is_statement())
        return Figures::Series(kSeriesLength, static_cast<double>(operands.size()));
    } else {
      for (const Expression& child : expression.children) operands.push_back(values(child, row, level));
    }
    Figures::Series result(kSeriesLength);
    std::vector<double> at(operands.size());
    for (std::size_t i = 0; i < kSeriesLength; ++i) {
      for (std::size_t j = 0; j < operands.size(); ++j) at[j] = operands[j][i];
      result[i] = apply_operator(expression.op, at);
    }
    return result;
  }

  static void move_to_their_median(std::vector<Figures::Series>& rows) {
    std::vector<double> points;
    for (const Figures::Series& row : rows) points.push_back(row[0]);
    const double middle = median(points);
    for (Figures::Series& row : rows) {
      const double shift = middle - row[0];
      for (double& value : row) value += shift;
    }
  }

  /// Two infinities of one sign are equal here, as they are to ==.
  static Figures::Series difference_of(const Figures::Series& left, const Figures::Series& right) {
    Figures::Series difference(kSeriesLength);
    for (std::size_t i = 0; i < kSeriesLength; ++i)
      difference[i] = left[i] == right[i] ? 0 : left[i] - right[i];
    return difference;
  }

  Outcome comparison(const Expression& expression, const std::string& row) {
    if (std::string reason = missing(expression, row); !reason.empty())
      return {Truth::unknown, reason, {reason}};
    const Expression& left = expression.children[0];
    const Expression& right = expression.children[1];
    const Figures::Series left_values = values(left, row), right_values = values(right, row);
    Figures::Series difference = difference_of(left_values, right_values);
    const double point = difference[0];
    if (std::any_of(difference.begin(), difference.end(), [](double d) { return std::isnan(d); }))
      return {Truth::unknown, expression.text + " has no value", {expression.text + " has no value"}};
    const bool orders = expression.op != "==" && expression.op != "!=";
    const Interval interval =
        orders ? interval_of(std::move(difference),
                             difference_of(values(left, row, true), values(right, row, true)))
               : percentile_interval(std::move(difference), level_);
    const std::string once = measured_once(expression, row);
    const Truth truth = once.empty() ? over_interval(expression.op, point, interval) : Truth::unknown;
    Outcome outcome{truth, side(left, row, left_values, truth, unit_of(right)) + ", claimed " +
                               expression.op + " " + side(right, row, right_values, truth, unit_of(left))};
    if (truth == Truth::unknown)
      outcome.reasons = {once.empty() ? "the interval of what was measured spans the bound" : once};
    return outcome;
  }

  /// The largest of several noisy figures lies above the largest true one. So the resamples' interval is
  /// widened by as far as noise alone would push the value if all rows' figures were alike: noise refutes no
  /// claim.
  Interval interval_of(Figures::Series values, Figures::Series if_all_alike) const {
    const double point = values[0], alike = if_all_alike[0];
    values.erase(values.begin());
    if_all_alike.erase(if_all_alike.begin());
    const Interval interval = percentile_interval(std::move(values), level_);
    const Interval noise = percentile_interval(std::move(if_all_alike), level_);
    if (!std::isfinite(point) || !std::isfinite(noise.low) || !std::isfinite(noise.high)) return interval;
    return {std::min(interval.low, point - (noise.high - alike)),
            std::max(interval.high, point - (noise.low - alike))};
  }

  static Truth over_interval(const std::string& op, double point, Interval interval) {
    const auto at = [&op](double difference) { return compare_numbers(op, difference, 0); };
    if (op == "==" || op == "!=") {
      const bool certain = interval.low == interval.high || !interval.contains(0);
      return !certain ? Truth::unknown : at(point) ? Truth::yes : Truth::no;
    }
    if (at(interval.low) != at(interval.high) || at(point) != at(interval.low)) return Truth::unknown;
    return at(point) ? Truth::yes : Truth::no;
  }

  /// What rests on one measurement alone, in words; empty where all was measured more than once, is certain
  /// (checks, the moment of compilation), or is one figure of many launches by itself (launch_us and its
  /// like).
  std::string measured_once(const Expression& expression, const std::string& row) {
    if (expression.kind == Kind::figure)
      return figures_.measured_once(pass_of(expression), expression.row.empty() ? row : expression.row,
                                    expression.figure);
    if (expression.kind == Kind::aggregate) {
      for (const std::string& member : members(expression))
        if (std::string once = measured_once(expression.children[0], member); !once.empty()) return once;
      return {};
    }
    for (const Expression& child : expression.children)
      if (std::string once = measured_once(child, row); !once.empty()) return once;
    return {};
  }

  /// "max(mean_ms) / min(mean_ms) = 1.012 (1.008 to 1.017)", "build_ms = 21.4 ms"; the interval only where it
  /// is of use. A bare number has the unit of what it is compared with.
  std::string side(const Expression& expression, const std::string& row, const Figures::Series& found,
                   Truth truth, const std::string& unit_of_other) {
    if (expression.kind == Kind::number) return show(found[0]) + unit_of_other;
    const std::string unit = unit_of(expression);
    const std::string text = expression.text + " = " + show(found[0]) + unit;
    if (expression.is_per_row() && truth != Truth::unknown) return text;
    Interval interval = interval_of(found, values(expression, row, true));
    // Widened by noise it may reach below what can be.
    if (is_never_negative(expression)) interval.low = std::max(interval.low, 0.0);
    if (!(interval.low < interval.high)) return text;
    return text + fmt::format(" ({} to {}{})", show(interval.low), show(interval.high), unit);
  }

  Figures& figures_;
  std::vector<std::string> rows_;
  std::string pass_;
  double level_;
  RowsByReason left_out_, left_out_needed_;
  std::string only_member_;
};

/// Without the row's name that begins it: the summary says it once.
std::string reason_alone(const std::string& reason, const std::string& row) {
  return reason.starts_with(row + ": ") ? reason.substr(row.size() + 2) : reason;
}

Outcome judge_rows(const Claim& claim, const Expression& expression, Judge& judge,
                   const std::vector<std::string>& rows) {
  const bool some = !claim.only.empty();
  Truth truth = Truth::yes;
  bool any = false;
  std::vector<std::string> reasons;
  RowSummary summary;
  std::vector<std::string> all = rows;
  for (const std::string& row : claim.only)
    if (std::find(all.begin(), all.end(), row) == all.end()) all.push_back(row);
  for (const std::string& row : all) {
    const bool expected = !some || std::find(claim.only.begin(), claim.only.end(), row) != claim.only.end();
    if (const std::string reason = judge.missing(expression, row); !reason.empty()) {
      summary.add("not judged: ", row, reason_alone(reason, row));
      if (judge.needed(row)) {
        truth = both(truth, Truth::unknown);
        add_reasons(reasons, {reason});
      }
      continue;
    }
    any = any || expected;
    const Outcome outcome = judge.statement(expression, row);
    summary.add(outcome.truth == Truth::yes  ? "holds for "
                : outcome.truth == Truth::no ? "does not hold for "
                                             : "undecided for ",
                row, outcome.evidence);
    truth = both(truth, expected ? outcome.truth : opposite(outcome.truth));
    add_reasons(reasons, outcome.reasons);
  }
  // None of the rows it speaks of ran: only one for which it should not hold can settle it.
  if (!any) {
    truth = both(truth, Truth::unknown);
    add_reasons(reasons, {"none of the rows that it speaks of has the figures"});
  }
  std::string evidence = some ? "expected of " + join_names(claim.only) + " and of no other row; " : "";
  return {truth, evidence + (rows.empty() ? "no row ran" : summary.text()), reasons};
}

Outcome judge_whole(const Expression& expression, Judge& judge) {
  Outcome outcome = judge.statement(expression, "");
  if (!judge.only_member().empty()) outcome.evidence += "; of " + judge.only_member() + " alone";
  if (judge.left_out().empty()) return outcome;
  outcome.evidence += "; left out: " + judge.left_out().text();
  if (!judge.left_out_needed().empty() && outcome.truth == Truth::yes) {
    outcome.truth = Truth::unknown;
    add_reasons(outcome.reasons,
                {"it speaks of all rows, and without figures is " + judge.left_out_needed().text()});
  }
  return outcome;
}

/// The rows of a pass that are ways to launch, in table order.
std::vector<std::string> launch_rows(const PassResult& pass) {
  std::vector<std::string> rows;
  for (const RowResult& row : pass.rows)
    if (!is_check_row(row)) rows.push_back(row.row);
  return rows;
}

Outcome judge_pass(const Claim& claim, const Expression& expression, Figures& figures,
                   const PassResult& pass) {
  const std::vector<std::string> rows = launch_rows(pass);
  if (!expression.is_per_row()) {
    Judge judge(figures, expression, claim.only.empty() ? rows : claim.only, pass.name, 0.95);
    return judge_whole(expression, judge);
  }
  Judge judge(figures, expression, rows, pass.name, corrected_level(0.95, static_cast<int>(rows.size())));
  return judge_rows(claim, expression, judge, rows);
}

Expression parse_checked(const Claim& claim, const std::string& case_file,
                         const std::vector<std::string>& known_rows) {
  std::string place = case_file;
  if (claim.line > 0) place += (place.empty() ? "line " : ":") + std::to_string(claim.line);
  if (!place.empty()) place += ": ";
  const std::string about = place + "claim `" + claim.holds + "`: ";
  try {
    Expression expression = parse_claim(claim.holds);
    std::vector<std::string> named = rows_named(expression);
    named.insert(named.end(), claim.only.begin(), claim.only.end());
    for (const std::string& row : named)
      if (!known_rows.empty() && std::find(known_rows.begin(), known_rows.end(), row) == known_rows.end())
        throw CaseError(about + "no row `" + row + "`" + suggestion(row, known_rows));
    return expression;
  } catch (const ClaimSyntaxError& error) {
    throw CaseError(about + error.what() + " (column " + std::to_string(error.position + 1) + ")");
  }
}

}  // namespace

void check_claim(const Claim& claim, const std::string& case_file,
                 const std::vector<std::string>& known_rows) {
  parse_checked(claim, case_file, known_rows);
}

ClaimResult judge_claim(const Claim& claim, const Record& record, std::uint64_t seed) {
  const Expression expression = parse_checked(claim, record.job.case_file.string(), {});
  Figures figures(record, seed);
  ClaimResult result{claim.text, claim.holds, Verdict::undecided, {}};
  const std::vector<std::string> passes =
      expression.spans_passes() ? std::vector<std::string>{"cold", "warm"} : std::vector<std::string>{"warm"};
  Truth truth = Truth::yes;
  std::vector<std::string> reasons;
  std::vector<std::pair<std::string, std::string>> evidence;
  for (const std::string& name : passes) {
    const PassResult* pass = find_pass(record, name);
    if (pass == nullptr) {
      truth = both(truth, Truth::unknown);
      evidence.emplace_back(name, "the pass was not run");
      add_reasons(reasons, {"the " + name + " pass was not run"});
      continue;
    }
    const Outcome outcome = judge_pass(claim, expression, figures, *pass);
    truth = both(truth, outcome.truth);
    evidence.emplace_back(name, outcome.evidence);
    if (outcome.truth == Truth::unknown) add_reasons(reasons, outcome.reasons);
  }
  result.verdict = truth == Truth::yes  ? Verdict::held
                   : truth == Truth::no ? Verdict::refuted
                                        : Verdict::undecided;
  if (evidence.size() == 1)
    result.figures = evidence[0].second;
  else if (evidence[0].second == evidence[1].second)
    result.figures = "cold and warm: " + evidence[0].second;
  else
    result.figures = "cold: " + evidence[0].second + "; warm: " + evidence[1].second;
  if (result.verdict == Verdict::undecided && !reasons.empty()) {
    std::string why;
    for (const std::string& reason : reasons) why += (why.empty() ? "because " : "; ") + reason;
    // Of a claim that could not be worked out, the reason is all there is to say.
    result.figures =
        evidence.size() == 1 && evidence[0].second == reasons[0] ? why : why + ". " + result.figures;
  }
  return result;
}

}  // namespace tare::compare
