// Random expressions over every type and operator: what a traced kernel computes is what the same expression
// gives in C++, with the results of docs/jit.md where C++ gives none.
#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <variant>

#include "fixture.hpp"

#ifdef TARE_HAVE_RAPIDCHECK
#include <rapidcheck.h>

namespace tare {
namespace {

using Number = std::variant<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, unsigned,
                            std::int64_t, std::uint64_t, float, double>;
constexpr std::size_t kTypes = std::variant_size_v<Number>;
constexpr std::size_t kRows = 32;  // of input values, a thread each

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

// What the operations give in C++, without what C++ leaves undefined.

template <class T>
using Bits = std::make_unsigned_t<std::conditional_t<std::integral<T> && !std::same_as<T, bool>, T, int>>;

__extension__ using Exact = __int128;

/// Set where a signed sum, difference or product overflowed: its value is not promised (docs/jit.md).
bool overflowed = false;

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

/// An operation that floating-point numbers lack is another one for them.
template <class T>
Binary for_type(std::size_t which) {
  const auto operation = static_cast<Binary>(which);
  return std::floating_point<T> && operation >= rem && operation <= shr ? static_cast<Binary>(which % 4)
                                                                        : operation;
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

/// What is compared: an integer's value, a floating-point number's bits.
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

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

/// The same bits; of a NaN only that it is one.
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

// Making expressions.

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

Number any_number_of(std::size_t type, std::mt19937_64& random) {
  return with_type(type, [&]<class T>(T) -> Number { return any_number<T>(random); });
}

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

/// Each kernel runs once: the CPU device need not optimise it, nor keep it. (Heeded where no earlier test of
/// the same process has loaded the driver.)
struct RunOnce {
  fixtures::ScopedEnvironment environment{
      fixtures::ScopedEnvironment::Changes{{"TARE_CPU_OPT", "0"}, {"CUDA_CACHE_DISABLE", "1"}}};
};

class JitExpressions : private RunOnce, public fixtures::JitTest {
 protected:
  JitExpressions() {
    setenv("RC_PARAMS", "seed=20261202", 0);  // the same trees every time, unless others are asked for
    std::mt19937_64 random(20261202);
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t type = 0; type < kTypes; ++type) rows_[row].push_back(any_number_of(type, random));
  }

  /// The elements of all rows that have this type.
  template <std::size_t type>
  Buffer column() const {
    using T = std::variant_alternative_t<type, Number>;
    std::vector<std::array<std::byte, sizeof(T)>> elements;
    for (const auto& row : rows_)
      elements.push_back(std::bit_cast<std::array<std::byte, sizeof(T)>>(std::get<type>(row[type])));
    return buffer(elements);
  }

  template <std::size_t... type>
  std::vector<std::uint64_t> on_device(const std::vector<Expression>& trees, JitCompiler compiler,
                                       std::index_sequence<type...>) const {
    JitOptions options;
    options.set_strict_fp();
    options.compiler = compiler;
    const auto kernel = jit(
        [&](auto out, auto... columns) {
          const auto i = thread_index().x;
          const std::vector<Traced> inputs{Traced(detail::value_of(columns[i]))...};
          std::vector<Value<std::uint64_t>>
              results;  // first all, because an input is not read anew after a write
          for (const Expression& tree : trees) results.push_back(bits_of(traced(tree, inputs)));
          // In halves: ptxas 13.0 takes the bits of a float made of a truth value, widened to 64 bits, for 1.
          for (std::size_t tree = 0; tree < trees.size(); ++tree) {
            const auto element = (i + static_cast<unsigned>(tree * kRows)) * 2u;
            out[element] = cast<std::uint32_t>(results[tree]);
            out[element + 1u] = cast<std::uint32_t>(results[tree] >> 32);
          }
        },
        options);
    const Buffer columns[] = {column<type>()...};
    const Buffer out = buffer(std::vector<std::uint64_t>(trees.size() * kRows));
    kernel({1, kRows, stream_}, device_span<std::uint32_t>(out),
           device_span<const std::variant_alternative_t<type, Number>>(columns[type])...);
    return read<std::uint64_t>(out);
  }

  /// The first tree and row in which kernel and host differ.
  struct Difference {
    std::size_t tree, row;
    std::uint64_t got, expected;
  };
  std::optional<Difference> difference(const std::vector<Expression>& trees, JitCompiler compiler) const {
    const auto got = on_device(trees, compiler, std::make_index_sequence<kTypes>());
    for (std::size_t row = 0; row < kRows; ++row) {
      // What overflows is undefined for the whole thread: libNVVM concludes from -x that x is not the lowest
      // number, and uses it wherever x stands.
      overflowed = false;
      std::vector<Number> expected;
      for (const Expression& tree : trees) expected.push_back(host(tree, rows_[row]));
      if (overflowed) continue;
      compared_ += trees.size();
      for (std::size_t tree = 0; tree < trees.size(); ++tree)
        if (const std::uint64_t bits = got[tree * kRows + row]; !agrees(expected[tree], bits))
          return Difference{tree, row, bits, bits_of(expected[tree])};
    }
    return std::nullopt;
  }

  /// Fails with the smallest part of the first tree that differs, where one does.
  void check(const std::vector<Expression>& trees, JitCompiler compiler) const {
    auto found = difference(trees, compiler);
    if (!found) return;
    Expression tree = trees[found->tree];
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (const Expression& child : std::vector<Expression>(tree.children))
        if (const auto in_child = difference({child}, compiler)) {
          found = in_child;
          tree = child;
          smaller = true;
          break;
        }
    }
    std::ostringstream text;
    if (const auto alone = difference({tree}, compiler))
      found = alone;
    else
      text << "(only among the other trees of its kernel) ";
    show(tree, text);
    for (std::size_t type = 0; type < kTypes; ++type)
      std::visit([&](auto x) { text << (type == 0 ? "\n  inputs " : ", ") << +x; }, rows_[found->row][type]);
    text << std::hex << "\n  the kernel has " << found->got << ", C++ " << found->expected;
    RC_FAIL(text.str());
  }

  /// 100 times as many kernels, unless RC_PARAMS says otherwise.
  bool all_agree(int kernels, int trees, JitCompiler compiler) const {
    return rc::check([&] {
      for (int kernel = 0; kernel < kernels; ++kernel)
        check(make_trees(*rc::gen::noShrink(rc::gen::inRange<std::uint64_t>(0, 1ull << 62)), trees),
              compiler);
    });
  }

  std::array<std::vector<Number>, kRows> rows_;
  mutable std::size_t compared_ = 0;  // values of trees
};

TEST_F(JitExpressions, AHundredThousandTreesAreWhatTheyAreInCpp) {
  TARE_NEEDS(nvvm);
  EXPECT_TRUE(all_agree(10, 100, JitCompiler::libnvvm));
  EXPECT_GT(compared_, 100000u);
}

TEST_F(JitExpressions, ThreeThousandTreesAreTheSameWithClang) {
  TARE_NEEDS(clang);
  EXPECT_TRUE(all_agree(1, 30, JitCompiler::clang));
}

}  // namespace
}  // namespace tare
#else
TEST(JitExpressions, AHundredThousandTreesAreWhatTheyAreInCpp) {
  GTEST_SKIP() << "rapidcheck was not found when the tests were configured";
}
#endif
