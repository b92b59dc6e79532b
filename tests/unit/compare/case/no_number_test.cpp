// An output that has nothing to be held against, and still cannot be right.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "compare/case/reference.hpp"

namespace tare::compare {
namespace {

using Kind = ElementType::Kind;

JobArgument buffer(const ElementType& element, std::uint64_t count) {
  JobArgument argument;
  argument.name = "y";
  argument.element = element;
  argument.is_buffer = true;
  argument.count = count;
  argument.check.kind = Check::Kind::bits;
  return argument;
}

const ElementType kFloat{"float", 4, 4, Kind::floating, 1, {}};

template <class T>
HostBuffer filled(std::size_t count, T value) {
  HostBuffer bytes(count * sizeof value);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  return bytes;
}

TEST(NoNumber, IsSaidOfAnyNaN) {
  for (const std::uint32_t bits : {0x7fffffffu, 0xffffffffu, 0x7fc00000u, 0xffc00001u, 0x7f800001u}) {
    const auto found = without_a_number(buffer(kFloat, 100), filled(100, bits));
    ASSERT_TRUE(found) << std::hex << bits;
    EXPECT_FALSE(found->equal);
    EXPECT_EQ(found->argument, "y");
    EXPECT_EQ(found->differing, 100u);
    EXPECT_EQ(found->first_index, 0u);
    EXPECT_EQ(found->want, "a number somewhere");
    EXPECT_FALSE(found->max_ulp);
  }
  EXPECT_TRUE(
      without_a_number(buffer({"double", 8, 8, Kind::floating, 1, {}}, 3), filled(3, 0x7ff8000000000000ull)));
  EXPECT_TRUE(
      without_a_number(buffer({"__half", 2, 2, Kind::half, 1, {}}, 3), filled<std::uint16_t>(3, 0x7fff)));
  EXPECT_TRUE(without_a_number(buffer({"__nv_bfloat16", 2, 2, Kind::bfloat16, 1, {}}, 3),
                               filled<std::uint16_t>(3, 0x7fff)));
  EXPECT_TRUE(
      without_a_number(buffer({"float4", 16, 16, Kind::floating, 4, {}}, 3), filled(12, 0x7fffffffu)));
}

TEST(NoNumber, IsNotSaidWhereThereIsOne) {
  HostBuffer bytes = filled(100, 0x7fffffffu);
  const float one = 1;
  std::memcpy(bytes.data() + 99 * 4, &one, 4);
  EXPECT_FALSE(without_a_number(buffer(kFloat, 100), bytes));
  EXPECT_FALSE(without_a_number(buffer(kFloat, 10), filled(10, 0x7f800000u)));  // infinity is a number
  EXPECT_FALSE(without_a_number(buffer(kFloat, 0), HostBuffer()));
  EXPECT_FALSE(
      without_a_number(buffer({"int", 4, 4, Kind::signed_integer, 1, {}}, 10), filled(10, 0xffffffffu)));
}

TEST(NoNumber, SaysWhatIsLikelyBehindIt) {
  EXPECT_EQ(without_a_number(buffer(kFloat, 4), filled(4, 0xffffffffu))->hint,
            "every element is what `y` was filled with before the launch: nothing was written");
  EXPECT_EQ(without_a_number(buffer(kFloat, 4), filled(4, 0x7fffffffu))->hint,
            "every element is NaN, as `y` was before the launch: most likely the kernel reads it; give it a "
            "`fill`");
  JobArgument in_out = buffer(kFloat, 4);
  in_out.fill.kind = Fill::Kind::sample;
  EXPECT_EQ(without_a_number(in_out, filled(4, 0x7fffffffu))->hint,
            "every element is NaN: look at what `y` and the inputs are filled with");
}

}  // namespace
}  // namespace tare::compare
