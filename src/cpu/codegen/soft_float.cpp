// Significands of 128 bits hold every exact product and, with a sticky lowest bit, every sum, quotient
// and root of the formats that occur.
#include "cpu/codegen/soft_float.hpp"

#include <algorithm>
#include <bit>

namespace tare::cpu::codegen::soft {
namespace {

constexpr int kTop = 120;  // where the leading bit of the larger addend is put: room for a carry above

int bit_length(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high)) : static_cast<int>(std::bit_width(low));
}

/// Shifts right by any count, folding what falls off into the lowest bit.
Wide shift_right_sticky(Wide value, int count) {
  if (count <= 0) return value << -count;
  if (count >= 128) return value != 0 ? 1 : 0;
  const Wide lost = value & ((Wide{1} << count) - 1);
  return (value >> count) | (lost != 0 ? 1 : 0);
}

Number nan() {
  return {Number::Kind::nan, false, 0, 0};
}
Number infinity(bool negative) {
  return {Number::Kind::infinite, negative, 0, 0};
}
Number zero(bool negative) {
  return {Number::Kind::zero, negative, 0, 0};
}

bool rounds_away(Direction direction, bool negative, bool odd, int against_half, bool inexact) {
  switch (direction) {
    case Direction::nearest:
      return against_half > 0 || (against_half == 0 && odd);
    case Direction::nearest_away:
      return against_half >= 0;
    case Direction::zero:
      return false;
    case Direction::down:
      return negative && inexact;
    case Direction::up:
      return !negative && inexact;
  }
  return false;
}

}  // namespace

Number unpack(std::uint64_t bits, Format format) {
  const int width = 1 + format.exponent_bits + format.fraction_bits;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << format.fraction_bits) - 1);
  const auto exponent =
      static_cast<int>((bits >> format.fraction_bits) & ((std::uint64_t{1} << format.exponent_bits) - 1));
  const bool negative = ((bits >> (width - 1)) & 1) != 0;
  if (exponent == (1 << format.exponent_bits) - 1) return fraction != 0 ? nan() : infinity(negative);
  if (exponent == 0 && fraction == 0) return zero(negative);
  const int quantum = std::max(exponent, 1) - format.bias() - format.fraction_bits;
  const std::uint64_t hidden = exponent == 0 ? 0 : std::uint64_t{1} << format.fraction_bits;
  return {Number::Kind::finite, negative, quantum, fraction | hidden};
}

std::uint64_t pack(const Number& number, Format format, Direction direction) {
  const int fraction_bits = format.fraction_bits;
  const std::uint64_t sign = std::uint64_t{number.negative} << (format.exponent_bits + fraction_bits);
  const auto top = (std::uint64_t{1} << format.exponent_bits) - 1;
  const std::uint64_t infinite = top << fraction_bits;
  if (number.kind == Number::Kind::nan) return infinite | (std::uint64_t{1} << (fraction_bits - 1));
  if (number.kind == Number::Kind::infinite) return sign | infinite;
  if (number.kind == Number::Kind::zero) return sign;
  const int leading = number.exponent + bit_length(number.significand) - 1;
  const int quantum = std::max(leading, format.lowest_exponent()) - fraction_bits;
  const int count = quantum - number.exponent;
  Wide kept = 0;
  int against_half = -1;
  bool inexact = false;
  if (count <= 0) {
    kept = number.significand << -count;
  } else {
    kept = count >= 128 ? 0 : number.significand >> count;
    // The remainder with one more bit than the half: half is bit 1.
    const Wide rest = shift_right_sticky(number.significand, count - 2) & 3;
    inexact = rest != 0;
    against_half = static_cast<int>(static_cast<std::uint64_t>(rest)) - 2;
  }
  if (rounds_away(direction, number.negative, (kept & 1) != 0, against_half, inexact)) ++kept;
  // A carry out of the significand moves into the exponent field by itself.
  const auto value = static_cast<std::uint64_t>(kept);
  const bool is_subnormal =
      quantum == format.lowest_exponent() - fraction_bits && (value >> fraction_bits) == 0;
  if (is_subnormal) return sign | value;
  const auto biased = static_cast<std::uint64_t>(quantum + fraction_bits + format.bias());
  const std::uint64_t bits = ((biased - 1) << fraction_bits) + value;
  if (bits < infinite) return sign | bits;
  const bool stays_finite = direction == Direction::zero ||
                            (direction == Direction::down && !number.negative) ||
                            (direction == Direction::up && number.negative);
  return sign | (stays_finite ? infinite - 1 : infinite);
}

