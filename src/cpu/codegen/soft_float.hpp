// IEEE 754 arithmetic on integers, exact before one rounding in any direction. It serves the roundings
// and formats that the processor lacks, and is the oracle for those it has. No LLVM.
#pragma once

#include <cstdint>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::codegen::soft {

__extension__ using Wide = unsigned __int128;

enum class Direction : std::uint32_t { nearest, zero, down, up, nearest_away };

/// Added to a Direction on its way to a routine: a tiny result becomes zero.
inline constexpr std::uint32_t kFlush = 16;

constexpr Direction direction_of(ptx::Rounding rounding) {
  switch (rounding) {
    case ptx::Rounding::rz:
    case ptx::Rounding::rzi:
      return Direction::zero;
    case ptx::Rounding::rm:
    case ptx::Rounding::rmi:
      return Direction::down;
    case ptx::Rounding::rp:
    case ptx::Rounding::rpi:
      return Direction::up;
    case ptx::Rounding::rna:
      return Direction::nearest_away;
    default:
      return Direction::nearest;
  }
}

struct Format {
  int exponent_bits;
  int fraction_bits;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int precision() const { return fraction_bits + 1; }
  constexpr int lowest_exponent() const { return 1 - bias(); }
};

inline constexpr Format kF16{5, 10}, kBf16{8, 7}, kF32{8, 23}, kF64{11, 52};

/// (-1)^negative * significand * 2^exponent. The lowest bit may stand for everything below it, as long
/// as the significand is far wider than the format it will be packed into.
struct Number {
  enum class Kind : std::uint8_t { zero, finite, infinite, nan };
  Kind kind = Kind::zero;
  bool negative = false;
  int exponent = 0;
  Wide significand = 0;
};

Number unpack(std::uint64_t bits, Format format);
/// Rounds once. A NaN packs as the quiet NaN with a clear sign.
std::uint64_t pack(const Number& number, Format format, Direction direction);
/// Finite, and less in magnitude than the format's least normal number once rounded to its precision with
/// no limit to the exponent: what .ftz makes zero.
bool is_tiny(const Number& number, Format format, Direction direction);
Number from_integer(std::uint64_t magnitude, bool negative);

Number negate(Number number);
/// The direction decides the sign of an exact zero sum of opposite numbers.
Number add(const Number& a, const Number& b, Direction direction);
Number multiply(const Number& a, const Number& b);
Number divide(const Number& a, const Number& b);
Number square_root(const Number& a);

}  // namespace tare::cpu::codegen::soft
