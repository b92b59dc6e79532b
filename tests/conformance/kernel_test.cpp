// PTX in, bits out: small programs through the whole device, over one and over many blocks. The
// instruction by instruction tests are the code generator's; these show that what it makes is
// launched rightly: indices, parameters, memory spaces, barriers, blocks spread over threads.
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

using Kernels = WithContext;

TEST_F(Kernels, EveryThreadOfAThreeDimensionalGridWritesItsOwnElement) {
  const std::string text = ptx(R"(
.visible .entry index(.param .u64 out) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<24>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
  mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; mov.u32 %r6, %ctaid.z;
  mov.u32 %r7, %ntid.x; mov.u32 %r8, %ntid.y; mov.u32 %r9, %ntid.z;
  mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y;
  mad.lo.u32 %r12, %r6, %r11, %r5;
  mad.lo.u32 %r13, %r12, %r10, %r4;
  mad.lo.u32 %r14, %r13, %r9, %r3;
  mad.lo.u32 %r15, %r14, %r8, %r2;
  mad.lo.u32 %r16, %r15, %r7, %r1;
  mul.wide.u32 %rd2, %r16, 4;
  add.u64 %rd3, %rd1, %rd2;
  add.u32 %r17, %r16, 1;
  st.global.u32 [%rd3], %r17;
  ret;
}
)");
  constexpr std::uint32_t kThreads = 3 * 5 * 2 * 7 * 4 * 3;
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(kThreads, 0u));
  run(text, "index", {{3, 5, 2}, {7, 4, 3}}, out.argument());
  std::vector<std::uint32_t> expected(kThreads);
  std::iota(expected.begin(), expected.end(), 1u);
  EXPECT_EQ(out.read(), expected);
}

const char* const kVectorAdd = R"(
.visible .entry vector_add(.param .u64 a, .param .u64 b, .param .u64 out, .param .u64 n) {
  .reg .b64 %rd<12>;
  .reg .b32 %r<5>;
  .reg .f32 %f<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [out];
  ld.param.u64 %rd4, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  cvt.u64.u32 %rd5, %r3;
  mul.wide.u32 %rd6, %r1, %r2;
  add.u64 %rd7, %rd6, %rd5;
  setp.ge.u64 %p, %rd7, %rd4;
  @%p bra done;
  shl.b64 %rd8, %rd7, 2;
  add.u64 %rd9, %rd1, %rd8;
  add.u64 %rd10, %rd2, %rd8;
  add.u64 %rd11, %rd3, %rd8;
  ld.global.f32 %f1, [%rd9];
  ld.global.f32 %f2, [%rd10];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd11], %f3;
done:
  ret;
}
)";

class VectorAdd : public WithContext, public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(VectorAdd, AddsEveryElementAndTouchesNoOther) {
  const std::uint64_t n = GetParam();
  std::vector<float> a(n + 64), b(n + 64);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i % 1000) * 0.37f;
    b[i] = std::sqrt(static_cast<float>(i));
  }
  DeviceArray<float> da(a), db(b);
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(n + 64, 0xffffffffu));
  std::uint64_t count = n;
  const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
  run(ptx(kVectorAdd), "vector_add", {{blocks, 1, 1}, {256, 1, 1}}, da.argument(), db.argument(),
      out.argument(), &count);
  const auto bits = out.read();
  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(bits[i], std::bit_cast<std::uint32_t>(a[i] + b[i])) << i;
  for (std::uint64_t i = n; i < n + 64; ++i) ASSERT_EQ(bits[i], 0xffffffffu) << i;
}
INSTANTIATE_TEST_SUITE_P(Sizes, VectorAdd,
                         ::testing::Values(1, 31, 255, 256, 257, 4096 + 1, (1u << 22) + 611));

