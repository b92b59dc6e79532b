// What buffers hold before a launch.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "case_files.hpp"
#include "compare/case/float16.hpp"
#include "compare/case/random.hpp"
#include "compare/case/reference.hpp"

namespace tare::compare::test {
namespace {

/// An input of `count` elements filled as the case says.
template <class T>
std::vector<T> filled(const std::string& type, std::size_t count, const std::string& fill) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  const Job job = files.job(std::string(kHead) + "[[arguments]]\nname = \"a\"\ntype = \"const " + type +
                            "*\"\ncount = " + std::to_string(count) + "\nfill = " + fill + "\n");
  const HostBuffer buffer = fill_buffer(job.arguments.at(0));
  std::vector<T> values(buffer.size() / sizeof(T));
  std::memcpy(values.data(), buffer.data(), buffer.size());
  return values;
}

/// The hash, once more and as plainly as can be.
std::uint32_t knuth(std::uint32_t k) {
  std::uint32_t h = static_cast<std::uint32_t>(2654435761ull * k);
  h = h ^ (h >> 15);
  return h;
}

TEST(Fill, SampleIsTheHashAsAMantissaInOneToTwo) {
  const auto even = filled<float>("float", 4194915, "{ sample = { stride = 2, offset = 0 } }");
  const auto odd = filled<float>("float", 5, "{ sample = { stride = 2, offset = 1 } }");
  for (std::uint32_t i : {0u, 1u, 2u, 1000000u, 4194914u}) {
    const float expected = 1.0f + static_cast<float>(knuth(2 * i) & 0x7fffff) * 0x1p-23f;
    EXPECT_EQ(even[i], expected) << i;
  }
  EXPECT_EQ(odd[3], 1.0f + static_cast<float>(knuth(7) & 0x7fffff) * 0x1p-23f);
  for (const float x : even) ASSERT_TRUE(x >= 1 && x < 2);
}

TEST(Fill, SampleUsesTheHashOfEveryKindOfLane) {
  EXPECT_EQ(filled<std::uint32_t>("unsigned", 9, "\"sample\"")[8], knuth(8));
  EXPECT_EQ(filled<std::uint64_t>("size_t", 9, "\"sample\"")[8], knuth(8));
  EXPECT_EQ(filled<std::uint8_t>("char", 9, "\"sample\"")[8], knuth(8) & 0xff);
  EXPECT_EQ(filled<std::uint8_t>("bool", 9, "\"sample\"")[8], knuth(8) & 1);
  EXPECT_EQ(filled<std::uint16_t>("__half", 9, "\"sample\"")[8], 0x3c00 | (knuth(8) & 0x3ff));
  EXPECT_EQ(filled<std::uint16_t>("__nv_bfloat16", 9, "\"sample\"")[8], 0x3f80 | (knuth(8) & 0x7f));
  const auto h = static_cast<std::uint64_t>(knuth(8));
  EXPECT_EQ(filled<std::uint64_t>("double", 9, "\"sample\"")[8],
            0x3ff0000000000000u | h << 20 | (h & 0xfffff));
  // Lanes of vectors count one by one.
  EXPECT_EQ(filled<float>("float4", 3, "\"sample\""), filled<float>("float", 12, "\"sample\""));
}

TEST(Fill, ConstantAndIotaAreExact) {
  EXPECT_EQ(filled<float>("float", 3, "{ constant = 0.1 }"), std::vector<float>(3, 0.1f));
  EXPECT_EQ(filled<std::int16_t>("short", 2, "{ constant = -7 }"), std::vector<std::int16_t>(2, -7));
  EXPECT_EQ(filled<std::uint16_t>("__half", 1, "{ constant = 1.5 }")[0], 0x3e00);
  EXPECT_EQ(filled<float>("float", 4, "{ iota = { start = 1, step = 0.5 } }"),
            (std::vector<float>{1, 1.5, 2, 2.5}));
  EXPECT_EQ(filled<int>("int", 4, "{ iota = { start = 3, step = -2 } }"), (std::vector<int>{3, 1, -1, -3}));
  EXPECT_EQ(filled<std::uint8_t>("unsigned char", 258, "\"iota\"")[257], 1);
}

TEST(Fill, UniformStaysInItsRangeAndDependsOnSeedAndIndexAlone) {
  const auto a = filled<float>("float", 300000, "{ uniform = { low = -2, high = 3, seed = 5 } }");
  double sum = 0;
  for (const float x : a) {
    ASSERT_TRUE(x >= -2 && x < 3);
    sum += static_cast<double>(x);
  }
  EXPECT_NEAR(sum / 300000, 0.5, 0.02);
  const auto shorter = filled<float>("float", 10, "{ uniform = { low = -2, high = 3, seed = 5 } }");
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), a.begin()));
  EXPECT_NE(filled<float>("float", 10, "{ uniform = { low = -2, high = 3, seed = 6 } }"), shorter);
  std::array<int, 3> seen{};
  for (const int x : filled<int>("int", 3000, "{ uniform = { low = -1, high = 2 } }")) {
    ASSERT_TRUE(x >= -1 && x <= 1);
    ++seen[static_cast<std::size_t>(x + 1)];
  }
  for (const int each : seen) EXPECT_NEAR(each, 1000, 120);
}

