// Expressions over a case's values.
#include "compare/case/expression.hpp"

#include <gtest/gtest.h>

#include "compare/case/complaint.hpp"

namespace tare::compare {
namespace {

std::int64_t value(std::string_view text) {
  return evaluate(text, std::map<std::string, std::int64_t>{{"n", 1000}, {"w", 7}, {"block_x", 256}});
}

std::string complaint(std::string_view text) {
  try {
    value(text);
  } catch (const Complaint& complaint) {
    return complaint.what();
  }
  return {};
}

TEST(Expression, MultiplicationBindsTighterThanAddition) {
  EXPECT_EQ(value("2 + 3 * 4"), 14);
  EXPECT_EQ(value("(2 + 3) * 4"), 20);
  EXPECT_EQ(value("3*n*4"), 12000);
}

TEST(Expression, EqualOperatorsGoFromTheLeft) {
  EXPECT_EQ(value("10 - 3 - 2"), 5);
  EXPECT_EQ(value("100 / 10 / 5"), 2);
  EXPECT_EQ(value("7 / 2 * 2"), 6);
}

TEST(Expression, DivisionRoundsTowardsMinusInfinity) {
  EXPECT_EQ(value("7 / 2"), 3);
  EXPECT_EQ(value("-7 / 2"), -4);
  EXPECT_EQ(value("7 / -2"), -4);
  EXPECT_EQ(value("-7 / -2"), 3);
  EXPECT_EQ(value("-8 / 2"), -4);
  EXPECT_EQ(value("(n + 255) / 256"), 4);
}

TEST(Expression, NamesStandForValues) {
  EXPECT_EQ(value("n"), 1000);
  EXPECT_EQ(value("block_x * w - -n"), 2792);
}

TEST(Expression, EveryStepIsCheckedForOverflow) {
  EXPECT_EQ(value("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(value("-9223372036854775807 - 1"), INT64_MIN);
  for (const char* text :
       {"9223372036854775808", "9223372036854775807 + 1", "-9223372036854775807 - 2",
        "4611686018427387904 * 2", "(-9223372036854775807 - 1) / -1", "-(-9223372036854775807 - 1)"}) {
    EXPECT_EQ(complaint(text), "expression `" + std::string(text) + "`: does not fit in 64 bits");
  }
}

TEST(Expression, MistakesAreNamed) {
  EXPECT_EQ(complaint("n / 0"), "expression `n / 0`: division by zero");
  EXPECT_EQ(complaint("m"), "expression `m`: unknown value `m`; did you mean `n`?");
  EXPECT_EQ(complaint("blokc_x"), "expression `blokc_x`: unknown value `blokc_x`; did you mean `block_x`?");
  EXPECT_EQ(complaint("(n"), "expression `(n`: `)` is missing");
  EXPECT_EQ(complaint("n)"), "expression `n)`: unexpected `)`");
  EXPECT_EQ(complaint("n +"), "expression `n +`: a number or a name is missing at the end");
  EXPECT_EQ(complaint(""), "expression ``: a number or a name is missing at the end");
  EXPECT_EQ(complaint("1.5"), "expression `1.5`: only whole decimal numbers are allowed");
  EXPECT_EQ(complaint("0x10"), "expression `0x10`: only whole decimal numbers are allowed");
  EXPECT_EQ(complaint("n % 2"), "expression `n % 2`: unexpected `%`");
}

TEST(Expression, DeepNestingIsRefused) {
  const std::string deep = std::string(100000, '(') + "1" + std::string(100000, ')');
  EXPECT_NE(complaint(deep).find("too deeply nested"), std::string::npos);
}

TEST(Suggestion, IsTheNearestNameOrAllOfThem) {
  const std::vector<std::string> known{"block", "covers", "grid"};
  EXPECT_EQ(suggestion("blokc", known), "; did you mean `block`?");
  EXPECT_EQ(suggestion("coverage", known), "; did you mean `covers`?");
  EXPECT_EQ(suggestion("dynamic_shared", known), "; known: block, covers, grid");
  EXPECT_EQ(suggestion("x", {}), "");
}

TEST(EditDistance, CountsASwapOfNeighboursAsOne) {
  EXPECT_EQ(edit_distance("flaot", "float"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace tare::compare
