// What a claim's expression measures, from its text alone.
#pragma once

#include <string>

#include "compare/report/claim_expression.hpp"

namespace tare::compare {

/// " ms", " us", " GB/s", or nothing for a ratio, a count, and what mixes units.
std::string unit_of(const Expression& expression);

/// Whether it can have no value below 0.
bool is_never_negative(const Expression& expression);

}  // namespace tare::compare
