// 16-bit floats as integers: every operation exact, rounded once. The oracle for half precision.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tare::kernels::half {

__extension__ typedef __int128 Wide;

inline bool negative(std::uint16_t bits) {
  return (bits & 0x8000u) != 0;
}

/// A finite half in units of 2^-24.
inline std::int64_t units(std::uint16_t bits) {
  const unsigned exponent = bits >> 10 & 31;
  const std::int64_t magnitude = exponent == 0
                                     ? static_cast<std::int64_t>(bits & 0x3ffu)
                                     : static_cast<std::int64_t>(1024u + (bits & 0x3ffu)) << (exponent - 1);
  return negative(bits) ? -magnitude : magnitude;
}

inline double value(std::uint16_t bits) {
  return static_cast<double>(units(bits)) * 0x1p-24;
}

/// `exact` in units of 2^-48, rounded to nearest, ties to even. A zero gets the sign given.
inline std::uint16_t rounded(Wide exact, bool zero_is_negative) {
  if (exact == 0) return zero_is_negative ? 0x8000 : 0;
  const unsigned sign = exact < 0 ? 0x8000u : 0;
  const Wide magnitude = exact < 0 ? -exact : exact;
  const auto high = static_cast<std::uint64_t>(magnitude >> 64), low = static_cast<std::uint64_t>(magnitude);
  const int top = high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(low);
  const int dropped = top < 34 ? 24 : top - 10;  // below 2^-14 the steps stay 2^-24
  auto kept = static_cast<std::uint64_t>(magnitude >> dropped);
  const Wide rest = magnitude - (static_cast<Wide>(kept) << dropped), tie = Wide{1} << (dropped - 1);
  if (rest > tie || (rest == tie && kept % 2 == 1)) ++kept;
  const std::uint64_t bits = top < 34 ? kept : (static_cast<std::uint64_t>(top - 33) << 10) + kept - 1024;
  return static_cast<std::uint16_t>(sign | (bits >= 0x7c00u ? 0x7c00u : bits));
}

/// a * b + c.
inline std::uint16_t fused(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  const Wide product = static_cast<Wide>(units(a)) * units(b);
  const bool product_negative = negative(a) != negative(b);
  return rounded(product + (static_cast<Wide>(units(c)) << 24),
                 product == 0 && units(c) == 0 && product_negative && negative(c));
}

inline std::uint16_t sum(std::uint16_t a, std::uint16_t b) {
  return fused(a, 0x3c00, b);
}
inline std::uint16_t product(std::uint16_t a, std::uint16_t b) {
  return rounded(static_cast<Wide>(units(a)) * units(b), negative(a) != negative(b));
}

/// An exact double of at most 24 bits after the point and below 2^40, towards nearest.
inline std::uint16_t from_double(double exact) {
  return rounded(static_cast<Wide>(exact * 0x1p48), std::signbit(exact));
}

}  // namespace tare::kernels::half
