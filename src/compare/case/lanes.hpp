// The scalars that buffers are made of, as bit patterns: one description per kind and size, so that filling
// and comparing are each written once.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "compare/case/float16.hpp"
#include "compare/case/types.hpp"

namespace tare::compare {

__extension__ typedef unsigned __int128 Bits128;

/// Bits of a lane, and what they mean. `Unsigned` is the pattern's type.
template <class Unsigned, ElementType::Kind K>
struct Lane {
  using Bits = Unsigned;
  static constexpr ElementType::Kind kKind = K;
  static constexpr bool kIsFloating =
      K == ElementType::Kind::floating || K == ElementType::Kind::half || K == ElementType::Kind::bfloat16;
  static constexpr int kFractionBits = K == ElementType::Kind::half       ? 10
                                       : K == ElementType::Kind::bfloat16 ? 7
                                       : sizeof(Bits) == 4                ? 23
                                                                          : 52;
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  static constexpr Bits kFraction = static_cast<Bits>((Bits{1} << kFractionBits) - 1);
  /// Infinity's pattern; above it (the sign aside) are the NaNs.
  static constexpr Bits kInfinity =
      static_cast<Bits>(static_cast<Bits>(~kSign) & static_cast<Bits>(~kFraction));
  /// 1.0
  static constexpr Bits kOne = static_cast<Bits>(kInfinity / 2 & static_cast<Bits>(~kFraction));

  static double to_double(Bits bits) {
    if constexpr (K == ElementType::Kind::half) {
      return static_cast<double>(half_to_float(bits));
    } else if constexpr (K == ElementType::Kind::bfloat16) {
      return static_cast<double>(bfloat16_to_float(bits));
    } else if constexpr (K == ElementType::Kind::floating && sizeof(Bits) == 4) {
      return static_cast<double>(std::bit_cast<float>(bits));
    } else if constexpr (K == ElementType::Kind::floating) {
      return std::bit_cast<double>(bits);
    } else {
      return static_cast<double>(bits);
    }
  }

  /// Floating types only: rounded once, to nearest even.
  static Bits from_double(double value) {
    if constexpr (K == ElementType::Kind::half) {
      return half_from_double(value);
    } else if constexpr (K == ElementType::Kind::bfloat16) {
      return bfloat16_from_double(value);
    } else if constexpr (sizeof(Bits) == 4) {
      return std::bit_cast<Bits>(static_cast<float>(value));
    } else {
      return std::bit_cast<Bits>(value);
    }
  }

  static bool is_nan(Bits bits) { return static_cast<Bits>(bits & static_cast<Bits>(~kSign)) > kInfinity; }
};

/// Calls `visit` with the Lane of the element's kind and lane size. Aggregates have none: returns false.
template <class Visit>
bool with_lane(const ElementType& element, Visit&& visit) {
  using Kind = ElementType::Kind;
  const auto integer = [&]<Kind K>(std::integral_constant<Kind, K>) {
    switch (lane_size(element)) {
      case 1:
        visit(Lane<std::uint8_t, K>());
        return true;
      case 2:
        visit(Lane<std::uint16_t, K>());
        return true;
      case 4:
        visit(Lane<std::uint32_t, K>());
        return true;
      case 8:
        visit(Lane<std::uint64_t, K>());
        return true;
      case 16:
        visit(Lane<Bits128, K>());
        return true;
      default:
        return false;
    }
  };
  switch (element.kind) {
    case Kind::floating:
      if (lane_size(element) == 4) {
        visit(Lane<std::uint32_t, Kind::floating>());
      } else {
        visit(Lane<std::uint64_t, Kind::floating>());
      }
      return true;
    case Kind::half:
      visit(Lane<std::uint16_t, Kind::half>());
      return true;
    case Kind::bfloat16:
      visit(Lane<std::uint16_t, Kind::bfloat16>());
      return true;
    case Kind::boolean:
      visit(Lane<std::uint8_t, Kind::boolean>());
      return true;
    case Kind::signed_integer:
      return integer(std::integral_constant<Kind, Kind::signed_integer>());
    case Kind::unsigned_integer:
      return integer(std::integral_constant<Kind, Kind::unsigned_integer>());
    case Kind::aggregate:
      return false;
  }
  return false;
}

}  // namespace tare::compare
