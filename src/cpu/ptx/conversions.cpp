// Which conversions there are: a row for each pair of types that cvt takes alike, with the roundings and
// modifiers that go with it, as ptxas 13.0 takes them.
#include <fmt/format.h>

#include <algorithm>

#include "cpu/ptx/decode.hpp"
#include "cpu/ptx/lexer.hpp"

namespace tare::cpu::ptx::detail {
namespace {

using enum Type;
namespace M = Modifier;

template <class... T>
constexpr TypeSet set(T... types) {
  return (bit(types) | ...);
}

template <class... R>
constexpr std::uint32_t roundings(R... all) {
  return ((1u << static_cast<unsigned>(all)) | ...);
}

constexpr std::uint32_t kNone = roundings(Rounding::none);
constexpr std::uint32_t kNearest = roundings(Rounding::rn);
constexpr std::uint32_t kNearestOrZero = roundings(Rounding::rn, Rounding::rz);
constexpr std::uint32_t kReal = roundings(Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp);
constexpr std::uint32_t kIntegral = roundings(Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi);
constexpr TypeSet kInt = set(u8, s8, u16, s16, u32, s32, u64, s64);

struct Conversion {
  TypeSet to, from;
  std::uint32_t roundings;
  std::uint32_t modifiers;   // each may be there
  std::uint32_t finite = 0;  // each may be there with .rn and .rz, and none of `modifiers` then
  std::uint32_t needs = 0;
};

constexpr Conversion kConversions[] = {
    {kInt, kInt, kNone, M::sat},
    {kInt, set(f16, f64), kIntegral, M::sat},
    {kInt, set(f32), kIntegral, M::sat | M::ftz},
    {kInt, set(bf16), kIntegral, 0},
    {set(f16, f64), kInt, kReal, M::sat},
    {set(f32), kInt, kReal, M::sat | M::ftz},
    {set(bf16), kInt | set(f64), kReal, 0},
    {set(f16), set(f64), kReal, M::sat},
    {set(f32), set(f64), kReal, M::sat | M::ftz},
    {set(f16), set(f32), kReal, M::sat | M::ftz, M::relu | M::satfinite},
    {set(bf16), set(f32), kReal, M::ftz, M::relu | M::satfinite},
    {set(f16), set(bf16), kReal, 0},
    {set(bf16), set(f16), kReal, 0},
    {set(f16), set(f16), kIntegral | kNone, M::sat},
    {set(f64), set(f64), kIntegral | kNone, M::sat},
    {set(bf16), set(bf16), kIntegral | kNone, 0},
    {set(f32), set(f32), kIntegral | kNone, M::sat | M::ftz},
    {set(f64), set(f16), kNone, M::sat},
    {set(f32), set(f16), kNone, M::sat | M::ftz},
    {set(f64), set(f32), kNone, M::sat | M::ftz},
    // Exact, whatever the rounding.
    {set(f64), set(bf16), kReal | kNone, 0},
    {set(f32), set(bf16), kReal | kNone, M::ftz},
    {set(tf32), set(f32), kNearestOrZero, 0, M::relu | M::satfinite},
    {set(tf32), set(f32), roundings(Rounding::rna), M::satfinite},
    {set(f16x2, bf16x2), set(f32), kNearestOrZero, 0, M::relu | M::satfinite},
    {set(f16x2, bf16x2), set(f32), roundings(Rounding::rs), M::relu | M::satfinite},
    {set(f16x2), set(e4m3x2, e5m2x2), kNearest, M::relu},
    {set(e4m3x2, e5m2x2), set(f32, f16x2), kNearest, M::relu | M::satfinite, 0, M::satfinite},
};

/// Formats that only targets above those that the device runs by itself have; check_target() refuses them
/// there.
constexpr TypeSet kNewer = set(ue8m0x2, e2m1x2, e2m3x2, e3m2x2, e4m3x4, e5m2x4, e2m1x4, e2m3x4, e3m2x4);

constexpr struct {
  std::uint32_t bit;
  const char* name;
} kNames[] = {{M::ftz, "ftz"}, {M::sat, "sat"}, {M::relu, "relu"}, {M::satfinite, "satfinite"}};

bool is_signed(Type type) {
  return type == s8 || type == s16 || type == s32 || type == s64;
}

/// Whether some value of one integer type is none of the other's.
bool can_overflow(Type to, Type from) {
  if (is_signed(from) && !is_signed(to)) return true;
  return is_signed(to) && !is_signed(from) ? size_of(to) <= size_of(from) : size_of(to) < size_of(from);
}

[[noreturn]] void refuse(std::uint32_t line, std::string_view what) {
  fail(line, fmt::format("{} for instruction 'cvt'", what));
}

void check_modifiers(const Instruction& in, const Conversion& row, std::uint32_t line) {
  const bool finite = (in.modifiers & row.finite) != 0;
  const bool rounds = in.rounding == Rounding::rn || in.rounding == Rounding::rz;
  const bool is_integer = (bit(in.types[0]) & kInt) != 0 && (bit(in.types[1]) & kInt) != 0;
  for (const auto& [modifier, name] : kNames) {
    if (!in.has(modifier)) {
      if ((row.needs & modifier) == 0) continue;
      fail(line, fmt::format("'.{}' modifier required for instruction 'cvt' with destination type '.{}'",
                             name, name_of(in.types[0])));
    }
    bool takes = ((finite ? row.finite : row.modifiers | row.finite) & modifier) != 0;
    if (finite && !rounds) takes = false;
    if (is_integer && modifier == M::sat && !can_overflow(in.types[0], in.types[1])) takes = false;
    if (!takes) refuse(line, fmt::format("Illegal modifier '.{}'", name));
  }
}

void check_packing(const Instruction& in, std::uint32_t line) {
  const auto is = [&](std::string_view word) {
    return std::find(in.rest.begin(), in.rest.end(), word) != in.rest.end();
  };
  const bool of_two_bits = is("u2") || is("s2");
  const Type to = in.types[0];
  const bool narrow = to == u8 || to == s8 || to == u4 || to == s4;
  const bool fits = of_two_bits ? in.type_count == 2 && to == s32 && in.types[1] == b32
                    : narrow    ? in.type_count == 3 && in.types[1] == s32 && in.types[2] == b32
                                : in.type_count == 2 && (to == u16 || to == s16) && in.types[1] == s32;
  if (!fits || in.rounding != Rounding::none) {
    fail(line, "Unexpected instruction types specified for 'cvt.pack'");
  }
  if (in.modifiers != M::sat) fail(line, ".sat modifier required for instruction 'cvt.pack'");
}

}  // namespace

void check_conversion(const Instruction& in, std::uint32_t line) {
  const auto is = [&](std::string_view word) {
    return std::find(in.rest.begin(), in.rest.end(), word) != in.rest.end();
  };
  if (is("pack")) return check_packing(in, line);
  if (is("u2") || is("s2") || in.type_count != 2) {
    const bool of_newer = in.type_count > 2 && ((bit(in.types[0]) | bit(in.types[1])) & kNewer) != 0;
    if (!of_newer) fail(line, "Unexpected instruction types specified for 'cvt'");
  }
  const TypeSet to = bit(in.types[0]), from = bit(in.types[1]);
  if (((to | from) & kNewer) != 0) return;
  const std::uint32_t rounding = 1u << static_cast<unsigned>(in.rounding);
  const Conversion* found = nullptr;
  for (const Conversion& row : kConversions) {
    if ((row.to & to) == 0 || (row.from & from) == 0) continue;
    found = &row;
    if ((row.roundings & rounding) != 0) return check_modifiers(in, row, line);
  }
  if (found == nullptr) fail(line, "Unexpected instruction types specified for 'cvt'");
  refuse(line, in.rounding == Rounding::none ? "Rounding modifier required" : "Illegal rounding modifier");
}

void check_conversion_target(const Instruction& in, const Module& module) {
  constexpr int kNewTarget = 100;
  if (module.target_sm >= kNewTarget) return;
  if (in.rounding == Rounding::rs) {
    fail(in.line, fmt::format("Feature '.rs' not supported on .target '{}'", module.target));
  }
  for (const Type type : {in.types[0], in.types[1]}) {
    if (type == none || (bit(type) & kNewer) == 0) continue;
    fail(in.line, fmt::format("Instruction 'cvt with .{}' not supported on .target '{}'", name_of(type),
                              module.target));
  }
  if (in.types[0] == tf32 && in.has(M::satfinite) && in.rounding != Rounding::rna) {
    fail(in.line, fmt::format("Modifier '.satfinite' on 'cvt.tf32.f32.{}' requires .target sm_100 or higher",
                              in.rounding == Rounding::rn ? "rn" : "rz"));
  }
}

/// How many operands the conversion has: one value, or two or four that are packed, and bits that round.
std::size_t conversion_operands(const Instruction& in) {
  const auto is = [&](std::string_view word) {
    return std::find(in.rest.begin(), in.rest.end(), word) != in.rest.end();
  };
  if (is("pack")) return in.type_count == 3 || is("u2") || is("s2") ? 4 : 3;
  const bool packs = in.types[1] == f32 && size_of(in.types[0]) <= size_of(f32) && in.types[0] != tf32 &&
                     ((bit(in.types[0]) & (kNewer | set(f16x2, bf16x2, e4m3x2, e5m2x2))) != 0);
  constexpr TypeSet kOfFour = set(e4m3x4, e5m2x4, e2m1x4, e2m3x4, e3m2x4);
  const bool of_four = (bit(in.types[0]) & kOfFour) != 0;  // in braces, one operand
  return 2 + (packs && !of_four ? 1 : 0) + (in.rounding == Rounding::rs ? 1 : 0) +
         (is("scaled::n2::ue8m0") ? 1 : 0);
}

}  // namespace tare::cpu::ptx::detail
