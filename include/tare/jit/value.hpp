// A value in a traced kernel, and how it mixes with plain C++ numbers: by C++'s own conversions.
#pragma once

#include <bit>
#include <cstring>

#include "tare/jit/trace.hpp"

namespace tare {

template <class T>
class Element;  // memory.hpp
template <class T>
class Variable;  // memory.hpp

namespace detail {

/// Where C++ would make a plain number of a kernel's value: never compiles.
template <class T>
T plain_number() {
  static_assert(
      kNever<T>,
      "a kernel's value is not known while the kernel is traced, so it is no plain number: write auto "
      "(or tare::var) in place of int or float, also for a lambda's parameters; tare::if_ and "
      "tare::select in place of if, switch and ?:; tare::sqrt, tare::min in place of std's; tare::cast<T>(x) "
      "to "
      "convert; tare::local_array in place of an array that it is the index of");
  return T{};
}

}  // namespace detail

/// One value that each thread of the kernel has. It does not change: a variable is made with tare::var. Plain
/// numbers become constants of the kernel.
template <class T>
class Value {
  static_assert(detail::ScalarType<T>,
                "a value in a kernel is a bool, an integer of at most 64 bits, a float, a double or a half");

 public:
  using type = T;

  explicit Value(detail::Node node) : node_(node) {}
  /// A constant, converted to T as C++ does.
  template <class U>
  requires detail::Plain<U> Value(U constant)
      : node_(make_constant(detail::plain_cast<T>(constant))) {}  // NOLINT: implicit on purpose
  /// Converted as C++ does.
  template <class U>
  requires(!std::same_as<T, U>) Value(const Value<U>& other)  // NOLINT: implicit on purpose
      : node_(detail::convert(detail::scalar_of<U>(), detail::scalar_of<T>(), other.node())) {}
  Value(const Value&) = default;

  Value& operator=(const Value&) {
    static_assert(detail::kNever<T>,
                  "a value in a kernel does not change: make it a variable with tare::var(...)");
    return *this;
  }
  explicit(!std::same_as<T, bool>) operator bool() const {
    static_assert(detail::kNever<T>,
                  "this is not known while the kernel is traced: use tare::if_, tare::while_, tare::for_ or "
                  "tare::select in place of if, while, for and ?:");
    return false;
  }
  /// Never compiles: says why there is no such number.
  operator T() const requires(!std::same_as<T, bool>) { return detail::plain_number<T>(); }

  detail::Node node() const noexcept { return node_; }

 private:
  static detail::Node make_constant(T constant) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &constant, sizeof constant);
    return detail::constant(detail::scalar_of<T>(), bits);
  }
  detail::Node node_;
};

namespace detail {

/// What stands for a value in a kernel: a plain number, a Value, an array's element, a variable.
template <class X>
struct OperandType {};
template <class X>
requires Plain<X>
struct OperandType<X> {
  using type = X;
};
template <class T>
struct OperandType<Value<T>> {
  using type = T;
};
template <class T>
struct OperandType<Element<T>> {
  using type = std::remove_const_t<T>;
};
template <class T>
struct OperandType<Variable<T>> {
  using type = T;
};

template <class X>
concept Operand = requires {
  typename OperandType<X>::type;
};
template <class X>
concept Symbolic = Operand<X> && !Plain<X>;
template <class X>
inline constexpr bool kIsVariable = false;
template <class T>
inline constexpr bool kIsVariable<Variable<T>> = true;
/// At least one of them belongs to the kernel.
template <class... X>
concept Operands = (Operand<X> && ...) && (Symbolic<X> || ...);

/// The C++ type that the operand stands for.
template <Operand X>
using operand_t = typename OperandType<X>::type;

/// The common type of two numbers, by the usual arithmetic conversions; a half's rank is below float's and
/// above the integers', as std::float16_t's of C++23.
template <class A, class B>
struct Common {
  using type = decltype(A{} + B{});
};
template <class B>
struct Common<half, B> {
  using type = std::conditional_t<std::floating_point<B>, B, half>;
};
template <class A>
requires(!std::same_as<A, half>) struct Common<A, half> {
  using type = std::conditional_t<std::floating_point<A>, A, half>;
};
template <class A, class B>
using common_t = typename Common<operand_t<A>, operand_t<B>>::type;
/// What ?: gives: equal types are not promoted.
template <class A, class B>
using choice_t = std::conditional_t<std::same_as<operand_t<A>, operand_t<B>>, operand_t<A>, common_t<A, B>>;

template <Operand X>
Value<operand_t<X>> value_of(const X& x) {
  return x;
}
/// The operand as T, converted as C++ does.
template <class T, Operand X>
Node node_as(const X& x) {
  if constexpr (Plain<X>)
    return Value<T>(x).node();
  else
    return Value<T>(value_of(x)).node();
}

}  // namespace detail

/// The operand's value at this point, as T: static_cast<T> of the kernel.
template <class T, detail::Operand X>
Value<T> cast(const X& x) {
  return Value<T>(detail::value_of(x));
}

/// The same bits as another type of the same size.
template <class T, detail::Operand X>
Value<T> bit_cast(const X& x) {
  using From = detail::operand_t<X>;
  static_assert(sizeof(T) == sizeof(From), "tare::bit_cast is between types of one size");
  static_assert(!std::same_as<T, bool> && !std::same_as<From, bool>, "a bool has no bits to look at");
  return Value<T>(detail::bit_cast(detail::scalar_of<T>(), detail::value_of(x).node()));
}

/// `condition ? yes : no`, with both evaluated.
template <class C, class A, class B>
requires detail::Operands<C, A, B>
auto select(const C& condition, const A& yes, const B& no) {
  using Type = detail::choice_t<A, B>;
  const detail::Node when = detail::node_as<bool>(condition), a = detail::node_as<Type>(yes),
                     b = detail::node_as<Type>(no);
  return Value<Type>(detail::select(detail::scalar_of<Type>(), when, a, b));
}

}  // namespace tare
