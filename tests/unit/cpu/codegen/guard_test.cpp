// Kernels that begin with a bounds check: no element beyond it is touched, none before it is left out,
// whatever the form of the check and wherever indices wrap.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <vector>

#include "harness.hpp"

namespace tare::cpu::codegen::test {
namespace {

/// out[i] = i + 1 for the i that pass `check`, which sets %p1 where the thread must leave.
std::string guarded(const std::string& check, const std::string& leave = "@%p1 bra DONE;") {
  return std::string(kHeader) + R"(
.visible .entry k(.param .u64 out, .param .u32 n, .param .u32 low, .param .u32 start)
{
  .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  ld.param.u32 %r7, [low];
  ld.param.u32 %r8, [start];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r6, %r2, %r3, %r4;
  add.s32 %r5, %r6, %r8;
)" + check +
         "\n" + leave + R"(
  sub.s32 %r9, %r5, %r8;
  mul.wide.s32 %rd3, %r9, 4;
  add.s64 %rd4, %rd2, %rd3;
  add.s32 %r10, %r9, 1;
  st.global.u32 [%rd4], %r10;
DONE:
  ret;
}
)";
}

struct Parameters {
  std::int32_t* out;
  std::uint32_t n, low, start;
};

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kBlocks = 4;
constexpr std::size_t kThreads = std::size_t{kBlock} * kBlocks;

template <typename Passes>
void expect_guarded(const std::string& text, std::uint32_t n, std::uint32_t low, std::uint32_t start,
                    Passes passes) {
  static std::map<std::string, Loaded> all;
  Loaded& loaded = all.try_emplace(text, text).first->second;
  for (const Way& way : kWays) {
    std::vector<std::int32_t> out(kThreads + 8, -7);
    ASSERT_EQ(loaded.run("k", way, {{kBlocks, 1, 1}, {kBlock, 1, 1}}, Parameters{out.data(), n, low, start}),
              Fault::none);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool written = i < kThreads && passes(static_cast<std::uint32_t>(i) + start);
      ASSERT_EQ(out[i], written ? static_cast<std::int32_t>(i) + 1 : -7)
          << name_of(way) << ", n " << n << ", element " << i;
    }
  }
}

const std::vector<std::uint32_t> kSizes = {0, 1, 255, 256, 257, 700, 1023, 1024, 5000};

TEST(Guard, SignedCheckLeavesOutWhatIsBeyondIt) {
  for (const std::uint32_t n : kSizes) {
    expect_guarded(guarded("setp.ge.s32 %p1, %r5, %r1;"), n, 0, 0, [&](std::uint32_t i) { return i < n; });
  }
}

TEST(Guard, ACheckOfAWidenedIndexThatWrapsInTheRowKeepsTheThreadsBehindTheWrap) {
  // Threads 0 to 2 are below the limit, the next two are not, and those behind the wrap are negative.
  const std::string check = "cvt.s64.s32 %rd8, %r5; cvt.s64.s32 %rd9, %r1; setp.ge.s64 %p1, %rd8, %rd9;";
  const std::uint32_t start = 0x7fffffffu - 4, n = start + 3;
  expect_guarded(guarded(check), n, 0, start, [&](std::uint32_t i) {
    return static_cast<std::int32_t>(i) < static_cast<std::int32_t>(n);
  });
}

TEST(Guard, AnIndexBelowZeroCountsFromTheEndInTheThreadsWhereItIsBelow) {
  // As Python indexes: j = i < 0 ? i + low : i, checked after.
  const auto check = [](const std::string& of) {
    return "cvt.s64.s32 %rd8, %r5; shr.s64 %rd9, %rd8, 63; cvt.u64.u32 %rd10, %r7; and.b64 %rd11, %rd9, "
           "%rd10; "
           "add.s64 %rd12, %rd11, %rd8; cvt.u64.u32 %rd13, %r1; setp.ge.s64 %p1, " +
           of + ", %rd13;";
  };
  for (const std::uint32_t start : {0u, 0u - 5, 0u - 256, 0u - 300, 0u - 2000}) {
    for (const std::uint32_t n : {0u, 3u, 700u, 5000u}) {
      expect_guarded(guarded(check("%rd12")), n, 3000, start, [&](std::uint32_t i) {
        const auto index = static_cast<std::int32_t>(i);
        return (index < 0 ? index + 3000 : index) < static_cast<std::int32_t>(n);
      });
      expect_guarded(guarded(check("%rd9")), n, 3000, start, [&](std::uint32_t i) {
        return (static_cast<std::int32_t>(i) < 0 ? -1 : 0) < static_cast<std::int32_t>(n);
      });
    }
  }
}

TEST(Guard, UnsignedCheckTreatsANegativeBoundAsLarge) {
  expect_guarded(guarded("setp.ge.u32 %p1, %r5, %r1;"), 0xffffffffu, 0, 0,
                 [](std::uint32_t) { return true; });
  expect_guarded(guarded("setp.ge.s32 %p1, %r5, %r1;"), 0xffffffffu, 0, 0,
                 [](std::uint32_t) { return false; });
}

TEST(Guard, BoundOnTheLeftIsTheSameCheck) {
  for (const std::uint32_t n : kSizes) {
    expect_guarded(guarded("setp.le.s32 %p1, %r1, %r5;"), n, 0, 0, [&](std::uint32_t i) { return i < n; });
    expect_guarded(guarded("setp.gt.s32 %p1, %r5, %r1;"), n, 0, 0, [&](std::uint32_t i) { return i <= n; });
  }
}

