// The exact arithmetic against the processor's own, in every rounding mode the processor has.
#include "cpu/codegen/soft_float.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <random>
#include <vector>

namespace tare::cpu::codegen::soft {
namespace {

template <typename Float>
struct Traits;
template <>
struct Traits<float> {
  using Bits = std::uint32_t;
  static constexpr Format kFormat = kF32;
};
template <>
struct Traits<double> {
  using Bits = std::uint64_t;
  static constexpr Format kFormat = kF64;
};

struct Mode {
  Direction direction;
  int host;
};
const Mode kModes[] = {{Direction::nearest, FE_TONEAREST},
                       {Direction::zero, FE_TOWARDZERO},
                       {Direction::down, FE_DOWNWARD},
                       {Direction::up, FE_UPWARD}};

/// Limits, subnormals, neighbours of powers of two, and random bits.
template <typename Float>
std::vector<Float> operands() {
  using Bits = typename Traits<Float>::Bits;
  constexpr Format format = Traits<Float>::kFormat;
  const Bits one = static_cast<Bits>(format.bias()) << format.fraction_bits;
  const Bits least_normal = Bits{1} << format.fraction_bits;
  const Bits infinity = ((Bits{1} << format.exponent_bits) - 1) << format.fraction_bits;
  std::vector<Bits> bits = {0,
                            1,
                            2,
                            least_normal - 1,
                            least_normal,
                            least_normal + 1,
                            one - 1,
                            one,
                            one + 1,
                            one + least_normal,
                            infinity - 1,
                            infinity,
                            infinity / 2 + 12345};
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i) bits.push_back(static_cast<Bits>(random()) % infinity);
  for (int i = 0; i < 30; ++i)
    bits.push_back(one - 3 * least_normal + static_cast<Bits>(random()) % (6 * least_normal));
  std::vector<Float> values;
  for (const Bits b : bits) {
    values.push_back(std::bit_cast<Float>(b));
    values.push_back(-std::bit_cast<Float>(b));
  }
  return values;
}

template <typename Float>
Number number(Float value) {
  return unpack(std::bit_cast<typename Traits<Float>::Bits>(value), Traits<Float>::kFormat);
}

template <typename Float>
Float packed(const Number& value, Direction direction) {
  return std::bit_cast<Float>(
      static_cast<typename Traits<Float>::Bits>(pack(value, Traits<Float>::kFormat, direction)));
}

template <typename Float>
::testing::AssertionResult same(Float got, Float want) {
  if (std::isnan(got) && std::isnan(want)) return ::testing::AssertionSuccess();
  if (std::bit_cast<typename Traits<Float>::Bits>(got) == std::bit_cast<typename Traits<Float>::Bits>(want)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "got " << got << ", the processor " << want;
}

template <typename Float>
class SoftFloat : public ::testing::Test {
 protected:
  ~SoftFloat() override { std::fesetround(FE_TONEAREST); }
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SoftFloat, Floats);

TYPED_TEST(SoftFloat, SumProductAndQuotientEqualTheProcessors) {
  const auto values = operands<TypeParam>();
  for (const Mode& mode : kModes) {
    std::fesetround(mode.host);
    for (const TypeParam a : values) {
      for (const TypeParam b : values) {
        volatile TypeParam x = a;
        volatile TypeParam y = b;
        const TypeParam sum = x + y;
        const TypeParam product = x * y;
        const TypeParam quotient = x / y;
        ASSERT_TRUE(same(packed<TypeParam>(add(number(a), number(b), mode.direction), mode.direction), sum))
            << a << " + " << b;
        ASSERT_TRUE(same(packed<TypeParam>(multiply(number(a), number(b)), mode.direction), product))
            << a << " * " << b;
        ASSERT_TRUE(same(packed<TypeParam>(divide(number(a), number(b)), mode.direction), quotient))
            << a << " / " << b;
      }
    }
  }
}

TYPED_TEST(SoftFloat, RootEqualsTheProcessors) {
  for (const Mode& mode : kModes) {
    std::fesetround(mode.host);
    for (const TypeParam a : operands<TypeParam>()) {
      volatile TypeParam x = a;
      const TypeParam root = std::sqrt(x);
      ASSERT_TRUE(same(packed<TypeParam>(square_root(number(a)), mode.direction), root)) << "sqrt " << a;
    }
  }
}

TYPED_TEST(SoftFloat, FusedProductAndSumEqualsTheProcessors) {
  const auto values = operands<TypeParam>();
  std::mt19937_64 random(2);
  for (const Mode& mode : kModes) {
    std::fesetround(mode.host);
    for (int i = 0; i < 20000; ++i) {
      const TypeParam a = values[random() % values.size()];
      const TypeParam b = values[random() % values.size()];
      // Every other addend nearly cancels the product.
      const TypeParam c = i % 2 == 0 ? values[random() % values.size()] : static_cast<TypeParam>(-(a * b));
      volatile TypeParam x = a;
      const TypeParam fused = std::fma(x, b, c);
      const Number sum = add(multiply(number(a), number(b)), number(c), mode.direction);
      ASSERT_TRUE(same(packed<TypeParam>(sum, mode.direction), fused)) << a << " * " << b << " + " << c;
    }
  }
}

TEST(SoftFloatFormats, HalfRoundsTiesToEvenAndOverflowsToInfinity) {
  const auto half = [](float value, Direction direction) { return pack(number(value), kF16, direction); };
  EXPECT_EQ(half(1.0f + 0x1p-11f, Direction::nearest), 0x3c00u);
  EXPECT_EQ(half(1.0f + 0x3p-11f, Direction::nearest), 0x3c02u);
  EXPECT_EQ(half(1.0f + 0x1p-11f, Direction::nearest_away), 0x3c01u);
  EXPECT_EQ(half(65519.0f, Direction::nearest), 0x7bffu);
  EXPECT_EQ(half(65520.0f, Direction::nearest), 0x7c00u);
  EXPECT_EQ(half(1e9f, Direction::zero), 0x7bffu);
  EXPECT_EQ(half(-1e9f, Direction::up), 0xfbffu);
  EXPECT_EQ(half(0x1p-25f, Direction::nearest), 0u);
  EXPECT_EQ(half(0x1.8p-25f, Direction::nearest), 1u);
  EXPECT_EQ(pack(number(1.00390625f), kBf16, Direction::nearest), 0x3f80u);
}

TEST(SoftFloatFormats, TinyIsJudgedAfterRoundingWithoutExponentLimit) {
  // Just below the least normal: half a unit of 24 bits away rounds up, more does not.
  const Number near = add(number(0x1p-126f), number(-0x1p-149f), Direction::nearest);
  EXPECT_TRUE(is_tiny(near, kF32, Direction::nearest));
  const Number product = multiply(number(0x1.fffffep-1f), number(0x1p-126f));
  EXPECT_TRUE(is_tiny(product, kF32, Direction::nearest));
  const Number nearer = add(number(0x1p-126), number(-0x1p-152), Direction::nearest);
  EXPECT_FALSE(is_tiny(nearer, kF32, Direction::nearest));
  EXPECT_TRUE(is_tiny(nearer, kF32, Direction::zero));
  EXPECT_FALSE(is_tiny(nearer, kF32, Direction::up));
  EXPECT_FALSE(is_tiny(number(0.0f), kF32, Direction::nearest));
}

}  // namespace
}  // namespace tare::cpu::codegen::soft
