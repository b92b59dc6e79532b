#include "frontend/jit/ir_types.hpp"

#include <fmt/format.h>

#include <bit>

namespace tare::detail {
namespace {

/// A float's constant is written as the double of its value; a NaN's payload is moved by hand.
std::uint64_t widened(std::uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  if (value == value) return std::bit_cast<std::uint64_t>(double{value});
  return std::uint64_t{bits >> 31} << 63 | 0x7FF0000000000000u | std::uint64_t{bits & 0x7FFFFFu} << 29;
}

}  // namespace

unsigned bytes_of(Scalar type) {
  constexpr unsigned kBytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2};
  return kBytes[static_cast<std::size_t>(type)];
}

bool is_float(Scalar type) {
  return type == Scalar::f32 || type == Scalar::f64;
}

bool is_signed(Scalar type) {
  return type == Scalar::i8 || type == Scalar::i16 || type == Scalar::i32 || type == Scalar::i64;
}

const char* ir_type(Scalar type) {
  constexpr const char* kNames[] = {"i1",  "i8",  "i8",  "i16",   "i16",    "i32",
                                    "i32", "i64", "i64", "float", "double", "i16"};  // a half is its bits
  return kNames[static_cast<std::size_t>(type)];
}

const char* memory_type(Scalar type) {
  return type == Scalar::boolean ? "i8" : ir_type(type);
}

char letter(Scalar type) {
  if (type == Scalar::f32) return 'f';
  if (type == Scalar::f64) return 'd';
  return bytes_of(type) == 8 ? 'l' : bytes_of(type) == 2 ? 'h' : 'r';
}

std::string constant_text(Scalar type, std::uint64_t bits) {
  switch (type) {
    case Scalar::boolean:
      return bits != 0 ? "true" : "false";
    case Scalar::f32:
      return fmt::format("0x{:016X}", widened(static_cast<std::uint32_t>(bits)));
    case Scalar::f64:
      return fmt::format("0x{:016X}", bits);
    case Scalar::i8:
      return fmt::format("{}", static_cast<std::int8_t>(bits));
    case Scalar::i16:
      return fmt::format("{}", static_cast<std::int16_t>(bits));
    case Scalar::i32:
      return fmt::format("{}", static_cast<std::int32_t>(bits));
    case Scalar::i64:
      return fmt::format("{}", static_cast<std::int64_t>(bits));
    default:
      return fmt::format("{}", bits);
  }
}

}  // namespace tare::detail
