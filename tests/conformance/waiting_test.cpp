// Threads that wait for each other, and what is answered when nobody comes: an error with block, thread and
// line, never a hang.
#include <numeric>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

using Waiting = WithContext;

/// A kernel `k` of one parameter, `out`, whose address is in %rd1 and whose tid.x is in %r1.
std::string kernel(const std::string& body, const std::string& before = "") {
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + before + R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<8>; .reg .b32 %r<24>; .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
)" + body +
         "\n  ret;\n}\n";
}

/// The fault of a launch; its text is what the driver says last.
std::string fault_of(const std::string& text, const Shape& shape, Result expected) {
  DeviceArray<std::uint32_t> out(64);
  EXPECT_OK(launch(function_of(load(text), "k"), shape, {out.argument()}));
  EXPECT_RESULT(expected, call("cuCtxSynchronize"));
  std::string message = last_error();
  EXPECT_OK(call("cuDevicePrimaryCtxReset_v2", 0));
  return message;
}

TEST_F(Waiting, ABarrierThatNobodyElseReachesIsALaunchFailureWithItsPlace) {
  const std::string text = kernel(R"(
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra A;
  barrier.sync 1;
  bra B;
A:
  barrier.sync 2;
B:)");
  const std::string message = fault_of(text, {{2, 1, 1}, {64, 1, 1}}, abi::kLaunchFailed);
  EXPECT_NE(message.find("waits for threads that never come"), std::string::npos) << message;
  EXPECT_NE(message.find("thread (0, 0, 0), PTX line 15"), std::string::npos) << message;
  EXPECT_NE(message.find("in block ("), std::string::npos) << message;
}

TEST_F(Waiting, AnIndexThatWrapsInOneThreadIsReadWhereItPointsAfterABarrierToo) {
  // Thread 0 has index 2^32 - 1, which it does not use; the others read their left neighbour's word.
  const std::string text = kernel(R"(
  .shared .align 4 .b8 s[256];
  mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd3, s; add.s64 %rd4, %rd3, %rd2;
  st.shared.u32 [%rd4], %r1;
  bar.sync 0;
  mov.u32 %r3, 7;
  setp.eq.s32 %p1, %r1, 0;
  @%p1 bra DONE;
  add.s32 %r2, %r1, -1; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd6, %rd3, %rd5;
  ld.shared.u32 %r3, [%rd6];
DONE:
  add.s64 %rd7, %rd1, %rd2;
  st.global.u32 [%rd7], %r3;)");
  DeviceArray<std::uint32_t> out(64);
  ASSERT_OK(launch(function_of(load(text), "k"), {{1, 1, 1}, {64, 1, 1}}, {out.argument()}));
  ASSERT_OK(call("cuCtxSynchronize"));
  std::vector<std::uint32_t> expected(64, 7);
  std::iota(expected.begin() + 1, expected.end(), 0u);
  EXPECT_EQ(out.read(), expected);
}

TEST_F(Waiting, ACountThatTheBlockCannotReachIsALaunchFailure) {
  EXPECT_NE(
      fault_of(kernel("  bar.sync 1, 96;"), {{1, 1, 1}, {64, 1, 1}}, abi::kLaunchFailed).find("PTX line 9"),
      std::string::npos);
}

TEST_F(Waiting, ExitedThreadsDoNotCountTowardsACount) {
  fault_of(kernel("  setp.ge.u32 %p1, %r1, 32; @%p1 ret; bar.sync 1, 64;"), {{1, 1, 1}, {64, 1, 1}},
           abi::kLaunchFailed);
}

TEST_F(Waiting, AWarpOperationThatAMemberNeverReachesIsALaunchFailure) {
  const std::string text = kernel(R"(
  setp.eq.u32 %p1, %r1, 5;
  @%p1 bra A;
  shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
  bra B;
A:
  vote.sync.ballot.b32 %r2, %p1, -1;
B:)");
  const std::string message = fault_of(text, {{1, 1, 1}, {32, 1, 1}}, abi::kLaunchFailed);
  EXPECT_NE(message.find("thread (0, 0, 0), PTX line 12"), std::string::npos) << message;
}

TEST_F(Waiting, BlocksThatSpinOnEachOtherAllFinishHoweverManyThereAre) {
  // Every block waits for the one after it, the last for nobody.
  const std::string text = kernel(R"(
  setp.ne.u32 %p1, %r1, 0; @%p1 ret;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; add.u32 %r4, %r2, 1;
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
  setp.eq.u32 %p2, %r4, %r3; mov.u32 %r5, 0; @%p2 bra DONE;
WAIT:
  ld.acquire.gpu.global.u32 %r5, [%rd3+4];
  setp.eq.u32 %p3, %r5, 0;
  @%p3 bra WAIT;
DONE:
  add.u32 %r6, %r5, 1;
  st.release.gpu.global.u32 [%rd3], %r6;)");
  constexpr unsigned kBlocks = 300;
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(kBlocks, 0u));
  run(text, "k", {{kBlocks, 1, 1}, {64, 1, 1}}, out.argument());
  std::vector<std::uint32_t> expected(kBlocks);
  std::iota(expected.rbegin(), expected.rend(), 1u);
  EXPECT_EQ(out.read(), expected);
}

