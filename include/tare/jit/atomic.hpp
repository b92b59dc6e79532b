// Atomic operations on an element of an array: `tare::atomic_add(counts[bin], 1)`. Each gives the value from
// before; their order is relaxed and their scope the device, as CUDA C++'s.
#pragma once

#include "tare/jit/memory.hpp"

namespace tare {
namespace detail {

template <Atomic operation, class T>
constexpr bool has_atomic() {
  using Plain = std::remove_const_t<T>;
  const bool wide_enough = sizeof(Plain) == 4 || sizeof(Plain) == 8;
  if (operation == Atomic::add && std::same_as<Plain, half>) return true;
  if (operation == Atomic::add || operation == Atomic::exchange) return wide_enough;
  return wide_enough && std::integral<Plain>;
}

/// `auto`, so that it is instantiated where it is called: only then does clang name the kernel's line.
template <Atomic operation, class T, class U>
auto atomic_on(const Element<T>& element, const U& operand, const Where& where) {
  at_line(where);
  static_assert(!std::is_const_v<T>, "this array is const in the kernel: its elements cannot be written to");
  static_assert(has_atomic<operation, T>(),
                "atomic operations are on integers of 32 and 64 bits; atomic_add and atomic_exchange also on "
                "float and double, "
                "atomic_add on half");
  return Value<std::remove_const_t<T>>(atomic(operation, element.place(), node_as<T>(operand)));
}

}  // namespace detail

// clang-format off
template <class T, detail::Operand U>
auto atomic_add(const Element<T>& element, const U& operand, const detail::Where& where = detail::Where::current()) { return detail::atomic_on<detail::Atomic::add>(element, operand, where); }
template <class T, detail::Operand U>
auto atomic_min(const Element<T>& element, const U& operand, const detail::Where& where = detail::Where::current()) { return detail::atomic_on<detail::Atomic::minimum>(element, operand, where); }
template <class T, detail::Operand U>
auto atomic_max(const Element<T>& element, const U& operand, const detail::Where& where = detail::Where::current()) { return detail::atomic_on<detail::Atomic::maximum>(element, operand, where); }
template <class T, detail::Operand U>
auto atomic_and(const Element<T>& element, const U& operand, const detail::Where& where = detail::Where::current()) { return detail::atomic_on<detail::Atomic::bit_and>(element, operand, where); }
template <class T, detail::Operand U>
auto atomic_or(const Element<T>& element, const U& operand, const detail::Where& where = detail::Where::current()) { return detail::atomic_on<detail::Atomic::bit_or>(element, operand, where); }
template <class T, detail::Operand U>
auto atomic_xor(const Element<T>& element, const U& operand, const detail::Where& where = detail::Where::current()) { return detail::atomic_on<detail::Atomic::bit_xor>(element, operand, where); }
template <class T, detail::Operand U>
auto atomic_exchange(const Element<T>& element, const U& operand, const detail::Where& where = detail::Where::current()) { return detail::atomic_on<detail::Atomic::exchange>(element, operand, where); }
// clang-format on

/// Subtraction of integers.
template <class T, detail::Operand U>
auto atomic_sub(const Element<T>& element, const U& operand,
                const detail::Where& where = detail::Where::current()) {
  static_assert(std::integral<std::remove_const_t<T>>, "atomic_sub is for integers: add the negative");
  return atomic_add(element, cast<std::remove_const_t<T>>(0 - cast<std::remove_const_t<T>>(operand)), where);
}

/// Counts up from 0 to `highest` and then from 0 again: atomicInc, of unsigned 32-bit numbers.
template <class T, detail::Operand U>
auto atomic_inc(const Element<T>& element, const U& highest,
                const detail::Where& where = detail::Where::current()) {
  static_assert(std::same_as<std::remove_const_t<T>, unsigned>, "atomic_inc is for unsigned");
  return detail::atomic_on<detail::Atomic::increment>(element, highest, where);
}
/// Counts down from `highest` to 0 and then from `highest` again: atomicDec.
template <class T, detail::Operand U>
auto atomic_dec(const Element<T>& element, const U& highest,
                const detail::Where& where = detail::Where::current()) {
  static_assert(std::same_as<std::remove_const_t<T>, unsigned>, "atomic_dec is for unsigned");
  return detail::atomic_on<detail::Atomic::decrement>(element, highest, where);
}

/// Writes `desired` where the element equals `expected`.
template <class T, detail::Operand C, detail::Operand U>
Value<std::remove_const_t<T>> atomic_compare_exchange(const Element<T>& element, const C& expected,
                                                      const U& desired,
                                                      const detail::Where& where = detail::Where::current()) {
  static_assert(!std::is_const_v<T>, "this array is const in the kernel: its elements cannot be written to");
  static_assert(detail::has_atomic<detail::Atomic::compare_exchange, T>(),
                "atomic_compare_exchange is on 32- and 64-bit integers");
  detail::at_line(where);
  const detail::Node compare = detail::node_as<T>(expected), value = detail::node_as<T>(desired);
  return Value<T>(detail::atomic(detail::Atomic::compare_exchange, element.place(), value, &compare));
}

}  // namespace tare
