// The C++ functions that compiled kernels may call, by name. No LLVM.
#pragma once

#include <cstdint>
#include <string_view>

namespace tare::cpu::codegen {

/// The address of a function that generated code refers to; null where there is none.
void* find_runtime_function(std::string_view name);

/// How the half-precision routine is told what to do: an operation, a format, and switches.
namespace half {
inline constexpr std::uint32_t add = 0, sub = 1, mul = 2, fma = 3, min = 4, max = 5, neg = 6, abs = 7;
inline constexpr std::uint32_t operation_mask = 0xf, is_bfloat = 1u << 4, flush = 1u << 5, saturate = 1u << 6,
                               relu = 1u << 7, propagate_nan = 1u << 8, xorsign_abs = 1u << 9;
}  // namespace half

/// Floating-point formats as the conversion routine is told them.
namespace format_code {
inline constexpr std::uint32_t f16 = 0, bf16 = 1, f32 = 2, f64 = 3;
}

}  // namespace tare::cpu::codegen