/// As evidence/2026-12-03-h200/fma_oob.py has it for the first factor, and gpu/out_of_bounds.bits for both.
TEST_F(Kernels, FmaOobTakesTheNanOfWhatIsOutsideOfATensorForZero) {
  for (const std::string type : {"f16", "bf16"}) {
    for (const std::string relu : {"", ".relu"}) {
      for (const std::string factors : {"%h1, %h2", "%h2, %h1"}) {
        SCOPED_TRACE(type + relu + " " + factors);
        DeviceArray<std::uint16_t> with(std::size_t{65536}), without(std::size_t{65536});
        run(ptx(".visible .entry k(.param .u64 with, .param .u64 without) {"
                " .reg .b64 %a, %b, %d; .reg .b32 %t, %n, %c; .reg .b16 %h<6>;"
                " ld.param.u64 %a, [with]; ld.param.u64 %b, [without];"
                " mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %c, %ctaid.x; mad.lo.u32 %t, %c, %n, %t;"
                " mul.wide.u32 %d, %t, 2; add.u64 %a, %a, %d; add.u64 %b, %b, %d;"
                " cvt.u16.u32 %h1, %t; mov.b16 %h2, 0x3c00; mov.b16 %h3, 0x4000;"
                " fma.rn.oob" +
                relu + "." + type + " %h4, " + factors +
                ", %h3; st.global.u16 [%a], %h4;"
                " fma.rn" +
                relu + "." + type + " %h5, " + factors + ", %h3; st.global.u16 [%b], %h5; ret; }"),
            "k", {{256, 1, 1}, {256, 1, 1}}, with.argument(), without.argument());
        const auto zeroed = with.read(), plain = without.read();
        for (std::uint32_t i = 0; i < 65536; ++i)
          ASSERT_EQ(zeroed[i], (i & 0x7fff) == 0x7ff7 ? 0 : plain[i]) << i;
      }
    }
  }
}

TEST_F(Kernels, FusedAndUnfusedMultiplyAddDiffer) {
  const std::string text = ptx(R"(
.visible .entry both(.param .u64 out, .param .f32 a, .param .f32 b, .param .f32 c) {
  .reg .b64 %rd<2>;
  .reg .f32 %f<8>;
  ld.param.u64 %rd1, [out];
  ld.param.f32 %f1, [a]; ld.param.f32 %f2, [b]; ld.param.f32 %f3, [c];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  mul.f32 %f5, %f1, %f2;
  add.f32 %f6, %f5, %f3;
  st.global.f32 [%rd1], %f4;
  st.global.f32 [%rd1+4], %f6;
  ret;
}
)");
  float a = 1.0f + 0x1p-12f, b = a, c = -(1.0f + 0x1p-11f);
  DeviceArray<float> out(2);
  run(text, "both", {}, out.argument(), &a, &b, &c);
  EXPECT_EQ(out.read()[0], 0x1p-24f);
  EXPECT_EQ(out.read()[1], 0.0f);
}

TEST_F(Kernels, ConversionsFollowPtxAndNotTheHost) {
  const std::string text = ptx(R"(
.visible .entry convert(.param .u64 out, .param .f32 x) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [out];
  ld.param.f32 %f1, [x];
  cvt.rzi.s32.f32 %r1, %f1;
  cvt.rzi.u32.f32 %r2, %f1;
  cvt.rni.s32.f32 %r3, %f1;
  cvt.rmi.s32.f32 %r4, %f1;
  st.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4};
  ret;
}
)");
  const abi::Function convert = function_of(load(text), "convert");
  const auto converted = [&](float x) {
    DeviceArray<std::int32_t> out(4);
    EXPECT_OK(launch(convert, {}, {out.argument(), &x}));
    return out.read();
  };
  using Four = std::vector<std::int32_t>;
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max(),
                         kMin = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(converted(2.5f), (Four{2, 2, 2, 2}));
  EXPECT_EQ(converted(-1.5f), (Four{-1, 0, -2, -2}));
  EXPECT_EQ(converted(3e9f), (Four{kMax, static_cast<std::int32_t>(3'000'000'000u), kMax, kMax}));
  EXPECT_EQ(converted(-3e9f), (Four{kMin, 0, kMin, kMin}));
  EXPECT_EQ(converted(std::numeric_limits<float>::quiet_NaN()), (Four{0, 0, 0, 0}));
}

TEST_F(Kernels, LoopsBranchesAndPredicatesCountCollatzSteps) {
  const std::string text = ptx(R"(
.visible .entry collatz(.param .u64 out, .param .u32 n) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<10>;
  .reg .pred %p<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p0, %r5, %r1;
  @%p0 ret;
  add.u32 %r6, %r5, 1;
  mov.u32 %r7, 0;
loop:
  setp.eq.u32 %p1, %r6, 1;
  @%p1 bra end;
  and.b32 %r8, %r6, 1;
  setp.eq.u32 %p2, %r8, 0;
  @%p2 shr.u32 %r6, %r6, 1;
  @!%p2 mad.lo.u32 %r6, %r6, 3, 1;
  add.u32 %r7, %r7, 1;
  bra loop;
end:
  mul.wide.u32 %rd2, %r5, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
}
)");
  std::uint32_t n = 1000;
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(n, 0u));
  run(text, "collatz", {{8, 1, 1}, {128, 1, 1}}, out.argument(), &n);
  std::vector<std::uint32_t> expected(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t v = i + 1; v != 1; v = v % 2 == 0 ? v / 2 : 3 * v + 1) ++expected[i];
  }
  EXPECT_EQ(out.read(), expected);
}

