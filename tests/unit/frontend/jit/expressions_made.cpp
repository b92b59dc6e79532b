// Expressions and numbers at random, and how an expression is shown.
#include <bit>
#include <limits>
#include <ostream>

#include "expressions.hpp"

namespace tare::expressions {
namespace {

template <class T>
T any_number(std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  const auto bits = random();
  if constexpr (std::same_as<T, bool>)
    return bits % 2 != 0;
  else if constexpr (std::floating_point<T>) {
    constexpr T kSpecial[] = {T{0},
                              -T{0},
                              T{1},
                              -T{1},
                              Limits::infinity(),
                              -Limits::infinity(),
                              Limits::quiet_NaN(),
                              Limits::denorm_min(),
                              Limits::max(),
                              Limits::min(),
                              T(2147483648.0),
                              T(-9.3e18),
                              T(0.1)};
    switch (bits % 4) {
      case 0:
        return kSpecial[(bits >> 8) % std::size(kSpecial)];
      case 1:
        return std::bit_cast<T>(
            static_cast<std::conditional_t<sizeof(T) == 4, unsigned, std::uint64_t>>(random()));
      default:
        return static_cast<T>(static_cast<std::int64_t>(random()) >> (bits >> 8) % 64) / T(8);
    }
  } else {
    constexpr T kSpecial[] = {T{0}, T{1}, static_cast<T>(-1), Limits::min(), Limits::max(), T{31}, T{64}};
    if (bits % 3 == 0) return kSpecial[(bits >> 8) % std::size(kSpecial)];
    return static_cast<T>(random() >> (bits >> 8) % 64);
  }
}

}  // namespace

Number any_number_of(std::size_t type, std::mt19937_64& random) {
  return with_type(type, [&]<class T>(T) -> Number { return any_number<T>(random); });
}

namespace {

/// Constants stand beside inputs alone, and are no NaNs: libNVVM 13.0 folds NaN != NaN to false where both
/// are constants.
Expression make(std::mt19937_64& random, int depth, bool may_be_constant = false) {
  const auto upto = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  Expression e;
  const std::size_t dice = upto(16);
  if (depth == 0 || dice == 0) {
    e.kind = may_be_constant && upto(2) == 0 ? Kind::constant : Kind::input;
    e.which = upto(kTypes);
    if (e.kind == Kind::constant) do
        e.constant = any_number_of(e.which, random);
      while (std::visit([](auto x) { return x != x; }, e.constant));
    return e;
  }
  e.kind = dice < 4 ? Kind::cast : dice < 6 ? Kind::unary : dice < 7 ? Kind::select : Kind::binary;
  e.which = upto(e.kind == Kind::cast    ? kTypes
                 : e.kind == Kind::unary ? std::size_t{kUnaries}
                                         : std::size_t{kBinaries});
  const int children = e.kind == Kind::select ? 3 : e.kind == Kind::binary ? 2 : 1;
  const int with_input = static_cast<int>(upto(static_cast<std::size_t>(children)));
  for (int i = 0; i < children; ++i) e.children.push_back(make(random, depth - 1, i != with_input));
  return e;
}

}  // namespace

std::vector<Expression> make_trees(std::uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  std::vector<Expression> trees;
  for (int i = 0; i < count; ++i) trees.push_back(make(random, 1 + static_cast<int>(random() % 4)));
  return trees;
}

void show(const Expression& e, std::ostream& out) {
  constexpr const char* kTypeNames[] = {"bool", "i8",  "u8",  "i16", "u16", "i32",
                                        "u32",  "i64", "u64", "f32", "f64"};
  constexpr const char* kUnaryNames[] = {"+", "-", "~", "!"};
  constexpr const char* kBinaryNames[] = {"+",  "-",  "*", "/",  "%", "&",  "|",  "^",  "<<",  ">>",
                                          "==", "!=", "<", "<=", ">", ">=", "&&", "||", "min", "max"};
  switch (e.kind) {
    case Kind::input:
      out << "in_" << kTypeNames[e.which];
      return;
    case Kind::constant:
      std::visit([&](auto x) { out << kTypeNames[e.which] << "{" << +x << "}"; }, e.constant);
      return;
    case Kind::cast:
      out << kTypeNames[e.which];
      break;
    case Kind::unary:
      out << kUnaryNames[e.which];
      break;
    case Kind::binary:
      out << kBinaryNames[e.which];
      break;
    case Kind::select:
      out << "select";
      break;
  }
  for (std::size_t i = 0; i < e.children.size(); ++i) {
    out << (i == 0 ? "(" : ", ");
    show(e.children[i], out);
  }
  out << ")";
}

}  // namespace tare::expressions
