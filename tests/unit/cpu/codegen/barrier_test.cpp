// Kernels whose threads wait for each other.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "harness.hpp"

namespace tare::cpu::codegen::test {
namespace {

template <typename Check>
void in_every_way(const std::string& text, const Check& check) {
  Loaded loaded(std::string(kHeader) + text);
  for (const Way& way : kWays) {
    SCOPED_TRACE(name_of(way));
    check(loaded, way);
  }
}

const char kReduce[] = R"(
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .f32 %f<4>;
  .shared .align 4 .b8 partial[1024];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.s32 %r4, %r2, %r3, %r1;
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f1, [%rd4];
  shl.b32 %r5, %r1, 2;
  mov.u32 %r6, partial;
  add.s32 %r7, %r6, %r5;
  st.shared.f32 [%r7], %f1;
  bar.sync 0;
  shr.u32 %r15, %r3, 1;
LOOP:
  setp.eq.u32 %p1, %r15, 0;
  @%p1 bra FINISH;
  setp.ge.u32 %p2, %r1, %r15;
  @%p2 bra NEXT;
  shl.b32 %r8, %r15, 2;
  add.s32 %r9, %r7, %r8;
  ld.shared.f32 %f2, [%r9];
  ld.shared.f32 %f1, [%r7];
  add.f32 %f3, %f1, %f2;
  st.shared.f32 [%r7], %f3;
NEXT:
  bar.sync 0;
  shr.u32 %r15, %r15, 1;
  bra LOOP;
FINISH:
  setp.ne.s32 %p3, %r1, 0;
  @%p3 bra DONE;
  ld.shared.f32 %f1, [partial];
  mul.wide.u32 %rd5, %r2, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.global.f32 [%rd6], %f1;
DONE:
  ret;
})";

TEST(Barrier, TreeReductionInALoopAddsEveryElement) {
  in_every_way(kReduce, [](Loaded& loaded, const Way& way) {
    std::vector<float> in(256 * 3), out(3, -1.0f);
    std::iota(in.begin(), in.end(), 1.0f);
    struct {
      float *in, *out;
    } parameters{in.data(), out.data()};
    ASSERT_EQ(loaded.run("k", way, {{3, 1, 1}, {256, 1, 1}}, parameters), Fault::none);
    EXPECT_EQ(out, (std::vector<float>{32896.0f, 98432.0f, 163968.0f}));
  });
}

TEST(Barrier, HundredsOfThemAreCompiledAndKeepTheirOrder) {
  // Each thread passes what it has to its right neighbour, 300 times.
  std::string text = R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 passed[256];
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
  shl.b32 %r2, %r1, 2; mov.u32 %r3, passed; add.u32 %r4, %r3, %r2;
  add.u32 %r5, %r2, 252; and.b32 %r5, %r5, 255; add.u32 %r5, %r3, %r5;
  mul.lo.u32 %r6, %r1, 7;
)";
  for (int i = 0; i < 300; ++i) {
    text +=
        "  st.shared.u32 [%r4], %r6; bar.sync 0; ld.shared.u32 %r6, [%r5]; add.u32 %r6, %r6, 3; bar.sync "
        "0;\n";
  }
  text += "  st.global.u32 [%rd3], %r6; ret;\n}\n";
  in_every_way(text, [](Loaded& loaded, const Way& way) {
    std::vector<std::uint32_t> out(64), expected(64);
    for (std::uint32_t i = 0; i < 64; ++i) expected[i] = (i + 64 * 5 - 300) % 64 * 7 + 900;
    std::uint32_t* parameter = out.data();
    ASSERT_EQ(loaded.run("k", way, {{1, 1, 1}, {64, 1, 1}}, parameter), Fault::none);
    EXPECT_EQ(out, expected);
  });
}

TEST(Barrier, TilePassesThroughSharedMemoryTransposed) {
  in_every_way(R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<16>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 tile[1088];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mad.lo.s32 %r3, %r2, 17, %r1;
  shl.b32 %r4, %r3, 2;
  mov.u32 %r5, tile;
  add.s32 %r6, %r5, %r4;
  mad.lo.s32 %r7, %r2, 100, %r1;
  st.shared.u32 [%r6], %r7;
  bar.sync 0;
  mad.lo.s32 %r8, %r1, 17, %r2;
  shl.b32 %r9, %r8, 2;
  add.s32 %r10, %r5, %r9;
  ld.shared.u32 %r11, [%r10];
  shl.b32 %r12, %r2, 4;
  add.s32 %r13, %r12, %r1;
  mul.wide.u32 %rd2, %r13, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r11;
  ret;
})",
               [](Loaded& loaded, const Way& way) {
                 std::vector<std::uint32_t> out(256);
                 struct {
                   std::uint32_t* out;
                 } parameters{out.data()};
                 ASSERT_EQ(loaded.run("k", way, {{1, 1, 1}, {16, 16, 1}}, parameters), Fault::none);
                 for (std::uint32_t y = 0; y < 16; ++y) {
                   for (std::uint32_t x = 0; x < 16; ++x) ASSERT_EQ(out[y * 16 + x], x * 100 + y);
                 }
               });
}

