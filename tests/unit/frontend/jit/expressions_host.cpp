// What expressions give in C++, without what C++ leaves undefined.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "expressions.hpp"

namespace tare::expressions {
namespace {

template <class T>
using Bits = std::make_unsigned_t<std::conditional_t<std::integral<T> && !std::same_as<T, bool>, T, int>>;

__extension__ using Exact = __int128;

/// Set where a signed sum, difference or product overflowed.
thread_local bool overflowed = false;

/// The result of an operation whose exact value is `exact`, wrapped.
template <class T>
T wrapped(T value, Exact exact) {
  overflowed |= std::is_signed_v<T> && exact != Exact{value};
  return value;
}

template <class To, class From>
To host_cast(From x) {
  if constexpr (std::floating_point<From> && std::integral<To> && !std::same_as<To, bool>) {
    // By way of int, as smaller integers are; saturated, and NaN by the rule of the machine.
    using Wide = std::conditional_t<(sizeof(To) >= 4), To, int>;
    using Limits = std::numeric_limits<Wide>;
    if (x != x) {
      const bool zero = sizeof(Wide) == 4 && sizeof(From) == 4;
      const Wide highest_bit = static_cast<Wide>(Bits<Wide>{1} << (sizeof(Wide) * 8 - 1));
      return static_cast<To>(zero ? Wide{0} : highest_bit);
    }
    const From low = static_cast<From>(Limits::min()), above = std::ldexp(From{1}, Limits::digits);
    if (x >= above) return static_cast<To>(Limits::max());
    if (x < low) return static_cast<To>(Limits::min());
    return static_cast<To>(static_cast<Wide>(x));
  } else if constexpr (std::same_as<To, bool>) {
    return x != From{};
  } else {
    return static_cast<To>(x);
  }
}

template <class T>
T host_divide(T a, T b, bool remainder) {
  if (b == 0) return remainder ? a : static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return remainder ? T{0} : static_cast<T>(0 - static_cast<Bits<T>>(a));
  return remainder ? static_cast<T>(a % b) : static_cast<T>(a / b);
}

template <class T>
T host_least(T a, T b, bool most) {
  if constexpr (std::floating_point<T>) {
    if (a == 0 && b == 0) return std::signbit(a) != most ? a : b;  // -0 is below 0
    return most ? std::fmax(a, b) : std::fmin(a, b);
  }
  return most ? std::max(a, b) : std::min(a, b);
}

template <class A, class B>
Number host_binary(std::size_t which, A x, B y) {
  using T = decltype(x + y);
  const T a = static_cast<T>(x), b = static_cast<T>(y);
  const Binary operation = for_type<T>(which);
  switch (operation) {
    case eq:
      return a == b;
    case ne:
      return a != b;
    case lt:
      return a < b;
    case le:
      return a <= b;
    case gt:
      return a > b;
    case ge:
      return a >= b;
    case both:
      return host_cast<bool>(x) && host_cast<bool>(y);
    case either:
      return host_cast<bool>(x) || host_cast<bool>(y);
    case least:
      return host_least(a, b, false);
    case most:
      return host_least(a, b, true);
    default:
      break;
  }
  if constexpr (std::floating_point<T>) {
    return operation == add ? a + b : operation == sub ? a - b : operation == mul ? a * b : a / b;
  } else {
    const auto u = static_cast<Bits<T>>(a), v = static_cast<Bits<T>>(b);
    using Left = decltype(+x);
    const auto count = static_cast<unsigned>(static_cast<std::uint64_t>(y)) % (sizeof(Left) * 8);
    switch (operation) {
      case add:
        return wrapped(static_cast<T>(u + v), Exact{a} + Exact{b});
      case sub:
        return wrapped(static_cast<T>(u - v), Exact{a} - Exact{b});
      case mul:
        return wrapped(static_cast<T>(u * v), Exact{a} * Exact{b});
      case div_:
        return host_divide(a, b, false);
      case rem:
        return host_divide(a, b, true);
      case and_:
        return static_cast<T>(a & b);
      case or_:
        return static_cast<T>(a | b);
      case xor_:
        return static_cast<T>(a ^ b);
      case shl:
        return wrapped(static_cast<Left>(static_cast<Bits<Left>>(x) << count), Exact{x} << count);
      default:
        return static_cast<Left>(static_cast<Left>(x) >> count);
    }
  }
}

template <class A>
Number host_unary(std::size_t which, A x) {
  using T = decltype(+x);
  switch (static_cast<Unary>(which)) {
    case negation:
      return !host_cast<bool>(x);
    case minus:
      if constexpr (std::floating_point<T>)
        return -x;
      else
        return wrapped(static_cast<T>(0 - static_cast<Bits<T>>(x)), -Exact{x});
    case complement:
      if constexpr (std::integral<T>) return static_cast<T>(~static_cast<T>(x));
      [[fallthrough]];
    default:
      return static_cast<T>(x);
  }
}

Number host(const Expression& e, const std::vector<Number>& inputs) {
  const auto child = [&](std::size_t i) { return host(e.children[i], inputs); };
  switch (e.kind) {
    case Kind::input:
      return inputs[e.which];
    case Kind::constant:
      return e.constant;
    case Kind::cast:
      return with_type(e.which, [&]<class To>(To) {
        return std::visit([](auto x) -> Number { return host_cast<To>(x); }, child(0));
      });
    case Kind::unary:
      return std::visit([&](auto x) { return host_unary(e.which, x); }, child(0));
    case Kind::binary:
      return std::visit([&](auto x, auto y) { return host_binary(e.which, x, y); }, child(0), child(1));
    case Kind::select:
      break;
  }
  const bool yes = std::visit([](auto c) { return host_cast<bool>(c); }, child(0));
  return std::visit(
      [&](auto x, auto y) -> Number {
        using T = std::remove_cvref_t<decltype(true ? x : y)>;
        return yes ? static_cast<T>(x) : static_cast<T>(y);
      },
      child(1), child(2));
}

}  // namespace

std::optional<std::vector<Number>> on_host(const std::vector<Expression>& trees,
                                           const std::vector<Number>& inputs) {
  overflowed = false;
  std::vector<Number> values;
  for (const Expression& tree : trees) values.push_back(host(tree, inputs));
  if (overflowed) return std::nullopt;
  return values;
}

std::uint64_t bits_of(const Number& number) {
  return std::visit(
      [](auto x) -> std::uint64_t {
        if constexpr (std::floating_point<decltype(x)>)
          return std::bit_cast<BitsOf<decltype(x)>>(x);
        else
          return static_cast<std::uint64_t>(x);
      },
      number);
}

bool agrees(const Number& expected, std::uint64_t got) {
  return std::visit(
      [&](auto x) {
        using T = decltype(x);
        if constexpr (std::floating_point<T>)
          if (std::isnan(x)) return std::isnan(std::bit_cast<T>(static_cast<BitsOf<T>>(got)));
        return got == bits_of(expected);
      },
      expected);
}

}  // namespace tare::expressions
