// What was run, on what: the lines above the tables.
#pragma once

#include <string>

#include "compare/record.hpp"
#include "compare/report/text.hpp"

namespace tare::compare {

/// A line each, ending in a newline; continued lines are indented. Without `sizes` nothing is said that
/// changes with the values of the case.
std::string header(const Record& record, unsigned width, Painter paint, bool sizes = true);

}  // namespace tare::compare
