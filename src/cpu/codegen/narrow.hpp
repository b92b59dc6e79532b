// The floating-point formats of 8 bits, e4m3 and e5m2, as cvt makes and reads them. No LLVM.
#pragma once

#include <cstdint>

namespace tare::cpu::codegen {

/// Bits of e4m3 (or e5m2) nearest to an f32; what is too large, infinity included, becomes the largest
/// finite number, a NaN 0x7f. `relu`: what is negative becomes 0.
std::uint32_t narrow_from_f32(std::uint32_t bits, std::uint32_t is_e5m2, std::uint32_t relu);
/// Bits of the f16 that is the same number; a NaN becomes 0x7fff.
std::uint32_t f16_from_narrow(std::uint32_t bits, std::uint32_t is_e5m2, std::uint32_t relu);

}  // namespace tare::cpu::codegen
