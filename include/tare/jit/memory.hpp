// What a traced kernel reads and writes: its array arguments, arrays of the block and of the thread, and
// variables.
#pragma once

#include <array>
#include <utility>

#include "tare/jit/operators.hpp"

namespace tare {

/// What `array[index]` is: the element's value as it was there, and the place to write to. A copy of it is a
/// copy of the value, as in C++: `auto t = a[i]; a[i] = a[j]; a[j] = t;` swaps.
template <class T>
class Element {
 public:
  using value_type = std::remove_const_t<T>;

  explicit Element(detail::Node place) : place_(place), value_(detail::load(place)) {}
  Element(const Element&) = default;

  operator Value<value_type>() const { return Value<value_type>(value_); }  // NOLINT: implicit on purpose
  /// Never compile: they say why there is no such number, and no such element.
  operator value_type() const { return detail::plain_number<value_type>(); }
  template <detail::Operand I>
  Element operator[](const I&) const {
    static_assert(detail::kNever<I>,
                  "this array has one index: write array[y * width + x]; a tare::shared_array<T, 16, 16> or "
                  "local_array of several extents has tile[y][x]");
    return *this;
  }

  /// Writes, and gives the value written.
  template <detail::Operand U>
  Value<value_type> operator=(const U& value) const&& {
    static_assert(!std::is_const_v<T>,
                  "this array is const in the kernel: pass a DeviceSpan of a type that is not const");
    const Value<value_type> converted(detail::value_of(value));
    detail::store(place_, converted.node());
    return converted;
  }
  Value<value_type> operator=(const Element& value) const&& {
    return std::move(*this).template operator=<Value<value_type>>(value);
  }
  template <detail::Operand U>
  void operator=(const U&) const& {
    static_assert(detail::kNever<U>,
                  "this is a copy of an element: write to array[index] itself, or make a variable with "
                  "tare::var(...)");
  }
  void operator=(const Element&) const& {
    static_assert(detail::kNever<T>,
                  "this is a copy of an element: write to array[index] itself, or make a variable with "
                  "tare::var(...)");
  }

  /// For atomics.
  detail::Node place() const noexcept { return place_; }

 private:
  detail::Node place_, value_;
};

/// A variable of each thread; made with tare::var. A copy is another variable, as in C++.
template <class T>
class Variable {
 public:
  template <detail::Operand U>
  explicit Variable(const U& initial) : place_(detail::local_memory(detail::scalar_of<T>(), 1)) {
    *this = initial;
  }
  Variable(const Variable& other) : Variable(Value<T>(other)) {}

  /// Its value at this point.
  operator Value<T>() const { return Value<T>(detail::load(place_)); }  // NOLINT: implicit on purpose
  /// Never compiles: says why there is no such number.
  operator T() const { return detail::plain_number<T>(); }
  template <detail::Operand U>
  Variable& operator=(const U& value) {
    detail::store(place_, detail::node_as<T>(value));
    return *this;
  }
  Variable& operator=(const Variable& other) { return *this = Value<T>(other); }

 private:
  detail::Node place_;
};

/// A variable of the initial value's type, or of the type named: `tare::var(0.0f)`,
/// `tare::var<double>(a[i])`.
template <detail::Operand U>
Variable<detail::operand_t<U>> var(const U& initial, const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return Variable<detail::operand_t<U>>(initial);
}
template <class T, detail::Operand U>
Variable<T> var(const U& initial, const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return Variable<T>(initial);
}

namespace detail {

/// An index as the machine wants it, 64 bits wide, and its line.
class Index {
 public:
  template <Operand I>
  Index(const I& index, const Where& where = Where::current()) {  // NOLINT: implicit on purpose
    static_assert(std::integral<operand_t<I>>, "an array's index is an integer");
    using Wide = std::conditional_t<std::is_signed_v<operand_t<I>>, std::int64_t, std::uint64_t>;
    at_line(where);
    node_ = node_as<Wide>(index);
  }
  Node node() const noexcept { return node_; }

 private:
  Node node_{};
};

}  // namespace detail

/// An array argument of the kernel: a DeviceSpan<T> on the host's side.
template <class T>
class ArrayArgument {
 public:
  ArrayArgument(detail::Node begin, Value<std::size_t> size) : begin_(begin), size_(size) {}

  /// Number of elements.
  Value<std::size_t> size() const { return size_; }
  detail::Node begin() const noexcept { return begin_; }
  Element<T> operator[](detail::Index index) const {
    detail::check_index(begin_, index.node(), size_.node());
    return Element<T>(detail::element(begin_, index.node()));
  }

