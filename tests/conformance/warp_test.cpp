// What the lanes of a warp learn from each other, against the same computed here: whole, partial and thinned
// warps.
#include <algorithm>
#include <bit>
#include <random>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

using Waiting = WithContext;

constexpr unsigned kResults = 20;

const char kOperations[] = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 leave)
{
  .reg .pred %p<12>; .reg .b32 %r<64>; .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r3, [leave];
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r2, [%rd4];
  and.b32 %r4, %r2, %r3; setp.ne.u32 %p1, %r4, 0; @%p1 ret;
  and.b32 %r5, %r2, 3; setp.eq.u32 %p2, %r5, 1; setp.lt.u32 %p3, %r1, 2000;
  vote.sync.ballot.b32 %r20, %p2, -1;
  vote.sync.any.pred %p4, %p2, -1; vote.sync.all.pred %p5, %p2, -1; vote.sync.uni.pred %p6, %p2, -1;
  vote.sync.all.pred %p7, %p3, -1; vote.sync.uni.pred %p8, %p3, -1;
  selp.u32 %r21, 1, 0, %p4; selp.u32 %r22, 1, 0, %p5; selp.u32 %r23, 1, 0, %p6;
  selp.u32 %r24, 1, 0, %p7; selp.u32 %r25, 1, 0, %p8;
  match.any.sync.b32 %r26, %r5, -1;
  mov.b64 %rd5, {%r1, %r5}; mov.b64 %rd6, {%r3, %r5}; match.any.sync.b64 %r27, %rd6, -1;
  match.all.sync.b32 %r28|%p9, %r3, -1; selp.u32 %r29, 1, 0, %p9;
  match.all.sync.b64 %r30|%p10, %rd5, -1;
  redux.sync.add.u32 %r31, %r2, -1; redux.sync.min.u32 %r32, %r2, -1; redux.sync.max.u32 %r33, %r2, -1;
  redux.sync.min.s32 %r34, %r2, -1; redux.sync.max.s32 %r35, %r2, -1;
  redux.sync.and.b32 %r36, %r2, -1; redux.sync.or.b32 %r37, %r2, -1; redux.sync.xor.b32 %r38, %r2, -1;
  activemask.b32 %r39;
  mad.lo.u32 %r6, %r1, 80, 0; cvt.u64.u32 %rd7, %r6; add.u64 %rd8, %rd2, %rd7;
  st.global.v4.u32 [%rd8], {%r20, %r21, %r22, %r23}; st.global.v4.u32 [%rd8+16], {%r24, %r25, %r26, %r27};
  st.global.v4.u32 [%rd8+32], {%r28, %r29, %r30, %r31}; st.global.v4.u32 [%rd8+48], {%r32, %r33, %r34, %r35};
  st.global.v4.u32 [%rd8+64], {%r36, %r37, %r38, %r39};
  ret;
}
)";

/// The results of one lane of a warp with these values; `members` are the lanes that have not left.
std::vector<std::uint32_t> expected_of(const std::uint32_t* values, std::uint32_t members,
                                       std::uint32_t lane) {
  std::uint32_t ballot = 0, same = 0, sum = 0, low = ~0u, high = 0, all = ~0u, some = 0, parity = 0;
  std::int32_t least = INT32_MAX, most = INT32_MIN;
  for (std::uint32_t other = 0; other < 32; ++other) {
    if ((members >> other & 1) == 0) continue;
    const std::uint32_t value = values[other];
    if ((value & 3) == 1) ballot |= 1u << other;
    if ((value & 3) == (values[lane] & 3)) same |= 1u << other;
    sum += value;
    low = std::min(low, value);
    high = std::max(high, value);
    least = std::min(least, static_cast<std::int32_t>(value));
    most = std::max(most, static_cast<std::int32_t>(value));
    all &= value;
    some |= value;
    parity ^= value;
  }
  // Keyed by the thread's index, no two lanes match.
  const std::uint32_t unique = std::popcount(members) == 1 ? members : 0;
  return {ballot,
          ballot != 0 ? 1u : 0u,
          ballot == members ? 1u : 0u,
          ballot == members || ballot == 0 ? 1u : 0u,
          1,
          1,
          same,
          same,
          members,
          1,
          unique,
          sum,
          low,
          high,
          static_cast<std::uint32_t>(least),
          static_cast<std::uint32_t>(most),
          all,
          some,
          parity,
          members};
}

TEST_F(Waiting, LanesOfAWarpVoteMatchAndReduceWithThoseThatHaveNotExited) {
  const abi::Function function = function_of(load(kOperations), "k");
  std::mt19937 random(3);
  for (const unsigned threads : {32u, 1u, 20u, 33u, 100u, 1024u}) {
    for (std::uint32_t leave : {0u, 4u, 12u, 0xf0u}) {
      std::vector<std::uint32_t> values(1024 + 32);
      for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random());
      DeviceArray<std::uint32_t> in(values);
      DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(threads * kResults, 0xcdcdcdcdu));
      ASSERT_OK(launch(function, {{1, 1, 1}, {threads, 1, 1}}, {in.argument(), out.argument(), &leave}));
      ASSERT_OK(call("cuCtxSynchronize"));
      const auto got = out.read();
      for (unsigned thread = 0; thread < threads; ++thread) {
        const unsigned first = thread / 32 * 32;
        std::uint32_t members = 0;
        for (unsigned lane = 0; lane < 32 && first + lane < threads; ++lane)
          if ((values[first + lane] & leave) == 0) members |= 1u << lane;
        std::vector<std::uint32_t> expected(kResults, 0xcdcdcdcdu);
        if ((members >> (thread % 32) & 1) != 0) expected = expected_of(&values[first], members, thread % 32);
        const std::vector<std::uint32_t> words(got.begin() + thread * kResults,
                                               got.begin() + (thread + 1) * kResults);
        ASSERT_EQ(words, expected) << threads << " threads, leaving by " << leave << ", thread " << thread;
      }
    }
  }
}

TEST_F(Waiting, OneLaneOfTheMaskIsElected) {
  const std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 9; selp.u32 %r2, 0x1ff, 0xfffffe00, %p1;
  elect.sync %r3|%p2, %r2; selp.u32 %r4, 100, 0, %p2; add.u32 %r3, %r3, %r4;
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r3;
  ret;
}
)";
  DeviceArray<std::uint32_t> out(32);
  run(text, "k", {{1, 1, 1}, {32, 1, 1}}, out.argument());
  const auto words = out.read();
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t leader = lane < 9 ? 0 : 9;
    EXPECT_EQ(words[lane], leader + (lane == leader ? 100 : 0)) << lane;
  }
}

}  // namespace
}  // namespace tare::conformance
