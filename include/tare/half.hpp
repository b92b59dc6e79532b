// A 16-bit floating-point number (IEEE 754's binary16) on the host, as CUDA C++'s __half has it in memory.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tare {

/// Bits, and their conversions: computing with halves is the kernels' part. In a kernel it mixes with other
/// numbers as std::float16_t of C++23 does.
struct half {
  std::uint16_t bits = 0;

  half() = default;
  /// Rounded to nearest, ties to even; beyond the largest (65504) infinite.
  template <class T>
  requires std::is_arithmetic_v<T>
  explicit half(T value) : bits(rounded(static_cast<double>(value))) {}
  static half from_bits(std::uint16_t bits) {
    half made;
    made.bits = bits;
    return made;
  }

  /// Exact.
  explicit operator float() const {
    const std::uint32_t sign = std::uint32_t{bits} >> 15 << 31, magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    if (magnitude >= 0x400u) return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
    const float subnormal = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0 ? -subnormal : subnormal;
  }
  explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }

 private:
  static std::uint16_t rounded(double value) {
    const auto all = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint16_t>(all >> 63 << 15);
    const double magnitude = std::bit_cast<double>(all << 1 >> 1);
    if (magnitude != magnitude) return static_cast<std::uint16_t>(sign | 0x7e00u);
    if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00u);
    // Adding a power of two lets the processor round to the step that a half has there.
    const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1023;
    const int step = (exponent < -14 ? -14 : exponent) - 10;
    const auto power = [](int of) {
      return std::bit_cast<double>(static_cast<std::uint64_t>(of + 1023) << 52);
    };
    const double large = power(step + 52);
    const double nearest = (magnitude + large) - large;
    if (nearest == 0) return sign;
    if (nearest < 0x1p-14) return static_cast<std::uint16_t>(sign | static_cast<unsigned>(nearest * 0x1p24));
    const auto bits = std::bit_cast<std::uint64_t>(nearest);
    const std::uint64_t biased = (bits >> 52) - 1023 + 15;
    return static_cast<std::uint16_t>(sign | biased << 10 | (bits >> 42 & 0x3ffu));
  }
};
static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half>);

}  // namespace tare
