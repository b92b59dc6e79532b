// What a row's compiler options allow it to do to floating-point results, and which of that separates the
// rows whose bits differ from those whose bits do not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/record.hpp"

namespace tare::compare {

/// A freedom that one compiler option gives or takes.
struct FloatFreedom {
  bool allowed = false;
  std::string option;  // what says so: "--fmad=false", "no --fmad=false"
};

/// a * b + c as one fma with one rounding. Nullopt for a compiler whose options we do not know.
std::optional<FloatFreedom> may_contract(const RowResult& row);

/// How far rows are from the reference: by a few roundings, by so many that only a difference of nearly equal
/// numbers makes them out of one, or not by any number at all (a NaN against a number).
enum class Distance { of_rounding, far, none };

/// The sentence that explains why `differing` differ from the reference and `equal` do not; empty where the
/// options explain nothing.
std::string explain_by_options(const std::vector<const RowResult*>& differing,
                               const std::vector<const RowResult*>& equal,
                               Distance distance = Distance::of_rounding);

}  // namespace tare::compare