bool is_tiny(const Number& number, Format format, Direction direction) {
  if (number.kind != Number::Kind::finite) return false;
  // As many bits of precision, but so many more of exponent that nothing is subnormal.
  const Format unlimited{format.exponent_bits + 3, format.fraction_bits};
  const std::uint64_t rounded = pack(number, unlimited, direction) &
                                ~(std::uint64_t{1} << (unlimited.exponent_bits + unlimited.fraction_bits));
  const auto least_normal = static_cast<std::uint64_t>(format.lowest_exponent() + unlimited.bias());
  return rounded < least_normal << format.fraction_bits;
}

Number from_integer(std::uint64_t magnitude, bool negative) {
  if (magnitude == 0) return zero(false);
  return {Number::Kind::finite, negative, 0, magnitude};
}

Number negate(Number number) {
  number.negative = !number.negative;
  return number;
}

Number add(const Number& a, const Number& b, Direction direction) {
  if (a.kind == Number::Kind::nan || b.kind == Number::Kind::nan) return nan();
  if (a.kind == Number::Kind::infinite) {
    return b.kind == Number::Kind::infinite && a.negative != b.negative ? nan() : a;
  }
  if (b.kind == Number::Kind::infinite) return b;
  if (a.kind == Number::Kind::zero && b.kind == Number::Kind::zero) {
    return zero(a.negative == b.negative ? a.negative : direction == Direction::down);
  }
  if (a.kind == Number::Kind::zero) return b;
  if (b.kind == Number::Kind::zero) return a;
  const int a_leading = a.exponent + bit_length(a.significand);
  const int b_leading = b.exponent + bit_length(b.significand);
  const Number& large = a_leading >= b_leading ? a : b;
  const Number& small = a_leading >= b_leading ? b : a;
  const int up = kTop - (bit_length(large.significand) - 1);
  const int exponent = large.exponent - up;
  const Wide x = large.significand << up;
  const Wide y = shift_right_sticky(small.significand, exponent - small.exponent);
  if (large.negative == small.negative) return {Number::Kind::finite, large.negative, exponent, x + y};
  if (x == y) return zero(direction == Direction::down);
  if (x > y) return {Number::Kind::finite, large.negative, exponent, x - y};
  return {Number::Kind::finite, small.negative, exponent, y - x};
}

Number multiply(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  if (a.kind == Number::Kind::nan || b.kind == Number::Kind::nan) return nan();
  const bool any_infinite = a.kind == Number::Kind::infinite || b.kind == Number::Kind::infinite;
  const bool any_zero = a.kind == Number::Kind::zero || b.kind == Number::Kind::zero;
  if (any_infinite) return any_zero ? nan() : infinity(negative);
  if (any_zero) return zero(negative);
  return {Number::Kind::finite, negative, a.exponent + b.exponent, a.significand * b.significand};
}

Number divide(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  if (a.kind == Number::Kind::nan || b.kind == Number::Kind::nan) return nan();
  if (a.kind == Number::Kind::infinite) return b.kind == Number::Kind::infinite ? nan() : infinity(negative);
  if (b.kind == Number::Kind::infinite) return zero(negative);
  if (b.kind == Number::Kind::zero) return a.kind == Number::Kind::zero ? nan() : infinity(negative);
  if (a.kind == Number::Kind::zero) return zero(negative);
  const int up = 127 - bit_length(a.significand);
  const Wide dividend = a.significand << up;
  const Wide quotient = dividend / b.significand;
  const bool inexact = dividend % b.significand != 0;
  // One more bit for what is left over, so that it never passes for an exact half.
  return {Number::Kind::finite, negative, a.exponent - up - b.exponent - 1,
          (quotient << 1) | (inexact ? 1 : 0)};
}

Number square_root(const Number& a) {
  if (a.kind == Number::Kind::nan || a.kind == Number::Kind::zero) return a;
  if (a.negative) return nan();
  if (a.kind == Number::Kind::infinite) return a;
  int up = 126 - bit_length(a.significand);
  if (((a.exponent - up) & 1) != 0) --up;
  const Wide radicand = a.significand << up;
  Wide root = 0;
  for (int bit = 62; bit >= 0; --bit) {
    const Wide candidate = root | (Wide{1} << bit);
    if (candidate * candidate <= radicand) root = candidate;
  }
  const bool inexact = root * root != radicand;
  return {Number::Kind::finite, false, (a.exponent - up) / 2 - 1, (root << 1) | (inexact ? 1 : 0)};
}

}  // namespace tare::cpu::codegen::soft
