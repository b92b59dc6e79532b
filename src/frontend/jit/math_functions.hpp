// The functions of tare/jit/math.hpp and what stands behind each: an intrinsic that every reader of the IR
// has, or NVIDIA's device library.
#pragma once

#include <string>
#include <string_view>

#include "tare/jit/trace.hpp"

namespace tare::detail {

struct MathFunction {
  std::string symbol;  // "llvm.sqrt.f32", "__nv_sinf"
  bool in_libdevice = false;
};

/// `name` as in C++ ("sin"), for float or double. `approximate_sqrt`: the instruction that does not round a
/// float's square root to nearest.
MathFunction math_function(std::string_view name, Scalar type, bool ftz, bool approximate_sqrt);

}  // namespace tare::detail
