// Single instructions: the values that a GPU answers where the manual leaves room or the processor
// differs. Those marked H200 were read off one.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "harness.hpp"

namespace tare::cpu::codegen::test {
namespace {

/// Runs one instruction on 64-bit slots. `a`, `b` and `c` name the operands' registers by type: f (f32),
/// d (f64), r (b32), l (b64), h (b16); register 9 of the result's type is stored.
std::uint64_t answer(const std::string& instruction, char result, std::array<std::uint64_t, 3> in,
                     const Way& way) {
  const std::string conversion = result == 'f'   ? "mov.b32 %r8, %f9; cvt.u64.u32 %l8, %r8;"
                                 : result == 'd' ? "mov.b64 %l8, %d9;"
                                 : result == 'r' ? "cvt.u64.u32 %l8, %r9;"
                                 : result == 'h' ? "cvt.u64.u16 %l8, %h9;"
                                 : result == 'p' ? "selp.u64 %l8, 1, 0, %p9;"
                                                 : "mov.b64 %l8, %l9;";
  std::string load;
  for (int k = 1; k <= 3; ++k) {
    const std::string n = std::to_string(k);
    load += "ld.global.u64 %l" + n + ", [%in+" + std::to_string(8 * (k - 1)) + "]; cvt.u32.u64 %r" + n +
            ", %l" + n + "; cvt.u16.u64 %h" + n + ", %l" + n + "; mov.b32 %f" + n + ", %r" + n +
            "; mov.b64 %d" + n + ", %l" + n + ";\n";
  }
  Loaded loaded(std::string(kHeader) + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" +
                ".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %l<10>, %in, %out; .reg "
                ".f32 %f<10>; .reg .f64 %d<10>;\n" +
                "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n" + load + instruction + "\n" +
                conversion + "\nst.global.u64 [%out], %l8;\nret;\n}\n");
  std::uint64_t out = 0xdeadbeef;
  struct {
    std::uint64_t *in, *out;
  } parameters{in.data(), &out};
  EXPECT_EQ(loaded.run("k", way, {}, parameters), Fault::none);
  return out;
}

struct Case {
  const char* instruction;
  char result;
  std::array<std::uint64_t, 3> in;
  std::uint64_t want;
};

void expect(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    for (const Way& way : {kWays[0], kWays[1]}) {
      EXPECT_EQ(answer(c.instruction, c.result, c.in, way), c.want) << c.instruction << ", " << name_of(way);
    }
  }
}

TEST(Instruction, NanResultsAreCanonicalInF32AndCarryAnOperandInF64) {
  expect({
      {"add.rn.f32 %f9, %f1, %f2;", 'f', {0x7fc00001, 0x3f800000, 0}, 0x7fffffff},         // H200
      {"neg.f32 %f9, %f1;", 'f', {0xffc00000, 0, 0}, 0x7fffffff},                          // H200
      {"mul.rn.f64 %d9, %d1, %d2;", 'd', {0x7ff0000000000000, 0, 0}, 0xfff8000000000000},  // H200
      {"add.rn.f64 %d9, %d1, %d2;",
       'd',
       {0x7ff8000000000000, 0x7ff0000000000001, 0},
       0x7ff8000000000001},  // H200
      {"fma.rn.f64 %d9, %d1, %d2, %d3;",
       'd',
       {0x7fffffffffffffff, 0, 0x7ff8000000000000},
       0x7ff8000000000000},  // H200
  });
}

TEST(Instruction, SaturatingAnIntegerLeavesZeroAndOneWhateverTheRounding) {
  for (const std::string rounding : {"rn", "rz", "rm", "rp"}) {
    for (const std::string from : {"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"}) {
      const char kind = from.ends_with("64") ? 'l' : from.ends_with("32") ? 'r' : 'h';
      const auto converted = [&](const std::string& to, char result, std::uint64_t value) {
        const std::string text =
            "cvt." + rounding + ".sat." + to + "." + from + " %" + result + "9, %" + kind + "1;";
        const std::uint64_t general = answer(text, result, {value, 0, 0}, kWays[0]);
        EXPECT_EQ(general, answer(text, result, {value, 0, 0}, kWays[1])) << text;
        return general;
      };
      const std::uint64_t all_bits = from[0] == 's' ? 0 : 1;  // -1, or the largest
      const std::uint64_t values[] = {0, 1, 7, ~std::uint64_t{0}}, want[] = {0, 1, 1, all_bits};
      for (int k = 0; k < 4; ++k) {
        const std::string which = "cvt." + rounding + ".sat.*." + from + " of " + std::to_string(values[k]);
        EXPECT_EQ(converted("f16", 'h', values[k]), want[k] * 0x3c00) << which;
        EXPECT_EQ(converted("f32", 'f', values[k]), want[k] * 0x3f800000) << which;
        EXPECT_EQ(converted("f64", 'd', values[k]), want[k] * 0x3ff0000000000000) << which;
      }
    }
  }
}

TEST(Instruction, MinAndMaxOrderZerosAndPassOverANan) {
  expect({
      {"min.f32 %f9, %f1, %f2;", 'f', {0x80000000, 0, 0}, 0x80000000},
      {"max.f32 %f9, %f1, %f2;", 'f', {0x80000000, 0, 0}, 0},
      {"min.f32 %f9, %f1, %f2;", 'f', {0x7fc00000, 0x40000000, 0}, 0x40000000},
      {"min.NaN.f32 %f9, %f1, %f2;", 'f', {0x7fc00000, 0x40000000, 0}, 0x7fffffff},
      {"max.f64 %d9, %d1, %d2;", 'd', {0x7ff8000000000000, 0x8000000000000000, 0}, 0x8000000000000000},
  });
}

TEST(Instruction, DirectedRoundingLeavesTheModeAlone) {
  // 1 + 2^-30, and 1/3.
  expect({
      {"add.rz.f32 %f9, %f1, %f2;", 'f', {0x3f800000, 0x30800000, 0}, 0x3f800000},
      {"add.rp.f32 %f9, %f1, %f2;", 'f', {0x3f800000, 0x30800000, 0}, 0x3f800001},
      {"add.rm.f32 %f9, %f1, %f2;", 'f', {0xbf800000, 0xb0800000, 0}, 0xbf800001},
      {"div.rm.f32 %f9, %f1, %f2;", 'f', {0x3f800000, 0x40400000, 0}, 0x3eaaaaaa},
      {"div.rp.f32 %f9, %f1, %f2;", 'f', {0x3f800000, 0x40400000, 0}, 0x3eaaaaab},
      {"fma.rz.f64 %d9, %d1, %d2, %d3;",
       'd',
       {0x3ff0000000000000, 0x3ff0000000000000, 0xbc00000000000000},
       0x3fefffffffffffff},
      {"sub.rm.f64 %d9, %d1, %d2;", 'd', {0x3ff0000000000000, 0x3ff0000000000000, 0}, 0x8000000000000000},
      {"cvt.rm.f32.s32 %f9, %r1;", 'f', {0x7fffffff, 0, 0}, 0x4effffff},
  });
}

TEST(Instruction, FlushingKeepsTheSignAndJudgesTheRoundedResult) {
  expect({
      {"add.ftz.f32 %f9, %f1, %f2;", 'f', {0x80000001, 0x80000000, 0}, 0x80000000},
      {"mul.rn.f32 %f9, %f1, %f2;", 'f', {0x3f7fffff, 0x00800000, 0}, 0x00800000},
      {"mul.rn.ftz.f32 %f9, %f1, %f2;", 'f', {0x3f7fffff, 0x00800000, 0}, 0},                         // H200
      {"fma.rp.ftz.f32 %f9, %f1, %f2, %f3;", 'f', {0x33000001, 0x80800000, 0x00800000}, 0x00800000},  // H200
      {"setp.eq.ftz.f32 %p9, %f1, %f2;", 'p', {1, 0, 0}, 1},
      {"setp.eq.f32 %p9, %f1, %f2;", 'p', {1, 0, 0}, 0},
  });
}

TEST(Instruction, ConversionsToIntegersSaturateAndKnowNan) {
  expect({
      {"cvt.rzi.s32.f32 %r9, %f1;", 'r', {0x4f800000, 0, 0}, 0x7fffffff},
      {"cvt.rzi.u32.f32 %r9, %f1;", 'r', {0xbf800000, 0, 0}, 0},
      {"cvt.rzi.s32.f32 %r9, %f1;", 'r', {0x7fc00000, 0, 0}, 0},                   // H200
      {"cvt.rzi.s64.f32 %l9, %f1;", 'l', {0x7fc00000, 0, 0}, 0x8000000000000000},  // H200
      {"cvt.rzi.s32.f64 %r9, %d1;", 'r', {0x7ff8000000000000, 0, 0}, 0x80000000},  // H200
      {"cvt.rni.s32.f32 %r9, %f1;", 'r', {0x40200000, 0, 0}, 2},
      {"cvt.sat.u8.s32 %r9, %r1;", 'r', {0xfffffff0, 0, 0}, 0},
      {"cvt.s8.s32 %r9, %r1;", 'r', {0x180, 0, 0}, 0xffffff80},
      {"cvt.sat.f32.f32 %f9, %f1;", 'f', {0x7fc00000, 0, 0}, 0},
      {"cvt.rn.f16.f32 %h9, %f1;", 'h', {0x477ff000, 0, 0}, 0x7c00},
      {"cvt.rn.bf16.f32 %h9, %f1;", 'h', {0x3f808000, 0, 0}, 0x3f80},
  });
}

TEST(Instruction, TwoBitsEachArePackedSaturatedBelowWhatWasThere) {
  expect({
      {"cvt.pack.sat.u2.s32.b32 %r9, %r1, %r2, %r3;", 'r', {2, 7, 0x15}, 0x15b},
      {"cvt.pack.sat.u2.s32.b32 %r9, %r1, %r2, %r3;", 'r', {0xffffffff, 1, 0xf0000001}, 0x11},
      {"cvt.pack.sat.s2.s32.b32 %r9, %r1, %r2, %r3;", 'r', {0x80000000, 7, 1}, 0x19},
      {"cvt.pack.sat.s2.s32.b32 %r9, %r1, %r2, %r3;", 'r', {0, 0xffffffff, 0}, 3},
  });
}

TEST(Instruction, ACachePolicyIsAHintAndTheLastOperand) {
  expect({
      {"createpolicy.cvt.L2.b64 %l8, 0x12f0000000000000; ld.global.L2::cache_hint.u32 %r9, [%in+8], %l8;",
       'r',
       {1, 2, 3},
       2},
      {"createpolicy.fractional.L2::evict_last.b64 %l8, 0.5; st.global.L2::cache_hint.u32 [%in], 7, %l8; "
       "ld.global.u32 %r9, [%in];",
       'r',
       {1, 2, 3},
       7},
      {"createpolicy.range.global.L2::evict_last.b64 %l8, [%in], %r1, %r2; "
       "atom.global.add.L2::cache_hint.u32 %r9, [%in+8], %r3, %l8; ld.global.u32 %r8, [%in+8]; "
       "shl.b32 %r8, %r8, 8; or.b32 %r9, %r9, %r8;",
       'r',
       {1, 2, 3},
       0x502},
      {"red.global.add.L2::cache_hint.u32 [%in+8], %r3, %l1; ld.global.u32 %r9, [%in+8];", 'r', {1, 2, 3}, 5},
  });
}

TEST(Instruction, AFlushingSelectionTakesASubnormalForZero) {
  expect({
      {"slct.f64.f32 %d9, %d1, %d2, %f3;", 'd', {1, 2, 0x80000001}, 2},
      {"slct.ftz.f64.f32 %d9, %d1, %d2, %f3;", 'd', {1, 2, 0x80000001}, 1},
      {"slct.ftz.f64.f32 %d9, %d1, %d2, %f3;", 'd', {1, 2, 0xbf800000}, 2},
  });
}

TEST(Instruction, IntegerDivisionByZeroHasAllBitsSet) {
  expect({
      {"div.u32 %r9, %r1, %r2;", 'r', {7, 0, 0}, 0xffffffff},  // H200
      {"rem.u32 %r9, %r1, %r2;", 'r', {7, 0, 0}, 0xffffffff},  // H200
      {"div.s32 %r9, %r1, %r2;", 'r', {0x80000000, 0xffffffff, 0}, 0x80000000},
      {"rem.s32 %r9, %r1, %r2;", 'r', {0x80000000, 0xffffffff, 0}, 0},
      {"rem.s64 %l9, %l1, %l2;", 'l', {7, 0, 0}, ~std::uint64_t{0}},  // H200
  });
}

TEST(Instruction, ShiftsBeyondTheWidthLeaveTheSignOrNothing) {
  expect({
      {"shl.b32 %r9, %r1, %r2;", 'r', {1, 32, 0}, 0},
      {"shr.u32 %r9, %r1, %r2;", 'r', {0x80000000, 200, 0}, 0},
      {"shr.s32 %r9, %r1, %r2;", 'r', {0x80000000, 200, 0}, 0xffffffff},
      {"shl.b64 %l9, %l1, %r2;", 'l', {1, 63, 0}, 0x8000000000000000},
      {"shf.r.clamp.b32 %r9, %r1, %r2, %r3;", 'r', {5, 9, 40}, 9},
      {"shf.l.wrap.b32 %r9, %r1, %r2, %r3;", 'r', {0x80000000, 1, 33}, 3},
  });
}

TEST(Instruction, CarriesRunThroughAChain) {
  expect({
      {"add.cc.u32 %r4, %r1, %r2; addc.u32 %r9, %r3, 0;", 'r', {0xffffffff, 1, 7}, 8},
      {"sub.cc.u32 %r4, %r1, %r2; subc.u32 %r9, %r3, 0;", 'r', {0, 1, 7}, 6},
      {"mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r9, %r1, %r2, 0;", 'r', {0xffffffff, 2, 3}, 2},
  });
}

TEST(Instruction, BitFieldsAndPermutationsFollowTheManual) {
  expect({
      {"bfe.s32 %r9, %r1, 4, 4;", 'r', {0x80, 0, 0}, 0xfffffff8},
      {"bfi.b32 %r9, %r1, %r2, 8, 4;", 'r', {0xff, 0, 0}, 0xf00},
      {"bfe.u64 %l9, %l1, %r2, %r3;", 'l', {0x123456789abcdef, 256, 8}, 0},  // H200
      {"prmt.b32 %r9, %r1, %r2, 0x9174;", 'r', {0x83828180, 0x87868584, 0}, 0xff818784},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0xca;", 'r', {0xf0f0f0f0, 0x12345678, 0x9abcdef0}, 0x1a3c5e70},
      {"bfind.s32 %r9, %r1;", 'r', {0xfffffffe, 0, 0}, 0},
      {"dp4a.s32.s32 %r9, %r1, %r2, %r3;", 'r', {0xff01ff01, 0x01020304, 10}, 12},
      {"popc.b64 %r9, %l1;", 'r', {0xf00000000000000f, 0, 0}, 8},
  });
}

TEST(Instruction, AtomicsReturnTheOldValueAndKeepTheNew) {
  Loaded loaded(std::string(kHeader) + R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  atom.global.add.u32 %r2, [%rd1], 2;
  red.global.max.s32 [%rd1+4], %r1;
  atom.global.cas.b32 %r3, [%rd1+8], %r1, 77;
  red.global.add.f32 [%rd1+12], 0f3f000000;
  atom.global.inc.u32 %r4, [%rd1+16], 9;
  ret;
})");
  for (const Way& way : kWays) {
    std::array<std::uint32_t, 5> out{100, 0xfffffff0, 5, 0x3f800000, 0};
    struct {
      std::uint32_t* out;
    } parameters{out.data()};
    ASSERT_EQ(loaded.run("k", way, {{2, 1, 1}, {32, 1, 1}}, parameters), Fault::none);
    EXPECT_EQ(out, (std::array<std::uint32_t, 5>{228, 31, 77, 0x42040000, 4})) << name_of(way);
  }
}

