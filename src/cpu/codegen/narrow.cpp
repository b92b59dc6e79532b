#include "cpu/codegen/narrow.hpp"

#include "cpu/codegen/soft_float.hpp"

namespace tare::cpu::codegen {
namespace {

constexpr std::uint32_t kNan = 0x7f;
constexpr soft::Format kE4m3{4, 3}, kE5m2{5, 2};

/// e4m3 has numbers where other formats have infinity and NaNs: 256 to 448.
std::uint32_t magnitude_of(soft::Number number, bool is_e5m2) {
  constexpr std::uint32_t kLargestE5m2 = 0x7b, kLargestE4m3 = 0x7e, kBinade = 8, kInfinityE4m3 = 0x78;
  if (is_e5m2) {
    const auto bits = static_cast<std::uint32_t>(soft::pack(number, kE5m2, soft::Direction::nearest));
    return bits > kLargestE5m2 ? kLargestE5m2 : bits;
  }
  auto bits = static_cast<std::uint32_t>(soft::pack(number, kE4m3, soft::Direction::nearest));
  if (bits < kInfinityE4m3) return bits;
  // Half of it fits; twice that has the next exponent.
  --number.exponent;
  bits = static_cast<std::uint32_t>(soft::pack(number, kE4m3, soft::Direction::nearest)) + kBinade;
  return bits > kLargestE4m3 ? kLargestE4m3 : bits;
}

}  // namespace

std::uint32_t narrow_from_f32(std::uint32_t bits, std::uint32_t is_e5m2, std::uint32_t relu) {
  soft::Number number = soft::unpack(bits, soft::kF32);
  if (number.kind == soft::Number::Kind::nan) return kNan;
  const bool negative = number.negative;
  if (negative && relu != 0) return 0;
  number.negative = false;
  const std::uint32_t sign = negative ? 0x80u : 0u;
  if (number.kind == soft::Number::Kind::infinite) return sign | (is_e5m2 != 0 ? 0x7bu : 0x7eu);
  return sign | magnitude_of(number, is_e5m2 != 0);
}

std::uint32_t f16_from_narrow(std::uint32_t bits, std::uint32_t is_e5m2, std::uint32_t relu) {
  constexpr std::uint32_t kHalfNan = 0x7fff;
  const std::uint32_t magnitude = bits & 0x7f;
  const std::uint32_t sign = (bits & 0x80) << 8;
  if (is_e5m2 != 0) {
    if (magnitude > 0x7c) return kHalfNan;
    if (relu != 0 && sign != 0) return 0;
    return sign | magnitude << 8;
  }
  if (magnitude == kNan) return kHalfNan;
  if (relu != 0 && sign != 0) return 0;
  soft::Number number = soft::unpack(magnitude < 0x78 ? magnitude : magnitude - 8, kE4m3);
  if (magnitude >= 0x78) ++number.exponent;
  return sign | static_cast<std::uint32_t>(soft::pack(number, soft::kF16, soft::Direction::nearest));
}

}  // namespace tare::cpu::codegen