TEST(Guard, NegatedPredicateAndPredicatedReturnAreTheSameCheck) {
  for (const std::uint32_t n : kSizes) {
    expect_guarded(guarded("setp.lt.u32 %p1, %r5, %r1;", "@!%p1 bra DONE;"), n, 0, 0,
                   [&](std::uint32_t i) { return i < n; });
    expect_guarded(guarded("setp.ge.u32 %p1, %r5, %r1;", "@%p1 ret;"), n, 0, 0,
                   [&](std::uint32_t i) { return i < n; });
    expect_guarded(guarded("setp.lt.u32 %p1, %r5, %r1;", "@%p1 bra BODY;\n ret;\nBODY:"), n, 0, 0,
                   [&](std::uint32_t i) { return i < n; });
  }
}

TEST(Guard, RangeFromBelowAndAboveKeepsItsMiddle) {
  const std::string check =
      "setp.lt.s32 %p2, %r5, %r7;\n setp.ge.s32 %p3, %r5, %r1;\n or.pred %p1, %p2, %p3;";
  for (const std::uint32_t low : {0u, 1u, 255u, 256u, 300u, 1024u}) {
    expect_guarded(guarded(check), 1000, low, 0, [&](std::uint32_t i) { return i >= low && i < 1000; });
  }
  expect_guarded(guarded("setp.ge.s32 %p2, %r5, %r1;\n setp.lt.or.s32 %p1, %r5, %r7, %p2;"), 1000, 3, 0,
                 [](std::uint32_t i) { return i >= 3 && i < 1000; });
}

TEST(Guard, OneThreadIsARangeOfOne) {
  expect_guarded(guarded("setp.ne.s32 %p1, %r5, %r1;"), 300, 0, 0, [](std::uint32_t i) { return i == 300; });
  expect_guarded(guarded("setp.eq.s32 %p1, %r5, %r1;"), 300, 0, 0, [](std::uint32_t i) { return i != 300; });
}

TEST(Guard, UniformConditionHoldsForAllOrNone) {
  const std::string check = "setp.eq.s32 %p2, %r7, 1;\n setp.ge.s32 %p3, %r5, %r1;\n or.pred %p1, %p2, %p3;";
  expect_guarded(guarded(check), 500, 1, 0, [](std::uint32_t) { return false; });
  expect_guarded(guarded(check), 500, 0, 0, [](std::uint32_t i) { return i < 500; });
}

TEST(Guard, IndexThatWrapsInsideABlockIsComparedAsItStands) {
  // The index starts just below 2^31, then just below 2^32.
  for (const std::uint32_t start : {0x7fffffffu - 300, 0xffffffffu - 300}) {
    expect_guarded(guarded("setp.ge.s32 %p1, %r5, %r1;"), 100, 0, start,
                   [](std::uint32_t i) { return static_cast<std::int32_t>(i) < 100; });
    expect_guarded(guarded("setp.ge.u32 %p1, %r5, %r1;"), 100, 0, start,
                   [](std::uint32_t i) { return i < 100; });
  }
}

TEST(Guard, IndexThatWrapsBeforeItIsWidenedReachesTheWrappedAddress) {
  // out points into the middle: element (int)(i + start), without a check.
  const std::string text = std::string(kHeader) + R"(
.visible .entry k(.param .u64 out, .param .u32 start)
{
  .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [start];
  mov.u32 %r2, %tid.x;
  add.u32 %r3, %r2, %r1;
  mul.wide.u32 %rd2, %r3, 4;
  shr.u64 %rd3, %rd2, 24;
  and.b64 %rd4, %rd3, 255;
  mul.wide.u32 %rd5, %r2, 8;
  add.s64 %rd6, %rd1, %rd5;
  st.global.u64 [%rd6], %rd2;
  ret;
})";
  Loaded loaded(text);
  struct {
    std::uint64_t* out;
    std::uint32_t start;
  } parameters{};
  for (const Way& way : kWays) {
    std::vector<std::uint64_t> out(256);
    parameters = {out.data(), 0xffffffffu - 100};
    ASSERT_EQ(loaded.run("k", way, {{1, 1, 1}, {256, 1, 1}}, parameters), Fault::none);
    for (std::uint32_t i = 0; i < 256; ++i) {
      ASSERT_EQ(out[i], std::uint64_t{i + parameters.start} * 4) << name_of(way) << ", thread " << i;
    }
  }
}

TEST(Guard, TwoDimensionalCheckCoversEveryElementOnce) {
  const std::string text = std::string(kHeader) + R"(
.visible .entry k(.param .u64 out, .param .u32 width, .param .u32 height)
{
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [width];
  ld.param.u32 %r2, [height];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.s32 %r6, %r3, %r4, %r5;
  mov.u32 %r7, %ctaid.y; mov.u32 %r8, %ntid.y; mov.u32 %r9, %tid.y; mad.lo.s32 %r10, %r7, %r8, %r9;
  setp.ge.s32 %p1, %r6, %r1;
  setp.ge.s32 %p2, %r10, %r2;
  or.pred %p3, %p1, %p2;
  @%p3 bra DONE;
  mad.lo.s32 %r11, %r10, %r1, %r6;
  mul.wide.s32 %rd2, %r11, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r12, [%rd3];
  add.s32 %r13, %r12, %r11;
  st.global.u32 [%rd3], %r13;
DONE:
  ret;
})";
  Loaded loaded(text);
  struct {
    std::int32_t* out;
    std::int32_t width, height;
  } parameters{};
  for (const Way& way : kWays) {
    std::vector<std::int32_t> out(37 * 29 + 4, 1000);
    parameters = {out.data(), 37, 29};
    ASSERT_EQ(loaded.run("k", way, {{3, 4, 1}, {16, 8, 1}}, parameters), Fault::none);
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(out[i], i < 37 * 29 ? 1000 + static_cast<std::int32_t>(i) : 1000)
          << name_of(way) << ", element " << i;
    }
  }
}

}  // namespace
}  // namespace tare::cpu::codegen::test
