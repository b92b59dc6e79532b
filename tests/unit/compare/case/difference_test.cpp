// Outputs held against what they should be.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "compare/case/reference.hpp"
#include "compare/case/types.hpp"

namespace tare::compare {
namespace {

template <class T>
Difference compared(const std::string& type, const std::vector<T>& want, const std::vector<T>& got,
                    const Check& check = {Check::Kind::bits}) {
  JobArgument argument;
  argument.name = "out";
  argument.is_buffer = true;
  argument.element = parse_type(type).element;
  argument.count = want.size() * sizeof(T) / argument.element.size;
  argument.check = check;
  return compare_output(argument, std::as_bytes(std::span(want)), std::as_bytes(std::span(got)));
}

const float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(Difference, EqualBitsAreEqualAndNaNsAmongThem) {
  const Difference same = compared<float>("float", {1, kNaN, -0.0f}, {1, kNaN, -0.0f});
  EXPECT_TRUE(same.equal);
  EXPECT_EQ(same.differing, 0u);
  EXPECT_EQ(same.max_ulp, 0u);
  EXPECT_EQ(same.argument, "out");
}

TEST(Difference, TheFirstOfThemIsShownInDecimalAndBits) {
  const Difference one = compared<float>("float", {1, 2.5f, 3}, {1, 2.75f, 4});
  EXPECT_FALSE(one.equal);
  EXPECT_EQ(one.differing, 2u);
  EXPECT_EQ(one.first_index, 1u);
  EXPECT_EQ(one.want, "2.5 (0x40200000)");
  EXPECT_EQ(one.got, "2.75 (0x40300000)");
  EXPECT_EQ(one.max_ulp, 1u << 22);  // from 3 to 4
}

TEST(Difference, EveryKindIsShownInItsOwnWay) {
  EXPECT_EQ(compared<double>("double", {0.1}, {0.2}).want, "0.10000000000000001 (0x3fb999999999999a)");
  EXPECT_EQ(compared<int>("int", {-2}, {7}).want, "-2 (0xfffffffe)");
  EXPECT_EQ(compared<std::uint64_t>("size_t", {1}, {UINT64_MAX}).got,
            "18446744073709551615 (0xffffffffffffffff)");
  EXPECT_EQ(compared<std::uint16_t>("__half", {0x3e00}, {0x8000}).want, "1.5 (0x3e00)");
  EXPECT_EQ(compared<std::uint16_t>("__nv_bfloat16", {0x3fc0}, {0x8000}).got, "-0 (0x8000)");
  EXPECT_EQ(compared<std::uint8_t>("bool", {1}, {255}).got, "255 (0xff)");
  EXPECT_EQ(compared<float>("float2", {1, 2, 3, 4}, {1, 2, 3, 5}).got, "{3 (0x40400000), 5 (0x40a00000)}");
  EXPECT_EQ(compared<std::uint64_t>("__int128", {5, 0}, {5, 1}).got, "0x00000000000000010000000000000005");
}

TEST(Difference, ElementsAreCountedNotLanes) {
  const Difference pair = compared<float>("float2", {1, 2, 3, 4, 5, 6}, {0, 0, 3, 4, 5, 0});
  EXPECT_EQ(pair.differing, 2u);
  EXPECT_EQ(pair.first_index, 0u);
}

TEST(Difference, NaNPayloadsAreBitsAndHaveNoDistance) {
  const Difference nan = compared<std::uint32_t>("float", {0x7fc00000}, {0x7fc00001});
  EXPECT_EQ(nan.differing, 1u);
  EXPECT_EQ(nan.max_ulp, std::nullopt);
  EXPECT_EQ(compared<float>("float", {1}, {kNaN}).max_ulp, std::nullopt);
  EXPECT_EQ(compared<int>("int", {1}, {2}).max_ulp, std::nullopt);
}

TEST(Difference, UlpsAreStepsThroughAllNumbers) {
  EXPECT_EQ(compared<float>("float", {1}, {std::nextafter(1.0f, 2.0f)}).max_ulp, 1u);
  EXPECT_EQ(compared<float>("float", {0.0f}, {-0.0f}).max_ulp, 0u);
  EXPECT_FALSE(compared<float>("float", {0.0f}, {-0.0f}).equal);
  EXPECT_EQ(compared<std::uint32_t>("float", {1}, {0x80000002}).max_ulp, 3u);
  EXPECT_EQ(compared<double>("double", {-INFINITY}, {INFINITY}).max_ulp, 2 * 0x7ff0000000000000u);
  EXPECT_EQ(compared<std::uint16_t>("__half", {0x3c00}, {0x3c05}).max_ulp, 5u);
}

TEST(Difference, WithinTheUlpsAskedForIsEqual) {
  const Check four{Check::Kind::ulps, 4};
  EXPECT_TRUE(compared<std::uint32_t>("float", {0x3f800000}, {0x3f800004}, four).equal);
  EXPECT_EQ(compared<std::uint32_t>("float", {0x3f800000}, {0x3f800004}, four).max_ulp, 4u);
  EXPECT_FALSE(compared<std::uint32_t>("float", {0x3f800000}, {0x3f800005}, four).equal);
}

TEST(Difference, ToleranceIsRelativeToWhatIsWanted) {
  const Check check{Check::Kind::tolerance, 0, 0.01, 0.5};
  EXPECT_TRUE(compared<double>("double", {100}, {101.5}, check).equal);
  EXPECT_FALSE(compared<double>("double", {100}, {101.6}, check).equal);
  EXPECT_TRUE(compared<double>("double", {INFINITY}, {INFINITY}, check).equal);
  EXPECT_FALSE(compared<double>("double", {1}, {INFINITY}, {Check::Kind::tolerance, 0, 0.01, 0.5}).equal);
  EXPECT_FALSE(
      compared<double>("double", {INFINITY}, {-INFINITY}, {Check::Kind::tolerance, 0, 0, 1e300}).equal);
}

TEST(Difference, UnderATolerancePoisonIsNoNaN) {
  const Check check{Check::Kind::tolerance, 0, 1, 1};
  EXPECT_TRUE(compared<std::uint32_t>("float", {0x7fc00000}, {0x7fffffff}, check).equal);
  EXPECT_FALSE(compared<std::uint32_t>("float", {0x7fc00000}, {0xffffffff}, check).equal);
  EXPECT_FALSE(compared<std::uint32_t>("float", {0x3f800000}, {0x7fc00000}, check).equal);
}

TEST(Difference, PaddingInStructsIsPassedOver) {
  JobArgument argument;
  argument.is_buffer = true;
  argument.element = {"struct P", 8, 4, ElementType::Kind::aggregate, 1, {{0, 1}, {4, 8}}};
  argument.count = 2;
  argument.check = {Check::Kind::bits};
  std::vector<std::byte> want(16), got(16);
  got[1] = got[11] = std::byte{9};
  EXPECT_TRUE(compare_output(argument, want, got).equal);
  got[12] = std::byte{1};
  const Difference second = compare_output(argument, want, got);
  EXPECT_EQ(second.first_index, 1u);
  EXPECT_EQ(second.differing, 1u);
  EXPECT_EQ(second.got, "{00 00 00 09 01 00 00 00}");
}

TEST(Difference, EveryElementOfALargeOutputIsLookedAt) {
  std::vector<float> want(3'000'017, 1.0f);
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{65535}, std::size_t{65536}, std::size_t{1'500'000}, want.size() - 1}) {
    std::vector<float> got = want;
    got[at] = 2;
    const Difference one = compared("float", want, got);
    EXPECT_EQ(one.differing, 1u);
    EXPECT_EQ(one.first_index, at);
  }
  std::vector<float> tail = want;
  std::fill(tail.end() - 611, tail.end(), kNaN);
  const Difference skipped = compared("float", want, tail);
  EXPECT_EQ(skipped.differing, 611u);
  EXPECT_EQ(skipped.first_index, want.size() - 611);
}

TEST(Difference, NothingIsEqualToNothing) {
  EXPECT_TRUE(compared<float>("float", {}, {}).equal);
}

}  // namespace
}  // namespace tare::compare
