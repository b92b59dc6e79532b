// Faults that users of emulators and launchers have reported, with the inputs that show them. tests/README.md
// lists all of them, and the tests that were there already.
#include <cfenv>
#include <cstring>
#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

using FieldReports = WithContext;

TEST_F(FieldReports, PtxAboveTheDriversIsAnsweredWithBothVersions) {
  std::string log(512, '\0');
  const abi::Enum options[] = {abi::jit::error_log_buffer, abi::jit::error_log_buffer_size_bytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  const std::string text = ".version 9.9\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
  abi::Module module = nullptr;
  EXPECT_RESULT(abi::kUnsupportedPtxVersion,
                call("cuModuleLoadDataEx", &module, static_cast<const void*>(text.c_str()), 2u,
                     static_cast<const abi::Enum*>(options), static_cast<void**>(values)));
  EXPECT_NE(log.find("Unsupported .version 9.9; current version is '9.0'"), std::string::npos) << log.c_str();
}

TEST_F(FieldReports, ThreadsThatReturnBeforeABarrierHaveReleasedIt) {
  const abi::Function function = function_of(load(ptx(R"(
.visible .entry k(.param .u64 o, .param .u32 n)
{
  .shared .align 4 .b8 s[1024]; .reg .b32 %r<12>; .reg .b64 %d<4>; .reg .pred %p;
  ld.param.u64 %d1, [o]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2;
  mov.u32 %r4, s; add.u32 %r5, %r4, %r3; mov.u32 %r6, -1; st.shared.u32 [%r5], %r6;
  setp.ge.s32 %p, %r2, %r1; @%p bra LEAVE;
  mul.lo.u32 %r7, %r2, 3; st.shared.u32 [%r5], %r7;
  bar.sync 0;
  sub.u32 %r8, %r1, %r2; add.u32 %r8, %r8, -1; shl.b32 %r8, %r8, 2; add.u32 %r8, %r4, %r8;
  ld.shared.u32 %r9, [%r8]; mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r9;
LEAVE:
  ret;
})")),
                                             "k");
  for (std::uint32_t n : {1u, 31u, 32u, 33u, 255u, 256u}) {
    DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(256, 77));
    ASSERT_OK(launch(function, {{1, 1, 1}, {256, 1, 1}}, {out.argument(), &n}));
    ASSERT_OK(call("cuCtxSynchronize")) << n;
    const auto words = out.read();
    for (std::uint32_t t = 0; t < 256; ++t)
      ASSERT_EQ(words[t], t < n ? 3 * (n - 1 - t) : 77) << n << ", " << t;
  }
}

TEST_F(FieldReports, ShufflesKeepToTheirSegmentsInAPartOfAWarpToo) {
  const abi::Function function = function_of(load(ptx(R"(
.visible .entry k(.param .u64 o)
{
  .reg .b32 %r<16>; .reg .b64 %d<4>; .reg .pred %p<8>;
  ld.param.u64 %d1, [o]; mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid; add.u32 %r3, %r1, 100; add.u32 %r4, %r2, 4;
  shfl.sync.idx.b32 %r5|%p1, %r3, %r4, 0x181f, -1;
  shfl.sync.up.b32 %r6|%p2, %r3, 3, 0x1800, -1;
  shfl.sync.bfly.b32 %r7|%p3, %r3, 5, 0x181f, -1;
  shfl.sync.down.b32 %r8|%p4, %r3, 16, 0x1f, -1;
  selp.u32 %r9, 1, 0, %p2; selp.u32 %r10, 1, 0, %p4;
  mul.wide.u32 %d2, %r1, 24; add.u64 %d1, %d1, %d2;
  st.global.u32 [%d1], %r5; st.global.u32 [%d1+4], %r6; st.global.u32 [%d1+8], %r7; st.global.u32 [%d1+12], %r8;
  st.global.u32 [%d1+16], %r9; st.global.u32 [%d1+20], %r10;
  ret;
})")),
                                             "k");
  for (const unsigned threads : {32u, 40u}) {
    DeviceArray<std::uint32_t> out(threads * 6);
    ASSERT_OK(launch(function, {{1, 1, 1}, {threads, 1, 1}}, {out.argument()}));
    ASSERT_OK(call("cuCtxSynchronize"));
    const auto words = out.read();
    for (std::uint32_t t = 0; t < threads; ++t) {
      const std::uint32_t segment = t / 8 * 8, in_segment = t % 8;
      EXPECT_EQ(words[6 * t], 100 + segment + (in_segment + 4) % 8) << t;
      EXPECT_EQ(words[6 * t + 1], 100 + (in_segment >= 3 ? t - 3 : t)) << t;
      EXPECT_EQ(words[6 * t + 2], 100 + segment + (in_segment ^ 5)) << t;
      EXPECT_EQ(words[6 * t + 4], in_segment >= 3 ? 1u : 0u) << t;
      if (t >= 32) continue;  // the lanes that it would read are not there
      EXPECT_EQ(words[6 * t + 3], 100 + (t < 16 ? t + 16 : t)) << t;
      EXPECT_EQ(words[6 * t + 5], t < 16 ? 1u : 0u) << t;
    }
  }
}

TEST_F(FieldReports, AShuffleReadsALaneThatAloneWroteTheRegister) {
  std::uint32_t value = 0x12345678;
  DeviceArray<std::uint32_t> out(64);
  run(ptx(R"(
.visible .entry k(.param .u64 o, .param .u32 a)
{
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [o]; ld.param.u32 %r2, [a]; mov.u32 %r3, %tid.x; and.b32 %r4, %r3, 31;
  setp.ne.u32 %p1, %r4, 0; @%p1 bra SKIP; mov.u32 %r1, %r2;
SKIP:
  shfl.sync.idx.b32 %r5|%p2, %r1, 0, 31, -1;
  mul.wide.u32 %d2, %r3, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r5; ret;
})"),
      "k", {{1, 1, 1}, {64, 1, 1}}, out.argument(), &value);
  EXPECT_EQ(out.read(), std::vector<std::uint32_t>(64, value));
}

TEST_F(FieldReports, RoundingAndFlushingAreEachInstructionsAndNeitherTakenFromTheHostNorLeftThere) {
  const std::string text = ptx(R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 o)
{
  .reg .f32 %f<8>; .reg .b64 %d<8>; .reg .b32 %r<4>;
  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [o]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %d4, %r1, 4; add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4; mul.wide.u32 %d5, %r1, 16; add.u64 %d3, %d3, %d5;
  ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d2];
  mul.rn.f32 %f3, %f1, %f2; mul.rn.ftz.f32 %f4, %f1, %f2; add.rz.f32 %f5, %f1, %f2; fma.rp.f32 %f6, %f1, %f2, %f1;
  st.global.f32 [%d3], %f3; st.global.f32 [%d3+4], %f4; st.global.f32 [%d3+8], %f5; st.global.f32 [%d3+12], %f6;
  ret;
})");
  DeviceArray<std::uint32_t> a(
      std::vector<std::uint32_t>{0x00800000, 0x80800000, 0x00000001, 0x3f800000, 0x3f800000});
  DeviceArray<std::uint32_t> b(
      std::vector<std::uint32_t>{0x3f000000, 0x3f000000, 0x4b800000, 0xb3000000, 0x33000000});
  DeviceArray<std::uint32_t> out(20);
  std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
  const unsigned before = _mm_getcsr() | 0x8040;  // flush to zero, denormals are zero
  _mm_setcsr(before);
#endif
  run(text, "k", {{1, 1, 1}, {5, 1, 1}}, a.argument(), b.argument(), out.argument());
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
#if defined(__x86_64__)
  EXPECT_EQ(_mm_getcsr() & 0xffc0u, before & 0xffc0u);
  _mm_setcsr(before & ~0x8040u);
#endif
  std::fesetround(FE_TONEAREST);
  const auto words = out.read();
  EXPECT_EQ(words[0], 0x00400000u) << "2^-126 x 0.5";
  EXPECT_EQ(words[1], 0x00000000u) << "the same, flushed";
  EXPECT_EQ(words[4], 0x80400000u) << "-2^-126 x 0.5";
  EXPECT_EQ(words[5], 0x80000000u) << "the same, flushed";
  EXPECT_EQ(words[8], 0x01000000u) << "2^-149 x 2^24... of a subnormal";
  EXPECT_EQ(words[9], 0x00000000u) << "of a flushed subnormal";
  EXPECT_EQ(words[14], 0x3f7fffffu) << "1 - 2^-25 towards zero";
  EXPECT_EQ(words[19], 0x3f800001u) << "1 + 2^-25 upwards";
}

