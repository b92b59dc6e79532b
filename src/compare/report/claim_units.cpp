#include "compare/report/claim_units.hpp"

#include <algorithm>

namespace tare::compare {

std::string unit_of(const Expression& expression) {
  if (expression.kind == Expression::Kind::figure) {
    const std::string_view name = figure_name(expression.figure);
    return name.ends_with("_ms")                       ? " ms"
           : name.ends_with("_us")                     ? " us"
           : expression.figure == Figure::gb_per_s     ? " GB/s"
           : expression.figure == Figure::bits_max_ulp ? " ulp"
                                                       : "";
  }
  if (expression.is_statement() || expression.children.empty() || expression.op == "count") return "";
  const std::string first = unit_of(expression.children.front()), last = unit_of(expression.children.back());
  if (expression.op == "*") return first.empty() || last.empty() ? first + last : "";
  if (expression.op == "/") return last.empty() ? first : "";
  return first.empty() ? last : last.empty() || first == last ? first : "";
}

bool is_never_negative(const Expression& expression) {
  if (expression.kind == Expression::Kind::figure || expression.op == "abs" || expression.op == "count")
    return true;
  if (expression.kind == Expression::Kind::number) return expression.number >= 0;
  return expression.op != "-" &&
         std::all_of(expression.children.begin(), expression.children.end(), is_never_negative);
}

}  // namespace tare::compare
