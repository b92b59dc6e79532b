// One narrowing routine serves both formats; it works on the double's bits, so nothing is rounded twice.
#include "compare/case/float16.hpp"

#include <bit>

namespace tare::compare {
namespace {

/// A 16-bit float of `fraction_bits` (10 or 7) and the remaining exponent bits. NaNs keep their sign and top
/// payload bits and become quiet.
std::uint16_t narrow(double value, int fraction_bits) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint64_t>(bits >> 63) << 15;
  const int exponent_bits = 15 - fraction_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  const std::uint64_t fraction = bits & 0xfffffffffffffull;
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  if (exponent == 0x7ff) {
    if (fraction == 0) return static_cast<std::uint16_t>(sign | infinity);
    const std::uint64_t quiet = std::uint64_t{1} << (fraction_bits - 1);
    return static_cast<std::uint16_t>(sign | infinity | quiet | (fraction >> (52 - fraction_bits)));
  }
  if (exponent == 0) return static_cast<std::uint16_t>(sign);  // far below the smallest subnormal
  const int unbiased = exponent - 1023;
  std::uint64_t significand = fraction | (1ull << 52);
  int shift = 52 - fraction_bits;
  std::uint64_t field = 0;
  if (unbiased < 1 - bias) {
    shift += (1 - bias) - unbiased;  // subnormal: the exponent field is 0
    if (shift > 54) return static_cast<std::uint16_t>(sign);
  } else if (unbiased > bias) {
    return static_cast<std::uint16_t>(sign | infinity);
  } else {
    field = static_cast<std::uint64_t>(unbiased + bias - 1) << fraction_bits;  // the hidden bit adds the 1
  }
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & ((1ull << shift) - 1);
  const std::uint64_t half_way = 1ull << (shift - 1);
  const bool up = rest > half_way || (rest == half_way && (kept & 1) != 0);
  return static_cast<std::uint16_t>(sign | (field + kept + (up ? 1 : 0)));
}

}  // namespace

std::uint16_t half_from_double(double value) {
  return narrow(value, 10);
}
std::uint16_t bfloat16_from_double(double value) {
  return narrow(value, 7);
}

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 15) << 31;
  const std::uint32_t exponent = (bits >> 10) & 0x1f;
  const std::uint32_t fraction = bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace tare::compare
