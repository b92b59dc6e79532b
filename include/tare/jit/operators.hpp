// C++'s operators over values in a kernel, with C++'s result types (the usual arithmetic conversions).
#pragma once

#include <utility>

#include "tare/jit/value.hpp"

namespace tare {
namespace detail {

template <class T>
struct Promoted {
  using type = decltype(+T{});
};
template <>
struct Promoted<half> {
  using type = half;
};
template <class A>
using promoted_t = typename Promoted<operand_t<A>>::type;

/// What an operation on T is computed in: that on halves in float, whose result, rounded once more, is the
/// exact one's nearest half (24 bits are enough for 11: Figueroa 1995).
template <class T>
using computed_t = std::conditional_t<std::same_as<T, half>, float, T>;
/// The operand as T, in the type that an operation on T is computed in.
template <class T, class X>
Node computed_node(const X& x) {
  return Value<computed_t<T>>(Value<T>(node_as<T>(x))).node();
}

template <Binary operation, class A, class B>
auto arithmetic(const A& a, const B& b) {
  using T = common_t<A, B>;
  constexpr bool integers_only = operation == Binary::remainder || operation == Binary::bit_and ||
                                 operation == Binary::bit_or || operation == Binary::bit_xor;
  static_assert(!integers_only || std::integral<T>,
                "%, &, | and ^ are for integers: use tare::fmod, or tare::bit_cast to an integer first");
  const Node left = computed_node<T>(a), right = computed_node<T>(b);
  return Value<T>(Value<computed_t<T>>(binary(operation, scalar_of<computed_t<T>>(), left, right)));
}

template <Binary operation, class A, class B>
auto shift(const A& a, const B& b) {
  static_assert(std::integral<operand_t<A>> && std::integral<operand_t<B>>, "<< and >> are for integers");
  using T = promoted_t<A>;
  const Node left = node_as<T>(a), right = node_as<T>(b);
  return Value<T>(binary(operation, scalar_of<T>(), left, right));
}

template <Binary operation, class A, class B>
Value<bool> comparison(const A& a, const B& b) {
  using T = common_t<A, B>;
  const Node left = computed_node<T>(a), right = computed_node<T>(b);
  return Value<bool>(binary(operation, scalar_of<computed_t<T>>(), left, right));
}

template <class A, class B>
Value<bool> logical_of(bool is_and, const A& a, const B& b) {
  if constexpr (Plain<A>) {
    // Known now: either it decides, or the right side does.
    if (plain_cast<bool>(a) != is_and) return !is_and;
    return cast<bool>(b);
  } else if constexpr (kIsVariable<A>) {
    const Node left = node_as<bool>(a), right = node_as<bool>(b);
    return Value<bool>(logical(is_and, left, right, nullptr));
  } else {
    const auto evaluated = value_of(a);
    const Node since = evaluated.node(), left = node_as<bool>(evaluated), right = node_as<bool>(b);
    return Value<bool>(logical(is_and, left, right, &since));
  }
}

}  // namespace detail

// clang-format off
template <class A, class B> requires detail::Operands<A, B>
auto operator+(const A& a, const B& b) { return detail::arithmetic<detail::Binary::add>(a, b); }
template <class A, class B> requires detail::Operands<A, B>
auto operator-(const A& a, const B& b) { return detail::arithmetic<detail::Binary::subtract>(a, b); }
template <class A, class B> requires detail::Operands<A, B>
auto operator*(const A& a, const B& b) { return detail::arithmetic<detail::Binary::multiply>(a, b); }
/// Integers: a quotient by 0 has all bits set, the lowest number divided by -1 is itself (docs/jit.md).
template <class A, class B> requires detail::Operands<A, B>
auto operator/(const A& a, const B& b) { return detail::arithmetic<detail::Binary::divide>(a, b); }
/// The remainder of a division by 0 is the dividend, of one by -1 it is 0.
template <class A, class B> requires detail::Operands<A, B>
auto operator%(const A& a, const B& b) { return detail::arithmetic<detail::Binary::remainder>(a, b); }
template <class A, class B> requires detail::Operands<A, B>
auto operator&(const A& a, const B& b) { return detail::arithmetic<detail::Binary::bit_and>(a, b); }
template <class A, class B> requires detail::Operands<A, B>
auto operator|(const A& a, const B& b) { return detail::arithmetic<detail::Binary::bit_or>(a, b); }
template <class A, class B> requires detail::Operands<A, B>
auto operator^(const A& a, const B& b) { return detail::arithmetic<detail::Binary::bit_xor>(a, b); }
/// The count is taken modulo the width of the promoted left side, here and in >>.
template <class A, class B> requires detail::Operands<A, B>
auto operator<<(const A& a, const B& b) { return detail::shift<detail::Binary::shift_left>(a, b); }
template <class A, class B> requires detail::Operands<A, B>
auto operator>>(const A& a, const B& b) { return detail::shift<detail::Binary::shift_right>(a, b); }

template <class A, class B> requires detail::Operands<A, B>
auto operator==(const A& a, const B& b) { return detail::comparison<detail::Binary::equal>(a, b); }
template <class A, class B> requires detail::Operands<A, B>
auto operator!=(const A& a, const B& b) { return detail::comparison<detail::Binary::not_equal>(a, b); }
template <class A, class B> requires detail::Operands<A, B>
auto operator<(const A& a, const B& b) { return detail::comparison<detail::Binary::less>(a, b); }
template <class A, class B> requires detail::Operands<A, B>
auto operator<=(const A& a, const B& b) { return detail::comparison<detail::Binary::less_equal>(a, b); }
template <class A, class B> requires detail::Operands<A, B>
auto operator>(const A& a, const B& b) { return detail::comparison<detail::Binary::greater>(a, b); }
template <class A, class B> requires detail::Operands<A, B>
auto operator>=(const A& a, const B& b) { return detail::comparison<detail::Binary::greater_equal>(a, b); }

/// As in C++, what the right side reads is read only where the left one does not decide. A right side that does more
/// than read (an atomic, a shuffle, a store in a lambda) throws Error(argument) while tracing: use tare::if_.
template <class A, class B> requires detail::Operands<A, B>
Value<bool> operator&&(const A& a, const B& b) { return detail::logical_of(true, a, b); }
template <class A, class B> requires detail::Operands<A, B>
Value<bool> operator||(const A& a, const B& b) { return detail::logical_of(false, a, b); }

template <detail::Symbolic A>
auto operator+(const A& a) { return cast<detail::promoted_t<A>>(a); }
template <detail::Symbolic A>
auto operator-(const A& a) {
  using T = detail::promoted_t<A>;
  using Computed = detail::computed_t<T>;
  return Value<T>(Value<Computed>(
      detail::unary(detail::Unary::negate, detail::scalar_of<Computed>(), detail::computed_node<T>(a))));
}
template <detail::Symbolic A>
auto operator~(const A& a) {
  static_assert(std::integral<detail::operand_t<A>>, "~ is for integers");
  using T = detail::promoted_t<A>;
  return Value<T>(detail::unary(detail::Unary::bit_not, detail::scalar_of<T>(), detail::node_as<T>(a)));
}
template <detail::Symbolic A>
Value<bool> operator!(const A& a) {
  return Value<bool>(detail::unary(detail::Unary::logical_not, detail::Scalar::boolean, detail::node_as<bool>(a)));
}
// clang-format on

}  // namespace tare
