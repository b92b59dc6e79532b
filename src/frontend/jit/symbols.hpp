// What kernels and functions may be called.
#pragma once

#include <string>

#include "tare/jit/trace.hpp"

namespace tare::detail {

/// Throws Error(argument) for a kernel's name that is no symbol, or is one that the device's own libraries
/// have.
void check_kernel_name(const std::string& name);

/// Why it cannot be a part of a symbol; empty where it can.
std::string fault_in_name(const std::string& name);

/// The type's name in C++: "int", "uint8_t".
const char* cpp_name(Scalar type);

}  // namespace tare::detail
