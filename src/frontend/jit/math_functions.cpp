#include "frontend/jit/math_functions.hpp"

namespace tare::detail {
namespace {

/// `llvm`: called llvm.NAME.f32 and .f64. Otherwise NVIDIA's own, llvm.nvvm.NAME.f and .d, which libNVVM
/// takes where it does not take LLVM's, with a form that flushes subnormal numbers.
struct Intrinsic {
  std::string_view function, intrinsic;
  bool llvm, has_ftz;
};

constexpr Intrinsic kIntrinsics[] = {
    {"sqrt", "sqrt", true, false},   {"fma", "fma", true, false},           {"fmin", "minnum", true, false},
    {"fmax", "maxnum", true, false}, {"copysign", "copysign", true, false}, {"fabs", "fabs", false, true},
    {"floor", "floor", false, true}, {"ceil", "ceil", false, true},         {"trunc", "trunc", false, true},
    {"rint", "round", false, true},  // NVIDIA's `round` is to even
};

}  // namespace

MathFunction math_function(std::string_view name, Scalar type, bool ftz, bool approximate_sqrt) {
  const bool single = type == Scalar::f32;
  if (approximate_sqrt && single && name == "sqrt")
    return {ftz ? "llvm.nvvm.sqrt.approx.ftz.f" : "llvm.nvvm.sqrt.approx.f", false};
  for (const auto& [function, intrinsic, llvm, has_ftz] : kIntrinsics) {
    if (function != name) continue;
    if (llvm) return {"llvm." + std::string(intrinsic) + (single ? ".f32" : ".f64"), false};
    return {"llvm.nvvm." + std::string(intrinsic) + (single ? (ftz && has_ftz ? ".ftz.f" : ".f") : ".d"),
            false};
  }
  return {"__nv_" + std::string(name) + (single ? "f" : ""), true};
}

}  // namespace tare::detail
