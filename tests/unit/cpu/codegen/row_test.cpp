// What is computed once for a row of threads and stepped from one to the next: the steps are the
// instruction's, in its own width.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "harness.hpp"

namespace tare::cpu::codegen::test {
namespace {

struct Parameters {
  std::uint64_t* out;
  std::uint64_t start;
};

constexpr std::uint32_t kThreads = 64;

/// What 64 threads store that have their index in %r1, the start in %rd2 and their result in %rd3.
template <typename Expected>
void expect_rows(const std::string& statements, std::uint64_t start, Expected expected) {
  Loaded loaded(std::string(kHeader) + R"(
.visible .entry k(.param .u64 out, .param .u64 start)
{
  .reg .b32 %r<4>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [start];
  mov.u32 %r1, %tid.x;
)" + statements +
                R"(
  mul.wide.u32 %rd4, %r1, 8;
  add.s64 %rd5, %rd1, %rd4;
  st.global.u64 [%rd5], %rd3;
  ret;
})");
  for (const Way& way : kWays) {
    std::vector<std::uint64_t> out(kThreads);
    ASSERT_EQ(loaded.run("k", way, {{1, 1, 1}, {kThreads, 1, 1}}, Parameters{out.data(), start}),
              Fault::none);
    for (std::uint32_t i = 0; i < kThreads; ++i)
      ASSERT_EQ(out[i], expected(i)) << statements << ", " << name_of(way) << ", thread " << i;
  }
}

TEST(Row, ANegativeFactorWidensBySign) {
  for (const std::int64_t factor : {-1, -4, -8, -32768, -32769, -65536, -65537}) {
    const std::string text = std::to_string(factor);
    const auto product = [&](std::uint32_t i) { return static_cast<std::uint64_t>(factor * i); };
    expect_rows("mul.wide.s32 %rd3, %r1, " + text + ";", 0, product);
    expect_rows("mad.wide.s32 %rd3, %r1, " + text + ", %rd2;", 7, [&](auto i) { return product(i) + 7; });
  }
}

TEST(Row, AFactorAboveTheSignedRangeWidensWithoutASign) {
  expect_rows("mul.wide.u32 %rd3, %r1, 4294967288;", 0, [](std::uint64_t i) { return 4294967288u * i; });
}

TEST(Row, AValueOfAWordInAWiderRegisterWrapsAsAWord) {
  constexpr std::uint64_t kStart = 0xfffffff0;
  const auto word = [](std::uint32_t i) { return (kStart + i) & 0xffffffff; };
  const std::string moving = "cvt.u64.u32 %rd6, %r1; add.u64 %rd7, %rd6, %rd2; ";
  expect_rows(moving + "cvt.u32.u64 %rd3, %rd7;", kStart, word);
  expect_rows(moving + "cvt.u32.u32 %rd3, %rd7;", kStart, word);
  const auto extended = [](std::uint32_t i) {
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(kStart + 0x80000000u + i)});
  };
  expect_rows(moving + "cvt.s32.s64 %rd3, %rd7;", kStart + 0x80000000u, extended);
}

}  // namespace
}  // namespace tare::cpu::codegen::test