TEST_F(Waiting, BlocksThatSpinOnEachOtherAllFinishHoweverLargeTheirStacksMayBecome) {
  const std::string text = kernel(R"(
  alloca.u64 %rd4, 16; st.local.u32 [%rd4], %r1;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; add.u32 %r4, %r2, 1;
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
  ld.local.u32 %r1, [%rd4]; setp.ne.u32 %p1, %r1, 0; @%p1 ret;
  setp.eq.u32 %p2, %r4, %r3; mov.u32 %r5, 0; @%p2 bra DONE;
WAIT:
  ld.acquire.gpu.global.u32 %r5, [%rd3+4];
  setp.eq.u32 %p3, %r5, 0;
  @%p3 bra WAIT;
DONE:
  add.u32 %r6, %r5, 1;
  st.release.gpu.global.u32 [%rd3], %r6;)");
  constexpr unsigned kBlocks = 20;
  ASSERT_OK(call("cuCtxSetLimit", abi::limit::stack_size, std::size_t{256} << 10));
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(kBlocks, 0u));
  run(text, "k", {{kBlocks, 1, 1}, {64, 1, 1}}, out.argument());
  std::vector<std::uint32_t> expected(kBlocks);
  std::iota(expected.rbegin(), expected.rend(), 1u);
  EXPECT_EQ(out.read(), expected);
}

TEST_F(Waiting, ThreadsOfAWarpWaitForEachOthersLock) {
  const std::string text = kernel(R"(
TRY:
  atom.global.acquire.gpu.cas.b32 %r2, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra TRY;
  ld.volatile.global.u32 %r3, [%rd1+4];
  add.u32 %r3, %r3, 1;
  st.volatile.global.u32 [%rd1+4], %r3;
  membar.gl;
  atom.global.release.gpu.exch.b32 %r2, [%rd1], 0;)");
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(2, 0u));
  run(text, "k", {{50, 1, 1}, {96, 1, 1}}, out.argument());
  EXPECT_EQ(out.read(), (std::vector<std::uint32_t>{0, 50 * 96}));
}

TEST_F(Waiting, ACooperativeGridMeetsThroughItsWorkspace) {
  const std::string text = kernel(R"(
  mov.u32 %r2, %envreg1; mov.u32 %r3, %envreg2; mov.b64 %rd2, {%r3, %r2};
  mov.u32 %r4, %ctaid.x; mov.u32 %r5, %nctaid.x; mul.wide.u32 %rd3, %r4, 4; add.u64 %rd4, %rd1, %rd3;
  add.u32 %r6, %r4, 7; setp.ne.u32 %p1, %r1, 0; @!%p1 st.global.u32 [%rd4], %r6;
  bar.sync 0; @%p1 bra MET;
  membar.gl; atom.global.add.u32 %r7, [%rd2+4], 1;
WAIT:
  ld.volatile.global.u32 %r7, [%rd2+4]; setp.lt.u32 %p2, %r7, %r5; @%p2 bra WAIT;
MET:
  bar.sync 0; @%p1 ret;
  add.u32 %r8, %r4, 1; rem.u32 %r8, %r8, %r5; mul.wide.u32 %rd5, %r8, 4; add.u64 %rd6, %rd1, %rd5;
  ld.volatile.global.u32 %r9, [%rd6]; mul.wide.u32 %rd7, %r5, 4; add.u64 %rd8, %rd4, %rd7; st.global.u32 [%rd8], %r9;)");
  constexpr unsigned kBlocks = 16;
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(2 * kBlocks, 0u));
  const abi::Function function = function_of(load(text), "k");
  void* parameters[] = {out.argument()};
  ASSERT_OK(call("cuLaunchCooperativeKernel", function, kBlocks, 1u, 1u, 64u, 1u, 1u, 0u, abi::Stream{},
                 static_cast<void**>(parameters)));
  ASSERT_OK(call("cuCtxSynchronize"));
  const auto words = out.read();
  for (unsigned block = 0; block < kBlocks; ++block)
    EXPECT_EQ(words[kBlocks + block], (block + 1) % kBlocks + 7);
}

TEST_F(Waiting, ACooperativeGridThatDoesNotFitIsRefused) {
  const abi::Function function = function_of(load(kernel("")), "k");
  DeviceArray<std::uint32_t> out(1);
  void* parameters[] = {out.argument()};
  EXPECT_RESULT(abi::kCooperativeLaunchTooLarge,
                call("cuLaunchCooperativeKernel", function, 100000u, 1u, 1u, 1024u, 1u, 1u, 0u, abi::Stream{},
                     static_cast<void**>(parameters)));
}

}  // namespace
}  // namespace tare::conformance
