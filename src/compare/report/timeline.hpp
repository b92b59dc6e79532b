// The moments of a row's first process, drawn from its events: when it was imported, opened, built, where it
// compiled, when it had launched for the first time.
#pragma once

#include <string>

#include "compare/record.hpp"
#include "compare/report/text.hpp"

namespace tare::compare {

/// One line for each row that ran in the cold pass, all on one scale of milliseconds since the process was
/// started, and its moments in words below it. `utf8`: lines are drawn with box characters, else in ASCII.
std::string timeline(const Record& record, unsigned width, bool utf8, Painter paint);

}  // namespace tare::compare