TEST_F(Kernels, BarriersAndStaticSharedMemoryReverseEachBlock) {
  const std::string text = ptx(R"(
.visible .entry reverse(.param .u64 data) {
  .shared .align 4 .b8 tile[1024];
  .reg .b64 %rd<4>;
  .reg .b32 %r<16>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
  mov.u32 %r6, tile;
  shl.b32 %r7, %r1, 2;
  add.u32 %r8, %r6, %r7;
  st.shared.u32 [%r8], %r5;
  bar.sync 0;
  sub.u32 %r9, %r3, %r1;
  sub.u32 %r10, %r9, 1;
  shl.b32 %r11, %r10, 2;
  add.u32 %r12, %r6, %r11;
  ld.shared.u32 %r13, [%r12];
  st.global.u32 [%rd3], %r13;
  ret;
}
)");
  constexpr std::uint32_t kBlocks = 500, kBlock = 256;
  std::vector<std::uint32_t> values(kBlocks * kBlock);
  std::iota(values.begin(), values.end(), 0u);
  DeviceArray<std::uint32_t> data(values);
  run(text, "reverse", {{kBlocks, 1, 1}, {kBlock, 1, 1}}, data.argument());
  const auto out = data.read();
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], i / kBlock * kBlock + kBlock - 1 - i % kBlock) << i;
  }
}

TEST_F(Kernels, DynamicSharedMemoryOfTheLaunchSizeSumsABlock) {
  const std::string text = ptx(R"(
.extern .shared .align 4 .b8 room[];
.visible .entry sum(.param .u64 in, .param .u64 out) {
  .reg .b64 %rd<8>;
  .reg .b32 %r<20>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd1, %rd3;
  ld.global.u32 %r5, [%rd4];
  mov.u32 %r6, room;
  shl.b32 %r7, %r1, 2;
  add.u32 %r8, %r6, %r7;
  st.shared.u32 [%r8], %r5;
  bar.sync 0;
  shr.u32 %r9, %r3, 1;
step:
  setp.eq.u32 %p0, %r9, 0;
  @%p0 bra done;
  setp.ge.u32 %p1, %r1, %r9;
  @%p1 bra skip;
  shl.b32 %r10, %r9, 2;
  add.u32 %r11, %r8, %r10;
  ld.shared.u32 %r12, [%r11];
  ld.shared.u32 %r13, [%r8];
  add.u32 %r14, %r12, %r13;
  st.shared.u32 [%r8], %r14;
skip:
  bar.sync 0;
  shr.u32 %r9, %r9, 1;
  bra step;
done:
  setp.ne.u32 %p2, %r1, 0;
  @%p2 ret;
  ld.shared.u32 %r15, [room];
  mul.wide.u32 %rd5, %r2, 4;
  add.u64 %rd6, %rd2, %rd5;
  st.global.u32 [%rd6], %r15;
  ret;
}
)");
  constexpr std::uint32_t kBlocks = 64, kBlock = 512;
  std::vector<std::uint32_t> values(kBlocks * kBlock);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * 2654435761u;
  DeviceArray<std::uint32_t> in(values), out(std::vector<std::uint32_t>(kBlocks, 0u));
  run(text, "sum", {{kBlocks, 1, 1}, {kBlock, 1, 1}, kBlock * 4}, in.argument(), out.argument());
  std::vector<std::uint32_t> expected(kBlocks);
  for (std::uint32_t i = 0; i < values.size(); ++i) expected[i / kBlock] += values[i];
  EXPECT_EQ(out.read(), expected);
}

TEST_F(Kernels, ModuleVariablesAreReadAndWritten) {
  const std::string text = ptx(R"(
.visible .global .align 4 .u32 total = 5;
.visible .const .align 4 .u32 factor = 3;
.visible .entry scale() {
  .reg .b32 %r<4>;
  ld.global.u32 %r1, [total];
  ld.const.u32 %r2, [factor];
  mul.lo.u32 %r3, %r1, %r2;
  st.global.u32 [total], %r3;
  ret;
}
)");
  const abi::Module module = load(text);
  const abi::Function scale = function_of(module, "scale");
  DevicePointer total = 0, factor = 0;
  std::size_t bytes = 0;
  ASSERT_OK(call("cuModuleGetGlobal_v2", &total, &bytes, module, "total"));
  ASSERT_OK(call("cuModuleGetGlobal_v2", &factor, &bytes, module, "factor"));
  EXPECT_OK(launch(scale, {}, {}));
  const std::uint32_t ten = 10;
  EXPECT_OK(call("cuMemcpyHtoD_v2", factor, static_cast<const void*>(&ten), sizeof ten));
  EXPECT_OK(launch(scale, {}, {}));
  std::uint32_t value = 0;
  EXPECT_OK(call("cuMemcpyDtoH_v2", static_cast<void*>(&value), total, sizeof value));
  EXPECT_EQ(value, 150u);
}

