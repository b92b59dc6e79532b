// What the run settled, in plain sentences: each says only what the figures bear out.
#pragma once

#include <string>
#include <vector>

#include "compare/record.hpp"

namespace tare::compare {

/// "On NVIDIA H200 (driver 13.0)": what every finding begins with, before ": ".
std::string findings_scope(const Record& record);

/// The findings, each with its scope in front.
std::vector<std::string> work_out_findings(const Record& record);

}  // namespace tare::compare