const char kEarlyExit[] = R"(
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 values[1024];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.s32 %p1, %r2, %r1;
  @%p1 bra DONE;
  shl.b32 %r3, %r2, 2;
  mov.u32 %r4, values;
  add.s32 %r5, %r4, %r3;
  shl.b32 %r6, %r2, 1;
  st.shared.u32 [%r5], %r6;
  bar.sync 0;
  sub.s32 %r7, %r1, %r2;
  add.s32 %r7, %r7, -1;
  shl.b32 %r8, %r7, 2;
  add.s32 %r9, %r4, %r8;
  ld.shared.u32 %r10, [%r9];
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r10;
DONE:
  ret;
})";

TEST(Barrier, ThreadsThatHaveExitedAreNotWaitedFor) {
  in_every_way(kEarlyExit, [](Loaded& loaded, const Way& way) {
    std::vector<std::uint32_t> out(256, 77);
    struct {
      std::uint32_t* out;
      std::uint32_t n;
    } parameters{out.data(), 100};
    ASSERT_EQ(loaded.run("k", way, {{1, 1, 1}, {256, 1, 1}}, parameters), Fault::none);
    for (std::uint32_t i = 0; i < 256; ++i) ASSERT_EQ(out[i], i < 100 ? (99 - i) * 2 : 77) << i;
  });
}

TEST(Barrier, ThreadsThatExitBeforeItAreNoFaultOfTheOthersAccesses) {
  Loaded loaded(std::string(kHeader) + R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r1, 3;
  @%p ret;
  bar.sync 0;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
})");
  loaded.expect_words(
      64, [](std::uint32_t i) { return i < 3 ? 99 : i; }, 99);
}

TEST(Barrier, ArrivalsFromTwoBranchesMeet) {
  in_every_way(R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 values[256];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, values;
  add.s32 %r4, %r3, %r2;
  and.b32 %r5, %r1, 1;
  setp.eq.s32 %p1, %r5, 0;
  @%p1 bra EVEN;
  st.shared.u32 [%r4], %r1;
  barrier.sync 0;
  ld.shared.u32 %r6, [%r4+-4];
  bra JOIN;
EVEN:
  mul.lo.s32 %r7, %r1, 10;
  st.shared.u32 [%r4], %r7;
  barrier.sync 0;
  ld.shared.u32 %r6, [%r4+4];
JOIN:
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
})",
               [](Loaded& loaded, const Way& way) {
                 std::vector<std::uint32_t> out(64);
                 struct {
                   std::uint32_t* out;
                 } parameters{out.data()};
                 ASSERT_EQ(loaded.run("k", way, {{1, 1, 1}, {64, 1, 1}}, parameters), Fault::none);
                 for (std::uint32_t i = 0; i < 64; ++i)
                   ASSERT_EQ(out[i], (i & 1) != 0 ? (i - 1) * 10 : i + 1);
               });
}

TEST(Barrier, TwoBarriersThatWaitForEachOtherAreAFaultWithThreadAndLine) {
  in_every_way(
      R"(.visible .entry k()
{
  .reg .pred %p<2>; .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  setp.eq.s32 %p1, %r1, 3;
  @%p1 bra OTHER;
  bar.sync 2;
  bra DONE;
OTHER:
  bar.sync 1;
DONE:
  ret;
})",
      [](Loaded& loaded, const Way& way) {
        Scratch scratch;
        ASSERT_EQ(loaded.run("k", way, {{1, 1, 1}, {8, 2, 1}}, 0, &scratch), Fault::barrier_never_completes);
        EXPECT_EQ(scratch.fault_block[0], 0u);
        EXPECT_EQ(scratch.fault_thread[0], 0u);
        EXPECT_EQ(scratch.fault_thread[1], 0u);
        EXPECT_EQ(scratch.fault_line, 10u);
      });
}

