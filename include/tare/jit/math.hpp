// Functions of numbers in a kernel. Where CUDA C++ has the function, the result has the same bits: it is the
// same instruction, or the same code of NVIDIA's device library.
#pragma once

#include "tare/jit/operators.hpp"

namespace tare {
namespace detail {

/// What C++'s <cmath> computes in: float for floats, double for everything else; half for halves.
template <class... A>
using math_t =
    std::conditional_t<(std::same_as<operand_t<A>, half> && ...), half,
                       std::conditional_t<(std::same_as<operand_t<A>, float> && ...), float, double>>;

template <class... A>
auto math_of(std::string_view name, const Where& where, const A&... arguments) {
  at_line(where);
  using T = math_t<A...>;
  return Value<T>(
      Value<computed_t<T>>(math(name, scalar_of<computed_t<T>>(), {computed_node<T>(arguments)...}, where)));
}

/// An instruction on 32 or 64 bits that counts or moves them.
template <class Result, class X>
Value<Result> bits_of(const char* text32, const char* text64, const X& x, const Where& where) {
  using T = promoted_t<X>;
  static_assert(std::integral<T>, "this function looks at the bits of an integer");
  const bool wide = sizeof(T) == 8;
  at_line(where);
  return Value<Result>(
      instruction({.text = wide ? text64 : text32, .result = scalar_of<Result>()}, {node_as<T>(x)}));
}

}  // namespace detail

// One instruction each, and there without NVIDIA's device library.
// clang-format off
template <detail::Symbolic X> auto sqrt(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("sqrt", where, x); }
template <detail::Symbolic X> auto floor(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("floor", where, x); }
template <detail::Symbolic X> auto ceil(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("ceil", where, x); }
template <detail::Symbolic X> auto trunc(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("trunc", where, x); }
template <detail::Symbolic X> auto rint(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("rint", where, x); }
template <detail::Symbolic X> auto fabs(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("fabs", where, x); }
template <class X, class Y> requires detail::Operands<X, Y>
auto fmin(const X& x, const Y& y, const detail::Where& where = detail::Where::current()) { return detail::math_of("fmin", where, x, y); }
template <class X, class Y> requires detail::Operands<X, Y>
auto fmax(const X& x, const Y& y, const detail::Where& where = detail::Where::current()) { return detail::math_of("fmax", where, x, y); }
template <class X, class Y> requires detail::Operands<X, Y>
auto copysign(const X& x, const Y& y, const detail::Where& where = detail::Where::current()) { return detail::math_of("copysign", where, x, y); }
template <class X, class Y, class Z> requires detail::Operands<X, Y, Z>
auto fma(const X& x, const Y& y, const Z& z, const detail::Where& where = detail::Where::current()) {
  static_assert(!std::same_as<detail::math_t<X, Y, Z>, half>,
                "fma of halves would round twice: cast to float or double first");
  return detail::math_of("fma", where, x, y, z);
}

// In NVIDIA's device library.
template <detail::Symbolic X> auto round(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("round", where, x); }
template <detail::Symbolic X> auto rsqrt(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("rsqrt", where, x); }
template <detail::Symbolic X> auto cbrt(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("cbrt", where, x); }
template <detail::Symbolic X> auto exp(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("exp", where, x); }
template <detail::Symbolic X> auto exp2(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("exp2", where, x); }
template <detail::Symbolic X> auto exp10(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("exp10", where, x); }
template <detail::Symbolic X> auto expm1(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("expm1", where, x); }
template <detail::Symbolic X> auto log(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("log", where, x); }
template <detail::Symbolic X> auto log2(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("log2", where, x); }
template <detail::Symbolic X> auto log10(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("log10", where, x); }
template <detail::Symbolic X> auto log1p(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("log1p", where, x); }
template <detail::Symbolic X> auto sin(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("sin", where, x); }
template <detail::Symbolic X> auto cos(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("cos", where, x); }
template <detail::Symbolic X> auto tan(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("tan", where, x); }
template <detail::Symbolic X> auto asin(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("asin", where, x); }
template <detail::Symbolic X> auto acos(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("acos", where, x); }
template <detail::Symbolic X> auto atan(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("atan", where, x); }
template <detail::Symbolic X> auto sinh(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("sinh", where, x); }
template <detail::Symbolic X> auto cosh(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("cosh", where, x); }
template <detail::Symbolic X> auto tanh(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("tanh", where, x); }
template <detail::Symbolic X> auto asinh(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("asinh", where, x); }
template <detail::Symbolic X> auto acosh(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("acosh", where, x); }
template <detail::Symbolic X> auto atanh(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("atanh", where, x); }
template <detail::Symbolic X> auto erf(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("erf", where, x); }
template <detail::Symbolic X> auto erfc(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("erfc", where, x); }
template <detail::Symbolic X> auto tgamma(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("tgamma", where, x); }
template <detail::Symbolic X> auto lgamma(const X& x, const detail::Where& where = detail::Where::current()) { return detail::math_of("lgamma", where, x); }
template <class X, class Y> requires detail::Operands<X, Y>
auto pow(const X& x, const Y& y, const detail::Where& where = detail::Where::current()) { return detail::math_of("pow", where, x, y); }
template <class X, class Y> requires detail::Operands<X, Y>
auto atan2(const X& x, const Y& y, const detail::Where& where = detail::Where::current()) { return detail::math_of("atan2", where, x, y); }
template <class X, class Y> requires detail::Operands<X, Y>
auto fmod(const X& x, const Y& y, const detail::Where& where = detail::Where::current()) { return detail::math_of("fmod", where, x, y); }
template <class X, class Y> requires detail::Operands<X, Y>
auto hypot(const X& x, const Y& y, const detail::Where& where = detail::Where::current()) { return detail::math_of("hypot", where, x, y); }

/// Of any two numbers, in their common type: integers are compared, floating-point numbers as fmin and fmax do.
template <class X, class Y> requires detail::Operands<X, Y>
auto min(const X& x, const Y& y, const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  using T = detail::common_t<X, Y>;
  if constexpr (!std::integral<T>) return fmin(cast<T>(x), cast<T>(y), where);
  else { const Value<T> a = cast<T>(x), b = cast<T>(y); return select(b < a, b, a); }
}
template <class X, class Y> requires detail::Operands<X, Y>
auto max(const X& x, const Y& y, const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  using T = detail::common_t<X, Y>;
  if constexpr (!std::integral<T>) return fmax(cast<T>(x), cast<T>(y), where);
  else { const Value<T> a = cast<T>(x), b = cast<T>(y); return select(a < b, b, a); }
}
/// Of any number; the lowest integer is its own, as it has no positive counterpart.
template <detail::Symbolic X>
auto abs(const X& x, const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  using T = detail::promoted_t<X>;
  if constexpr (!std::integral<T>) return fabs(x, where);
  else { const Value<T> a = cast<T>(x); return select(a < T{0}, -a, a); }
}

/// Ones in an integer; zeros before its highest one (its width for 0); its bits in reverse.
template <detail::Symbolic X> Value<int> popc(const X& x, const detail::Where& where = detail::Where::current()) { return detail::bits_of<int>("popc.b32 $0, $1;", "popc.b64 $0, $1;", x, where); }
template <detail::Symbolic X> Value<int> clz(const X& x, const detail::Where& where = detail::Where::current()) { return detail::bits_of<int>("clz.b32 $0, $1;", "clz.b64 $0, $1;", x, where); }
template <detail::Symbolic X> auto brev(const X& x, const detail::Where& where = detail::Where::current()) { return detail::bits_of<detail::promoted_t<X>>("brev.b32 $0, $1;", "brev.b64 $0, $1;", x, where); }
/// Where the lowest one is, counted from 1; 0 where there is none.
template <detail::Symbolic X>
Value<int> ffs(const X& x, const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  using T = detail::promoted_t<X>;
  const Value<T> a = cast<T>(x);
  return select(a == T{0}, 0, static_cast<int>(sizeof(T) * 8) - clz(a & -a, where));
}

/// The upper half of the product of two 32- or 64-bit integers, in their common type.
template <class X, class Y> requires detail::Operands<X, Y>
auto mul_hi(const X& x, const Y& y, const detail::Where& where = detail::Where::current()) {
  using T = detail::common_t<X, Y>;
  static_assert(std::integral<T>, "mul_hi is for integers");
  constexpr bool wide = sizeof(T) == 8;
  const char* text = std::is_signed_v<T> ? (wide ? "mul.hi.s64 $0, $1, $2;" : "mul.hi.s32 $0, $1, $2;")
                                         : (wide ? "mul.hi.u64 $0, $1, $2;" : "mul.hi.u32 $0, $1, $2;");
  detail::at_line(where);
  const detail::Node a = detail::node_as<T>(x), b = detail::node_as<T>(y);
  return Value<T>(detail::instruction({.text = text, .result = detail::scalar_of<T>()}, {a, b}));
}
// clang-format on

namespace detail {

template <class L, class H, class C>
Value<unsigned> funnel_shift(const char* text, const L& low, const H& high, const C& count,
                             const Where& where) {
  static_assert(std::same_as<operand_t<L>, unsigned> && std::same_as<operand_t<H>, unsigned> &&
                    std::integral<operand_t<C>>,
                "a funnel shift is of two unsigned");
  at_line(where);
  const Node a = node_as<unsigned>(low), b = node_as<unsigned>(high), n = node_as<unsigned>(count);
  return Value<unsigned>(instruction({.text = text, .result = Scalar::u32}, {a, b, n}));
}

}  // namespace detail

/// `high:low` shifted left, its upper 32 bits; and shifted right, its lower 32. The count is taken modulo 32:
/// __funnelshift_l and __funnelshift_r.
template <class L, class H, class C>
requires detail::Operands<L, H, C> Value<unsigned> funnel_shift_left(
    const L& low, const H& high, const C& count, const detail::Where& where = detail::Where::current()) {
  return detail::funnel_shift("shf.l.wrap.b32 $0, $1, $2, $3;", low, high, count, where);
}
template <class L, class H, class C>
requires detail::Operands<L, H, C> Value<unsigned> funnel_shift_right(
    const L& low, const H& high, const C& count, const detail::Where& where = detail::Where::current()) {
  return detail::funnel_shift("shf.r.wrap.b32 $0, $1, $2, $3;", low, high, count, where);
}

}  // namespace tare
