// Expressions over every type and operator, as data: made at random, evaluated as C++ does, and traced.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "tare/jit.hpp"

namespace tare::expressions {

using Number = std::variant<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, unsigned,
                            std::int64_t, std::uint64_t, float, double>;
inline constexpr std::size_t kTypes = std::variant_size_v<Number>;

template <class V>
struct ValuesOf;
template <class... T>
struct ValuesOf<std::variant<T...>> {
  using type = std::variant<Value<T>...>;
};
using Traced = ValuesOf<Number>::type;

enum class Kind { input, constant, cast, unary, binary, select };
enum Unary { plus, minus, complement, negation, kUnaries };
enum Binary {
  add,
  sub,
  mul,
  div_,
  rem,
  and_,
  or_,
  xor_,
  shl,
  shr,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  both,
  either,
  least,
  most,
  kBinaries
};

struct Expression {
  Kind kind = Kind::input;
  std::size_t which = 0;  // operation, or type
  Number constant;
  std::vector<Expression> children;
};

/// An operation that floating-point numbers lack is another one for them.
template <class T>
Binary for_type(std::size_t which) {
  const auto operation = static_cast<Binary>(which);
  return std::floating_point<T> && operation >= rem && operation <= shr ? static_cast<Binary>(which % 4)
                                                                        : operation;
}

/// Calls `make` with a value of the type with this number.
template <class Make, std::size_t... type>
auto with_type(std::size_t which, Make&& make, std::index_sequence<type...>) {
  std::optional<decltype(make(bool{}))> made;
  ((which == type ? (void)made.emplace(make(std::variant_alternative_t<type, Number>{})) : void()), ...);
  return *made;
}
template <class Make>
auto with_type(std::size_t which, Make&& make) {
  return with_type(which, std::forward<Make>(make), std::make_index_sequence<kTypes>());
}

/// What is compared: an integer's value, a floating-point number's bits.
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
std::uint64_t bits_of(const Number& number);
Value<std::uint64_t> bits_of(const Traced& value);
/// The same bits; of a NaN only that it is one.
bool agrees(const Number& expected, std::uint64_t got);

/// What the trees give in C++, with the results of docs/jit.md where C++ gives none; nothing where a signed
/// sum, difference or product of any of them overflowed, whose value is not promised.
std::optional<std::vector<Number>> on_host(const std::vector<Expression>& trees,
                                           const std::vector<Number>& inputs);
/// Records the expression in the current trace.
Traced traced(const Expression& e, const std::vector<Traced>& inputs);

/// A number of the type with this number: a special one, any bits, or some size.
Number any_number_of(std::size_t type, std::mt19937_64& random);
std::vector<Expression> make_trees(std::uint64_t seed, int count);
void show(const Expression& e, std::ostream& out);

}  // namespace tare::expressions