 private:
  detail::Node begin_;
  Value<std::size_t> size_;
};

/// An array whose extents are known when the kernel is traced; `array[y][x]` where it has two.
template <class T, std::size_t... extents>
class FixedArray;

template <class T, std::size_t extent>
class FixedArray<T, extent> {
 public:
  explicit FixedArray(detail::Node begin) : begin_(begin) {}
  static constexpr std::size_t size() { return extent; }
  detail::Node begin() const noexcept { return begin_; }
  Element<T> operator[](detail::Index index) const {
    detail::check_index(begin_, index.node(), extent);
    return Element<T>(detail::element(begin_, index.node()));
  }

 private:
  detail::Node begin_;
};

template <class T, std::size_t extent, std::size_t... rest>
requires(sizeof...(rest) > 0) class FixedArray<T, extent, rest...> {
 public:
  explicit FixedArray(detail::Node begin) : begin_(begin) {}
  static constexpr std::size_t size() { return extent; }
  detail::Node begin() const noexcept { return begin_; }
  FixedArray<T, rest...> operator[](detail::Index index) const {
    detail::check_index(begin_, index.node(), extent);
    const Value<std::int64_t> row =
        Value<std::int64_t>(index.node()) * static_cast<std::int64_t>((rest * ...));
    return FixedArray<T, rest...>(detail::element(begin_, row.node()));
  }

 private:
  detail::Node begin_;
};

/// `__shared__ T name[extents]...`: one array for all threads of the block, its elements not initialised.
/// Throws Error(argument) where the kernel's would have more than 48 KiB together.
template <class T, std::size_t... extents>
FixedArray<T, extents...> shared_array(const detail::Where& where = detail::Where::current()) {
  static_assert(sizeof...(extents) > 0 && ((extents > 0) && ...), "an array needs extents: <float, 16, 16>");
  static_assert((static_cast<double>(extents) * ... * 1.0) < 0x1p40, "no device has that much memory");
  detail::at_line(where);
  return FixedArray<T, extents...>(detail::shared_memory(detail::scalar_of<T>(), (extents * ...)));
}

/// `T name[extents]...`: an array of each thread, its elements not initialised. Throws Error(argument) for
/// more than 512 KiB.
template <class T, std::size_t... extents>
FixedArray<T, extents...> local_array(const detail::Where& where = detail::Where::current()) {
  static_assert(sizeof...(extents) > 0 && ((extents > 0) && ...), "an array needs extents: <float, 16>");
  static_assert((static_cast<double>(extents) * ... * 1.0) < 0x1p40, "no device has that much memory");
  detail::at_line(where);
  return FixedArray<T, extents...>(detail::local_memory(detail::scalar_of<T>(), (extents * ...)));
}

/// `extern __shared__ T name[]`: what the launch gave as dynamic_shared_bytes, the same memory every time.
/// `size` is the launch's, for size(); a launch that gives fewer bytes than a size that is known while
/// tracing throws Error(argument).
template <class T, detail::Operand N>
ArrayArgument<T> dynamic_shared_array(const N& size, const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  const auto count = cast<std::size_t>(size);
  return ArrayArgument<T>(detail::dynamic_shared_memory(detail::scalar_of<T>(), count.node()), count);
}

/// A table that is part of the kernel.
template <class T, std::size_t count>
FixedArray<const T, count> constant_array(const std::array<T, count>& elements,
                                          const detail::Where& where = detail::Where::current()) {
  static_assert(count > 0 && !std::same_as<T, bool>, "a table of constants has numbers in it");
  detail::at_line(where);
  return FixedArray<const T, count>(
      detail::constant_memory(detail::scalar_of<T>(), std::as_bytes(std::span(elements)), where));
}

namespace detail {

template <class X>
inline constexpr bool kIsElement = false;
template <class T>
inline constexpr bool kIsElement<Element<T>> = true;

/// What compound assignment writes to: a variable by name, or an element as `array[index]` itself.
template <class X>
concept Assignable = kIsVariable<std::remove_cvref_t<X>> || kIsElement<std::remove_cvref_t<X>>;

}  // namespace detail

namespace detail {

template <class X>
inline constexpr bool kIsValue = false;
template <class T>
inline constexpr bool kIsValue<Value<T>> = true;

/// What looks like a variable of the kernel and is none: a plain C++ one, and a value.
template <class X>
concept NotAssignable = Plain<std::remove_cvref_t<X>> || kIsValue<std::remove_cvref_t<X>>;

template <class X>
void refuse_assignment() {
  static_assert(
      kNever<X>,
      "this is no variable of the kernel: a plain C++ variable lives while the kernel is traced, and a "
      "value does not change; make it one with auto x = tare::var(0.0f)");
}

}  // namespace detail

// clang-format off
// These never compile: they say what to write.
template <detail::NotAssignable A, detail::Operand B> requires detail::Operands<std::remove_cvref_t<A>, B>
void operator+=(A&&, const B&) { detail::refuse_assignment<A>(); }
template <detail::NotAssignable A, detail::Operand B> requires detail::Operands<std::remove_cvref_t<A>, B>
void operator-=(A&&, const B&) { detail::refuse_assignment<A>(); }
template <detail::NotAssignable A, detail::Operand B> requires detail::Operands<std::remove_cvref_t<A>, B>
void operator*=(A&&, const B&) { detail::refuse_assignment<A>(); }
template <detail::NotAssignable A, detail::Operand B> requires detail::Operands<std::remove_cvref_t<A>, B>
void operator/=(A&&, const B&) { detail::refuse_assignment<A>(); }
template <detail::NotAssignable A, detail::Operand B> requires detail::Operands<std::remove_cvref_t<A>, B>
void operator%=(A&&, const B&) { detail::refuse_assignment<A>(); }
template <detail::NotAssignable A, detail::Operand B> requires detail::Operands<std::remove_cvref_t<A>, B>
void operator&=(A&&, const B&) { detail::refuse_assignment<A>(); }
template <detail::NotAssignable A, detail::Operand B> requires detail::Operands<std::remove_cvref_t<A>, B>
void operator|=(A&&, const B&) { detail::refuse_assignment<A>(); }
template <detail::NotAssignable A, detail::Operand B> requires detail::Operands<std::remove_cvref_t<A>, B>
void operator^=(A&&, const B&) { detail::refuse_assignment<A>(); }
template <detail::NotAssignable A, detail::Operand B> requires detail::Operands<std::remove_cvref_t<A>, B>
void operator<<=(A&&, const B&) { detail::refuse_assignment<A>(); }
template <detail::NotAssignable A, detail::Operand B> requires detail::Operands<std::remove_cvref_t<A>, B>
void operator>>=(A&&, const B&) { detail::refuse_assignment<A>(); }

template <detail::Assignable A, detail::Operand B>
decltype(auto) operator+=(A&& a, const B& b) { return std::forward<A>(a) = a + b; }
template <detail::Assignable A, detail::Operand B>
decltype(auto) operator-=(A&& a, const B& b) { return std::forward<A>(a) = a - b; }
template <detail::Assignable A, detail::Operand B>
decltype(auto) operator*=(A&& a, const B& b) { return std::forward<A>(a) = a * b; }
template <detail::Assignable A, detail::Operand B>
decltype(auto) operator/=(A&& a, const B& b) { return std::forward<A>(a) = a / b; }
template <detail::Assignable A, detail::Operand B>
decltype(auto) operator%=(A&& a, const B& b) { return std::forward<A>(a) = a % b; }
template <detail::Assignable A, detail::Operand B>
decltype(auto) operator&=(A&& a, const B& b) { return std::forward<A>(a) = a & b; }
template <detail::Assignable A, detail::Operand B>
decltype(auto) operator|=(A&& a, const B& b) { return std::forward<A>(a) = a | b; }
template <detail::Assignable A, detail::Operand B>
decltype(auto) operator^=(A&& a, const B& b) { return std::forward<A>(a) = a ^ b; }
template <detail::Assignable A, detail::Operand B>
decltype(auto) operator<<=(A&& a, const B& b) { return std::forward<A>(a) = a << b; }
template <detail::Assignable A, detail::Operand B>
decltype(auto) operator>>=(A&& a, const B& b) { return std::forward<A>(a) = a >> b; }

template <detail::Assignable A>
decltype(auto) operator++(A&& a) { return std::forward<A>(a) = a + 1; }
template <detail::Assignable A>
decltype(auto) operator--(A&& a) { return std::forward<A>(a) = a - 1; }
template <detail::Assignable A>
auto operator++(A&& a, int) { auto before = detail::value_of(a); std::forward<A>(a) = a + 1; return before; }
template <detail::Assignable A>
auto operator--(A&& a, int) { auto before = detail::value_of(a); std::forward<A>(a) = a - 1; return before; }
// clang-format on

}  // namespace tare
