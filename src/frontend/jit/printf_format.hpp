// Does a printf format fit its arguments? The device does not look: it would print what is not there.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tare/jit/trace.hpp"

namespace tare::detail {

/// The type as which C passes an argument to a function with `...`: at least int, and double for float.
Scalar variadic_type(Scalar type);

struct FormatFault {
  std::string what, remedy;
};

/// What is wrong with the format for arguments of these (variadic) types; nullopt where it fits.
std::optional<FormatFault> fault_in_format(const std::string& format, std::span<const Scalar> types);

}  // namespace tare::detail
