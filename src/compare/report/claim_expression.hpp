// The parsed form of a claim's expression, and its parser. Nothing here knows any figures' values.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tare::compare {

enum class Figure {
  start_ms,
  build_ms,
  first_ms,
  compiles_in_build,
  compiles_in_first,
  launch_us,
  mean_ms,
  kernel_ms,
  cold_l2_ms,
  gb_per_s,
  bits_differing,
  bits_max_ulp,
  bits_equal
};
/// As a claim spells it: "mean_ms", "bits.differing".
std::string_view figure_name(Figure figure);
/// launch_us, mean_ms, kernel_ms, cold_l2_ms, gb_per_s: without a prefix they are the warm pass's.
bool is_steady(Figure figure);

enum class PassPrefix { none, cold, warm };

/// A node of the tree. `op` is the operator or function as written: "+", "<=", "max", "and".
struct Expression {
  enum class Kind {
    number,
    figure,      // of `row`, or of the row being judged where `row` is empty
    arithmetic,  // + - * / with two children, - with one
    function,    // abs of one, max min median sum of two and more numbers
    aggregate,   // max min median sum count of one expression, over rows
    comparison,
    logic  // and, or with two children, not with one
  };
  Kind kind = Kind::number;
  double number = 0;
  Figure figure = Figure::mean_ms;
  PassPrefix pass = PassPrefix::none;
  std::string row;
  std::string op;
  std::vector<Expression> children;
  std::string text;  // this node as the claim writes it

  bool is_statement() const { return kind == Kind::comparison || kind == Kind::logic; }
  /// Whether it speaks of "the row being judged" outside any aggregate.
  bool is_per_row() const;
  /// Whether a figure that both passes have (a phase or a check) stands without a prefix.
  bool spans_passes() const;
};

/// What is wrong, and at which character of the claim (from 0).
class ClaimSyntaxError : public std::runtime_error {
 public:
  ClaimSyntaxError(std::size_t where, const std::string& message)
      : std::runtime_error(message), position(where) {}
  std::size_t position;
};

/// Parses a whole claim, which must be a statement. Throws ClaimSyntaxError.
Expression parse_claim(std::string_view text);

/// Every row that the expression names.
std::vector<std::string> rows_named(const Expression& expression);

}  // namespace tare::compare
