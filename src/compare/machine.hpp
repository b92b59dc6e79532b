// What the run ran on, for the record.
#pragma once

#include "compare/record.hpp"
#include "compare/row.hpp"
#include "tare/device.hpp"
#include "tare/driver.hpp"

namespace tare::compare {

/// Describes device, driver, operating system, processor and the compilers that were found.
MachineInfo describe_machine(const Device& device, const DriverInfo& driver, Toolbox& toolbox);

/// Now, as RFC 3339 in UTC.
std::string utc_now();

}  // namespace tare::compare