TEST_F(FieldReports, WhatIsWorkedOutWhileATextIsCompiledIsNotRoundedAsTheHostRounds) {
  DeviceArray<std::uint64_t> out(2);
  std::fesetround(FE_UPWARD);
  run(ptx(R"(
.visible .entry k(.param .u64 o)
{
  .reg .f64 %f<4>; .reg .b64 %d;
  ld.param.u64 %d, [o];
  mov.f64 %f1, 0.3; st.global.f64 [%d], %f1;
  mov.f64 %f2, 0d4008000000000000; sqrt.rn.f64 %f3, %f2; st.global.f64 [%d+8], %f3;
  ret;
})"),
      "k", {}, out.argument());
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(out.read()[0], 0x3fd3333333333333u) << "0.3, below it";
  EXPECT_EQ(out.read()[1], 0x3ffbb67ae8584caau) << "the root of 3, below it";
}

TEST_F(FieldReports, AModuleIsLoadedAndRunWhileAKernelSpinsOnAHostsWord) {
  abi::Stream spinning = nullptr, other = nullptr;
  ASSERT_OK(call("cuStreamCreate", &spinning, 1u));
  ASSERT_OK(call("cuStreamCreate", &other, 1u));
  Gate gate;
  DevicePointer word = gate.address();
  const abi::Function spins = function_of(load(ptx(R"(
.visible .entry spins(.param .u64 word)
{
  .reg .b64 %d; .reg .b32 %r; .reg .pred %p;
  ld.param.u64 %d, [word];
AGAIN:
  ld.volatile.global.u32 %r, [%d]; setp.eq.u32 %p, %r, 0; @%p bra AGAIN;
  ret;
})")),
                                          "spins");
  ASSERT_OK(launch(spins, {{1, 1, 1}, {1, 1, 1}, 0, spinning}, {&word}));
  DeviceArray<std::uint32_t> out(1);
  std::thread loader([&] {
    EXPECT_OK(call("cuCtxSetCurrent", context_));
    const abi::Function function =
        function_of(load(ptx(".visible .entry k(.param .u64 o) { .reg .b64 %d; ld.param.u64 %d, [o]; "
                             "st.global.u32 [%d], 5; ret; }")),
                    "k");
    EXPECT_OK(launch(function, {{1, 1, 1}, {1, 1, 1}, 0, other}, {out.argument()}));
    EXPECT_OK(call("cuStreamSynchronize", other));
    EXPECT_RESULT(abi::kNotReady, call("cuStreamQuery", spinning));
  });
  loader.join();
  gate.open();
  EXPECT_OK(call("cuStreamSynchronize", spinning));
  EXPECT_EQ(out.read()[0], 5u);
}

TEST_F(FieldReports, StructsByValueLieWhereTheirAlignmentPutsThem) {
  struct alignas(16) Q {
    float x, y, z;
  };
  struct P {
    char tag;
    double w;
    short n;
  } p{7, 2.5, -3};
  Q q{1, 2, 3};
  float t[3] = {4, 5, 6};
  int last = 9;
  const abi::Function function = function_of(load(ptx(R"(
.visible .entry k(.param .u64 o, .param .align 8 .b8 p[24], .param .align 16 .b8 q[16], .param .align 4 .b8 t[12], .param .u32 last)
{
  .reg .b64 %d<4>; .reg .b32 %r<8>; .reg .b16 %h<4>;
  ld.param.u64 %d1, [o]; ld.param.u64 %d2, [p+8]; ld.param.s16 %h1, [p+16]; ld.param.u32 %r1, [q+8];
  ld.param.u32 %r2, [t+8]; ld.param.u32 %r3, [last]; cvt.s32.s16 %r4, %h1;
  st.global.u64 [%d1], %d2; st.global.u32 [%d1+8], %r4; st.global.u32 [%d1+12], %r1;
  st.global.u32 [%d1+16], %r2; st.global.u32 [%d1+20], %r3;
  ret;
})")),
                                             "k");
  const std::size_t expected[][2] = {{0, 8}, {8, 24}, {32, 16}, {48, 12}, {60, 4}};
  for (std::size_t i = 0; i < 5; ++i) {
    std::size_t offset = 99, size = 99;
    ASSERT_OK(call("cuFuncGetParamInfo", function, i, &offset, &size));
    EXPECT_EQ(offset, expected[i][0]) << i;
    EXPECT_EQ(size, expected[i][1]) << i;
  }
  DeviceArray<std::uint32_t> out(6);
  ASSERT_OK(launch(function, {}, {out.argument(), &p, &q, t, &last}));
  ASSERT_OK(call("cuCtxSynchronize"));
  EXPECT_EQ(out.read(), (std::vector<std::uint32_t>{0, 0x40040000, 0xfffffffd, 0x40400000, 0x40c00000, 9}));
}

TEST_F(FieldReports, StaticAndDynamicSharedMemoryTogetherNeedTheOptIn) {
  const abi::Function function = function_of(load(ptx(R"(
.visible .entry k() { .shared .align 4 .b8 own[4]; .reg .b32 %r; mov.u32 %r, own; st.shared.u32 [%r], %r; ret; })")),
                                             "k");
  const auto with = [&](unsigned bytes) { return launch(function, {{1, 1, 1}, {1, 1, 1}, bytes}, {}); };
  int most = 0;
  ASSERT_OK(call("cuDeviceGetAttribute", &most, abi::Enum{97}, abi::Device{0}));
  EXPECT_OK(with(49148));
  EXPECT_RESULT(abi::kInvalidValue, with(49152));
  EXPECT_OK(
      call("cuFuncSetAttribute", function, abi::function_attribute::max_dynamic_shared_size_bytes, most - 4));
  EXPECT_OK(with(49152));
  EXPECT_OK(with(static_cast<unsigned>(most) - 4));
  EXPECT_RESULT(abi::kInvalidValue, with(static_cast<unsigned>(most)));
  EXPECT_OK(call("cuCtxSynchronize"));
}

}  // namespace
}  // namespace tare::conformance
