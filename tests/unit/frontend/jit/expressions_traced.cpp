// Expressions as a kernel's.
#include "expressions.hpp"

namespace tare::expressions {
namespace {

template <class A, class B>
Traced traced_binary(std::size_t which, const Value<A>& a, const Value<B>& b) {
  using T = decltype(A{} + B{});
  const Binary operation = for_type<T>(which);
  switch (operation) {
    case add:
      return a + b;
    case sub:
      return a - b;
    case mul:
      return a * b;
    case div_:
      return a / b;
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
      return a && b;
    case either:
      return a || b;
    case least:
      return min(a, b);
    case most:
      return max(a, b);
    default:
      break;
  }
  if constexpr (std::integral<T>) {
    switch (operation) {
      case rem:
        return a % b;
      case and_:
        return a & b;
      case or_:
        return a | b;
      case xor_:
        return a ^ b;
      case shl:
        return a << b;
      default:
        return a >> b;
    }
  }
  return a + b;
}

template <class A>
Traced traced_unary(std::size_t which, const Value<A>& a) {
  switch (static_cast<Unary>(which)) {
    case negation:
      return !a;
    case minus:
      return -a;
    case complement:
      if constexpr (std::integral<A>) return ~a;
      [[fallthrough]];
    default:
      return +a;
  }
}

}  // namespace

Traced traced(const Expression& e, const std::vector<Traced>& inputs) {
  const auto child = [&](std::size_t i) { return traced(e.children[i], inputs); };
  switch (e.kind) {
    case Kind::input:
      return inputs[e.which];
    case Kind::constant:
      return std::visit([](auto x) -> Traced { return Value<decltype(x)>(x); }, e.constant);
    case Kind::cast:
      return with_type(e.which, [&]<class To>(To) {
        return std::visit([](const auto& x) -> Traced { return cast<To>(x); }, child(0));
      });
    case Kind::unary:
      return std::visit([&](const auto& x) { return traced_unary(e.which, x); }, child(0));
    case Kind::binary: {
      const Traced left = child(0), right = child(1);
      return std::visit([&](const auto& x, const auto& y) { return traced_binary(e.which, x, y); }, left,
                        right);
    }
    case Kind::select:
      break;
  }
  const Traced condition = child(0), yes = child(1), no = child(2);
  const Value<bool> when = std::visit([](const auto& c) { return cast<bool>(c); }, condition);
  return std::visit([&](const auto& x, const auto& y) -> Traced { return select(when, x, y); }, yes, no);
}

Value<std::uint64_t> bits_of(const Traced& value) {
  return std::visit(
      []<class T>(const Value<T>& x) -> Value<std::uint64_t> {
        if constexpr (std::floating_point<T>)
          return bit_cast<BitsOf<T>>(x);
        else
          return cast<std::uint64_t>(x);
      },
      value);
}

}  // namespace tare::expressions
