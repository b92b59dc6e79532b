// The loaded driver table: the library's one singleton. It is filled at the first need, never emptied, and
// turned into refusals in a process that was forked afterwards.
#pragma once

#include "driver/abi.hpp"
#include "tare/driver.hpp"

namespace tare::detail {

/// What every entry of the table answers in a forked child; no driver has this code.
inline constexpr cu::Result kForkedResult = static_cast<cu::Result>(-0x7a7e);

/// The driver's entry points, valid once load_driver() has returned in this process. Reading it costs one
/// load: a fork swaps the pointers, so that no caller looks at a flag.
extern constinit cu::Functions driver_table;

/// Loads the driver if need be and gives its table. Throws as driver_info().
const cu::Functions& load_driver();

/// What the CPU device says about the calling thread's last failed call; empty for other drivers.
std::string driver_error_detail();

/// To be called before something else in this process initialises the driver (NVRTC and nvJitLink do): a
/// child forked from now on is refused.
void driver_is_in_use();

/// Throws Error(forked) in a child forked after driver_is_in_use() or load_driver().
void refuse_forked_child();

[[noreturn]] void throw_forked();

}  // namespace tare::detail