TEST(Instruction, VariablesOfEverySpaceAreReachedDirectlyAndByGenericAddress) {
  Loaded loaded(std::string(kHeader) + R"(
.global .align 4 .u32 counter = 40;
.const .align 4 .u32 table[4] = {1, 2, 3, 4};
.visible .entry k(.param .u64 out, .param .align 8 .b8 pair[16])
{
  .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<4>;
  .local .align 4 .b8 mine[16];
  .shared .align 4 .b8 ours[16];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 3;
  mul.wide.u32 %rd2, %r2, 4;
  mov.u64 %rd3, table;
  add.s64 %rd4, %rd3, %rd2;
  ld.const.u32 %r3, [%rd4];
  ld.global.u32 %r4, [counter];
  mov.u64 %rd5, mine;
  cvta.local.u64 %rd6, %rd5;
  st.u32 [%rd6+4], %r1;
  ld.local.u32 %r5, [mine+4];
  cvta.shared.u64 %rd7, ours;
  st.u32 [%rd7+8], %r1;
  ld.shared.u32 %r6, [ours+8];
  mov.b64 %rd8, pair;
  cvta.param.u64 %rd9, %rd8;
  ld.u32 %r7, [%rd9+12];
  isspacep.shared %p1, %rd7;
  isspacep.local %p2, %rd7;
  selp.u32 %r8, 1000, 0, %p1;
  selp.u32 %r9, 5000, 0, %p2;
  add.s32 %r10, %r3, %r4;
  add.s32 %r10, %r10, %r5;
  add.s32 %r10, %r10, %r6;
  add.s32 %r10, %r10, %r7;
  add.s32 %r10, %r10, %r8;
  add.s32 %r10, %r10, %r9;
  mul.wide.u32 %rd10, %r1, 4;
  add.s64 %rd11, %rd1, %rd10;
  st.global.u32 [%rd11], %r10;
  ret;
})");
  struct {
    std::uint32_t* out;
    std::uint32_t pair[4];
  } parameters{nullptr, {0, 0, 0, 300}};
  for (const Way& way : kWays) {
    std::vector<std::uint32_t> out(64);
    parameters.out = out.data();
    ASSERT_EQ(loaded.run("k", way, {{1, 1, 1}, {64, 1, 1}}, parameters), Fault::none);
    for (std::uint32_t i = 0; i < 64; ++i)
      ASSERT_EQ(out[i], (i & 3) + 1 + 40 + 2 * i + 1300) << name_of(way) << ", thread " << i;
  }
}

TEST(Instruction, TrapStopsTheBlocksAndSaysWhere) {
  Loaded loaded(std::string(kHeader) + R"(.visible .entry k()
{
  .reg .b32 %r<4>; .reg .pred %p<2>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.s32 %r3, %r2, 8, %r1;
  setp.eq.s32 %p1, %r3, 21;
  @%p1 trap;
  ret;
})");
  for (const Way& way : kWays) {
    Scratch scratch;
    ASSERT_EQ(loaded.run("k", way, {{4, 1, 1}, {8, 1, 1}}, 0, &scratch), Fault::trap);
    EXPECT_EQ(scratch.fault_block[0], 2u) << name_of(way);
    EXPECT_EQ(scratch.fault_thread[0], 5u);
    EXPECT_EQ(scratch.fault_line, 11u);
  }
}

}  // namespace
}  // namespace tare::cpu::codegen::test