TEST_F(Kernels, ArrayElementsAreReadWrittenAndPointedTo) {
  const std::string text = ptx(R"(
.global .u32 table[4] = {10, 20, 30, 40};
.visible .entry elements(.param .u64 out, .param .u32 given[3]) {
  .reg .b64 %rd<5>;
  .reg .b32 %r<12>;
  .reg .u64 %index;
  .reg .u16 %h;
  .shared .u32 s[4];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  add.u32 %r1, %r1, 1;
  cvt.u64.u32 %index, %r1;
  cvt.u16.u32 %h, %r1;
  ld.global.u32 %r2, table[2];
  mov.u64 %rd2, table[3];
  ld.global.u32 %r3, [%rd2];
  ld.global.u32 %r4, table[%r1];
  ld.global.u32 %r5, table[%index+1];
  mov.u64 %rd3, table[%h];
  ld.global.u32 %r6, [%rd3+8];
  ld.param.u32 %r7, given[2];
  st.shared.u32 s[3], 77;
  ld.shared.u32 %r8, s[%r1+2];
  st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r5};
  st.global.v4.u32 [%rd1+16], {%r6, %r7, %r8, %r1};
  ret;
}
)");
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(8, 0u));
  std::array<std::uint32_t, 3> given{5, 6, 7};
  run(text, "elements", {}, out.argument(), given.data());
  EXPECT_EQ(out.read(), (std::vector<std::uint32_t>{30, 40, 20, 30, 40, 7, 77, 1}));
}

TEST_F(Kernels, StructsAndSmallTypesArriveAsParameters) {
  const std::string text = ptx(R"(
.visible .entry unpack(.param .u64 out, .param .u8 byte, .param .s16 half, .param .align 8 .b8 pair[16], .param .f64 d) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  .reg .b16 %h<3>;
  .reg .f64 %d<2>;
  ld.param.u64 %rd1, [out];
  ld.param.u8 %h1, [byte];
  ld.param.s16 %h2, [half];
  cvt.u32.u16 %r1, %h1;
  cvt.s32.s16 %r2, %h2;
  ld.param.u32 %r3, [pair+4];
  ld.param.u64 %rd2, [pair+8];
  ld.param.f64 %d1, [d];
  st.global.u32 [%rd1], %r1;
  st.global.u32 [%rd1+4], %r2;
  st.global.u32 [%rd1+8], %r3;
  st.global.u64 [%rd1+16], %rd2;
  st.global.f64 [%rd1+24], %d1;
  ret;
}
)");
  std::uint8_t byte = 200;
  std::int16_t half = -300;
  struct {
    std::uint32_t first = 1, second = 0xdeadbeef;
    std::uint64_t third = 0x0123456789abcdef;
  } pair;
  double d = -0.1;
  DeviceArray<std::uint64_t> out(std::vector<std::uint64_t>(4, 0u));
  run(text, "unpack", {}, out.argument(), &byte, &half, &pair, &d);
  const auto words = out.read();
  EXPECT_EQ(words[0], 200u | std::uint64_t{static_cast<std::uint32_t>(-300)} << 32);
  EXPECT_EQ(words[1], 0xdeadbeefu);
  EXPECT_EQ(words[2], 0x0123456789abcdefu);
  EXPECT_EQ(words[3], std::bit_cast<std::uint64_t>(-0.1));
}

TEST_F(Kernels, AParameterListOfThirtyTwoKilobytesArrivesWhole) {
  const std::string text = R"(.version 8.1
.target sm_80
.address_size 64
.visible .entry last(.param .u64 out, .param .align 4 .b8 big[32000]) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [big];
  ld.param.u32 %r2, [big+31996];
  st.global.v2.u32 [%rd1], {%r1, %r2};
  ret;
}
)";
  std::vector<std::uint32_t> big(8000);
  std::iota(big.begin(), big.end(), 7u);
  DeviceArray<std::uint32_t> out(2);
  run(text, "last", {}, out.argument(), big.data());
  EXPECT_EQ(out.read(), (std::vector<std::uint32_t>{7, 8006}));
}

}  // namespace
}  // namespace tare::conformance