TEST(Barrier, ReductionsCountAndCombinePredicates) {
  in_every_way(R"(
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  setp.gt.s32 %p1, %r2, 0;
  bar.red.popc.u32 %r3, 0, %p1;
  setp.gt.s32 %p2, %r2, -5;
  bar.red.and.pred %p3, 0, %p2;
  setp.eq.s32 %p4, %r2, 12;
  bar.red.or.pred %p5, 0, %p4;
  selp.u32 %r4, 1000, 0, %p3;
  selp.u32 %r5, 2000, 0, %p5;
  add.s32 %r6, %r3, %r4;
  add.s32 %r7, %r6, %r5;
  st.global.u32 [%rd5], %r7;
  ret;
})",
               [](Loaded& loaded, const Way& way) {
                 std::vector<std::int32_t> in(64), out(64);
                 for (std::size_t i = 0; i < 64; ++i) in[i] = static_cast<std::int32_t>(i) - 4;
                 struct {
                   std::int32_t *in, *out;
                 } parameters{in.data(), out.data()};
                 ASSERT_EQ(loaded.run("k", way, {{1, 1, 1}, {64, 1, 1}}, parameters), Fault::none);
                 EXPECT_EQ(out, std::vector<std::int32_t>(64, 59 + 1000 + 2000));
                 in[0] = -5;
                 in[16] = 13;
                 ASSERT_EQ(loaded.run("k", way, {{1, 1, 1}, {64, 1, 1}}, parameters), Fault::none);
                 EXPECT_EQ(out, std::vector<std::int32_t>(64, 59));
               });
}

TEST(Barrier, WarpBarrierHoldsOneWarpBackOnly) {
  in_every_way(R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 values[256];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, values;
  add.s32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1;
  bar.warp.sync -1;
  xor.b32 %r5, %r2, 4;
  add.s32 %r6, %r3, %r5;
  ld.shared.u32 %r7, [%r6];
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra JOIN;
  bar.warp.sync -1;
  st.shared.u32 [%r4], %r7;
  bar.warp.sync -1;
  ld.shared.u32 %r7, [%r6];
JOIN:
  bar.sync 0;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
})",
               [](Loaded& loaded, const Way& way) {
                 std::vector<std::uint32_t> out(64);
                 struct {
                   std::uint32_t* out;
                 } parameters{out.data()};
                 ASSERT_EQ(loaded.run("k", way, {{1, 1, 1}, {64, 1, 1}}, parameters), Fault::none);
                 for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(out[i], i < 32 ? i ^ 1 : i) << i;
               });
}

TEST(Barrier, DynamicSharedMemoryStartsAfterTheStatic) {
  in_every_way(R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<12>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 fixed[12];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, dynamic;
  mov.u32 %r3, fixed;
  shl.b32 %r4, %r1, 2;
  add.s32 %r5, %r2, %r4;
  st.shared.u32 [%r5], %r1;
  bar.sync 0;
  sub.s32 %r6, 31, %r1;
  shl.b32 %r7, %r6, 2;
  add.s32 %r8, %r2, %r7;
  ld.shared.u32 %r9, [%r8];
  mad.lo.s32 %r9, %r2, 100, %r9;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r9;
  ret;
})",
               [](Loaded& loaded, const Way& way) {
                 std::vector<std::uint32_t> out(32);
                 struct {
                   std::uint32_t* out;
                 } parameters{out.data()};
                 ASSERT_EQ(loaded.run("k", way, {{1, 1, 1}, {32, 1, 1}, 128}, parameters), Fault::none);
                 for (std::uint32_t i = 0; i < 32; ++i) ASSERT_EQ(out[i], 1600 + 31 - i);
               });
}

TEST(Barrier, FastTierRefusesAKernelWithBarriers) {
  Loaded loaded(std::string(kHeader) + kReduce);
  CompileOptions options;
  options.tier = Tier::fast;
  const auto result = loaded.compile("k", options);
  const auto* error = std::get_if<CompileError>(&result);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(
      error->message,
      "bar.sync at line 22 of kernel `k` makes threads wait for each other, which the fast tier does not "
      "run: leave TARE_CPU_TIER at `automatic`, or set it to `general`");
  EXPECT_TRUE(error->unsupported);
}

TEST(Barrier, OnlyLiveRegistersAreKeptAcrossIt) {
  Loaded loaded(std::string(kHeader) + kEarlyExit);
  const auto kernel = loaded.compile("k", {});
  // Indices are computed anew: nothing but the thread's state is left to keep.
  EXPECT_EQ(std::get<CompiledKernel>(kernel).frame_bytes_per_thread, 16u);
}

}  // namespace
}  // namespace tare::cpu::codegen::test