TEST(Fill, RandomNumbersAreTheSameOnEveryMachine) {
  EXPECT_EQ(random_bits(0, 0), 0xa706dd2f4d197e6f);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(random_normal(1, 2)), 4598465042436896165u);
}

TEST(Fill, NormalHasItsMomentsAndTheShapeOfTheLibrarysFunctions) {
  const auto a = filled<double>("double", 400000, "{ normal = { mean = 10, deviation = 2, seed = 3 } }");
  double sum = 0, squares = 0, beyond = 0;
  for (const double x : a) {
    sum += x;
    squares += (x - 10) * (x - 10);
    beyond += std::fabs(x - 10) > 4 ? 1 : 0;
  }
  EXPECT_NEAR(sum / 400000, 10, 0.02);
  EXPECT_NEAR(squares / 400000, 4, 0.05);
  EXPECT_NEAR(beyond / 400000, 0.0455, 0.002);
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const double u = (static_cast<double>(random_bits(9, 2 * i) >> 11) + 0.5) * 0x1p-53;
    const double expected = std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * random_unit(9, 2 * i + 1));
    ASSERT_NEAR(random_normal(9, i), expected, 1e-13);
  }
}

TEST(Fill, AnOutputIsPoisonedWithANaN) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  const Job job =
      files.job(std::string(kHead) + "[[arguments]]\nname = \"a\"\ntype = \"float*\"\ncount = 3\n");
  EXPECT_EQ(fill_buffer(job.arguments[0]), HostBuffer(12, std::byte{0xff}));
}

TEST(Fill, OfAValueThatTheTypeLacksIsRefusedWithItsLine) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  const auto complaint = [&](const std::string& type, const std::string& fill) {
    return files.complaint(std::string(kHead) + "[[arguments]]\nname = \"a\"\ntype = \"const " + type +
                           "*\"\ncount = 3\nfill = " + fill + "\n");
  };
  EXPECT_EQ(complaint("int", "{ constant = 0.5 }"), "k.toml:13: fill: constant 0.5 is not a value of `int`");
  EXPECT_EQ(complaint("unsigned char", "{ constant = 256 }"),
            "k.toml:13: fill: constant 256 is not a value of `unsigned char`");
  EXPECT_EQ(complaint("int", "\"normal\""), "k.toml:13: fill: `normal` is for floating types, not `int`");
  EXPECT_EQ(complaint("float", "{ uniform = { low = 1, high = 1 } }"),
            "k.toml:13: `uniform` needs low < high");
  EXPECT_EQ(complaint("float", "{ iota = {}, sample = {} }"),
            "k.toml:13: `fill` must have exactly one kind in it");
}

TEST(Float16, NarrowingInvertsWideningForEveryPattern) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const float half = half_to_float(pattern), brain = bfloat16_to_float(pattern);
    if (!std::isnan(half)) {
      ASSERT_EQ(half_from_double(static_cast<double>(half)), pattern);
    }
    if (!std::isnan(brain)) {
      ASSERT_EQ(bfloat16_from_double(static_cast<double>(brain)), pattern);
    }
  }
}

TEST(Float16, NarrowingRoundsToNearestEvenOnce) {
  EXPECT_EQ(half_from_double(1 + 0x1p-11), 0x3c00);            // half way: down to even
  EXPECT_EQ(half_from_double(1 + 3 * 0x1p-11), 0x3c02);        // half way: up to even
  EXPECT_EQ(half_from_double(1 + 0x1p-11 + 0x1p-40), 0x3c01);  // would be lost in a float first
  EXPECT_EQ(half_from_double(65520), 0x7c00);
  EXPECT_EQ(half_from_double(65519.99), 0x7bff);
  EXPECT_EQ(half_from_double(0x1p-25), 0x0000);
  EXPECT_EQ(half_from_double(0x1.8p-25), 0x0001);
  EXPECT_EQ(bfloat16_from_double(1 + 0x1p-8), 0x3f80);
  EXPECT_EQ(bfloat16_from_double(1 + 3 * 0x1p-8), 0x3f82);
}

}  // namespace
}  // namespace tare::compare::test
