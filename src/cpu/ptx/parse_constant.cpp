// Literals and constant expressions, by precedence climbing, with C's operators over 64-bit integers
// (PTX ISA 4.6). Floating-point constants take a sign and nothing else.
#include <fmt/format.h>

#include "cpu/ptx/parser_state.hpp"

namespace tare::cpu::ptx::detail {

namespace {

constexpr int kDeepestNesting = 200;
constexpr int kConditional = 1;

int precedence_of(char symbol) {
  switch (symbol) {
    case '?':
      return kConditional;
    case kLogicalOr:
      return 2;
    case kLogicalAnd:
      return 3;
    case '|':
      return 4;
    case '^':
      return 5;
    case '&':
      return 6;
    case kEqual:
    case kNotEqual:
      return 7;
    case '<':
    case '>':
    case kLessEqual:
    case kGreaterEqual:
      return 8;
    case kShiftLeft:
    case kShiftRight:
      return 9;
    case '+':
    case '-':
      return 10;
    case '*':
    case '/':
    case '%':
      return 11;
    default:
      return 0;
  }
}

std::uint64_t divide(const Constant& a, const Constant& b, bool is_unsigned, bool remainder) {
  if (is_unsigned) return remainder ? a.bits % b.bits : a.bits / b.bits;
  const auto x = static_cast<std::int64_t>(a.bits);
  const auto y = static_cast<std::int64_t>(b.bits);
  if (y == -1) return remainder ? 0 : 0 - a.bits;  // the smallest value has no positive twin
  return static_cast<std::uint64_t>(remainder ? x % y : x / y);
}

std::uint64_t shift(const Constant& a, std::uint64_t by, bool left) {
  if (left) return by > 63 ? 0 : a.bits << by;
  if (a.is_unsigned) return by > 63 ? 0 : a.bits >> by;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(a.bits) >> (by > 63 ? 63 : by));
}

bool less(const Constant& a, const Constant& b, bool is_unsigned) {
  return is_unsigned ? a.bits < b.bits
                     : static_cast<std::int64_t>(a.bits) < static_cast<std::int64_t>(b.bits);
}

Constant truth(bool value) {
  return {false, false, false, value ? 1u : 0u};
}

Constant apply(char symbol, const Constant& a, const Constant& b) {
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  const auto same = [&](std::uint64_t bits) { return Constant{false, false, is_unsigned, bits}; };
  switch (symbol) {
    case '+':
      return same(a.bits + b.bits);
    case '-':
      return same(a.bits - b.bits);
    case '*':
      return same(a.bits * b.bits);
    case '/':
      return same(divide(a, b, is_unsigned, false));
    case '%':
      return same(divide(a, b, is_unsigned, true));
    case '&':
      return same(a.bits & b.bits);
    case '|':
      return same(a.bits | b.bits);
    case '^':
      return same(a.bits ^ b.bits);
    case kShiftLeft:
      return {false, false, a.is_unsigned, shift(a, b.bits, true)};
    case kShiftRight:
      return {false, false, a.is_unsigned, shift(a, b.bits, false)};
    case '<':
      return truth(less(a, b, is_unsigned));
    case '>':
      return truth(less(b, a, is_unsigned));
    case kLessEqual:
      return truth(!less(b, a, is_unsigned));
    case kGreaterEqual:
      return truth(!less(a, b, is_unsigned));
    case kEqual:
      return truth(a.bits == b.bits);
    case kNotEqual:
      return truth(a.bits != b.bits);
    case kLogicalAnd:
      return truth(a.bits != 0 && b.bits != 0);
    default:
      return truth(a.bits != 0 || b.bits != 0);
  }
}

}  // namespace

bool Parser::starts_constant() const {
  return token_.kind == Token::Kind::integer || token_.kind == Token::Kind::real || token_.is('(') ||
         token_.is('-') || token_.is('+') || token_.is('~') || token_.is('!') || token_.is_word("WARP_SZ");
}

Constant Parser::unary() {
  if (++nesting_ > kDeepestNesting) fail(token_.line, "Constant expression is nested too deeply");
  Constant value;
  if (token_.is('-') || token_.is('+') || token_.is('~') || token_.is('!')) {
    const char symbol = token_.symbol;
    advance();
    value = unary();
    if (value.is_real) {
      if (symbol != '-' && symbol != '+') syntax();
      if (symbol == '-') value.bits ^= std::uint64_t{1} << (value.is_f32 ? 31 : 63);
    } else if (symbol == '-') {
      value.bits = 0 - value.bits;
      value.is_unsigned = false;
    } else if (symbol == '~') {
      value.bits = ~value.bits;
    } else if (symbol == '!') {
      value = truth(value.bits == 0);
    }
  } else if (token_.is('(')) {
    advance();
    if (token_.is_dot("s64") || token_.is_dot("u64")) {
      const bool is_unsigned = token_.is_dot("u64");
      advance();
      expect(')');
      value = unary();
      if (value.is_real) syntax();
      value.is_unsigned = is_unsigned;
    } else {
      value = constant();
      expect(')');
    }
  } else if (token_.kind == Token::Kind::integer || token_.kind == Token::Kind::real) {
    value = {token_.kind == Token::Kind::real, token_.is_f32, token_.is_unsigned, token_.value};
    advance();
  } else if (token_.is_word("WARP_SZ")) {
    value.bits = 32;
    advance();
  } else {
    syntax();
  }
  --nesting_;
  return value;
}

Constant Parser::constant(int precedence) {
  if (++nesting_ > kDeepestNesting) fail(token_.line, "Constant expression is nested too deeply");
  Constant left = unary();
  while (token_.kind == Token::Kind::punctuation) {
    const char symbol = token_.symbol;
    const int binds = precedence_of(symbol);
    if (binds == 0 || binds <= precedence) break;
    if (left.is_real) syntax();
    const std::uint32_t line = token_.line;
    advance();
    if (binds == kConditional) {
      const Constant yes = constant();
      expect(':');
      const Constant no = constant(kConditional - 1);
      if (yes.is_real || no.is_real) syntax();
      left = left.bits != 0 ? yes : no;
      continue;
    }
    const Constant right = constant(binds);
    if (right.is_real) syntax();
    if ((symbol == '/' || symbol == '%') && right.bits == 0)
      fail(line, "Division by zero in constant expression");
    left = apply(symbol, left, right);
  }
  --nesting_;
  return left;
}

}  // namespace tare::cpu::ptx::detail
