// What may stand together after an opcode, and what its operands may be: as ptxas has it (scripts/ptx-forms
// asks it about hundreds of thousands of forms).
#include <gtest/gtest.h>

#include "unit/cpu/ptx/parse_helpers.hpp"

namespace tare::cpu::ptx {
namespace {

constexpr const char* kBefore =
    ".global .u32 g[4]; .shared .u32 s[4]; .global .u32 one; .global .align 8 .u64 wide[2][3];";

struct Taken : testing::TestWithParam<const char*> {};

TEST_P(Taken, AsPtxasTakesIt) {
  EXPECT_EQ(refusal_of(GetParam(), kBefore), "accepted");
}

INSTANTIATE_TEST_SUITE_P(
    Forms, Taken,
    testing::Values(
        "ld.relaxed.gpu.global.L1::evict_last.L2::128B.u32 %r1, [%rd1];",
        "ld.global.cg.nc.L2::cache_hint.u32 %r1, [%rd1], %rd2;", "ld.volatile.L2::64B.u32 %r1, [%rd1];",
        "st.release.sys.L1::no_allocate.u32 [%rd1], %r1;", "atom.exch.b128 %q1, [%rd1], %q2;",
        "atom.acq_rel.gpu.global.add.noftz.L2::cache_hint.f16 %h1, [%rd1], %h2, %rd2;",
        "red.global.add.noftz.v8.f16 [%rd1], {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8};", "fence.gpu;",
        "fence.proxy.async.shared::cta;", "fence.acquire.sync_restrict::shared::cluster.cluster;",
        "bar.cta.red.or.pred %p1, 1, 64, !%p2;", "barrier.cta.sync.aligned %r1, %r2;",
        "barrier.cta.red.and.aligned.pred %p1, 0, %p2;",
        "cp.async.ca.shared::cta.global [%r1], [%rd1], 8, %p1;",
        "cp.async.cg.shared.global.L2::128B.L2::cache_hint [%r1], [%rd1], 16, 8, %rd2;",
        "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %rd1, [%rd2], %r1, 4;",
        "mov.u16 %h1, %tid.x;", "addc.u16 %h1, %h2, %h3;", "setp.eq.f32 %p1|_, %f1, %f2;",
        "vadd.u32.s32.u32.sat %r1.b2, %r2.h1, %r3.b0, %r4;", "vadd2.s32.s32.s32 %r1.h0, %r2.h32, %r3, %r4;",
        "vset.u32.u32.lt.max %r1, %r2, %r3, %r4;", "vmad.u32.u32.u32.po.shr7 %r1, %r2.h0, %r3, %r4;",
        "mov.u64 %rd1, g[1];", "mov.u32 %r1, s[2+1];", "cvta.global.u64 %rd1, g[2];",
        "ld.global.u32 %r1, g[2];", "ld.global.v2.u32 {%r1, %r2}, g[2];", "st.shared.u32 s[1], %r1;",
        "ld.global.u32 %r1, g[%r2];", "ld.global.u32 %r1, g[%r2+1];", "mov.u64 %rd1, wide[4];"));

struct Case {
  const char* body;
  const char* message;
};

struct Refused : testing::TestWithParam<Case> {};

TEST_P(Refused, AtItsLine) {
  EXPECT_EQ(refusal_of(GetParam().body, kBefore), std::string("9: ") + GetParam().message) << GetParam().body;
}

INSTANTIATE_TEST_SUITE_P(
    Suffixes, Refused,
    testing::Values(
        Case{"ld.wb.u32 %r1, [%rd1];", "Illegal modifier '.wb' for instruction 'ld'"},
        Case{"ld.weak.cta.u32 %r1, [%rd1];", "Modifiers of 'ld.weak.cta.u32' do not go together"},
        Case{"ld.volatile.ca.u32 %r1, [%rd1];", "Modifiers of 'ld.volatile.ca.u32' do not go together"},
        Case{"st.ca.u32 [%rd1], %r1;", "Illegal modifier '.ca' for instruction 'st'"},
        Case{"ldu.shared.u32 %r1, [%r2];", "Illegal modifier '.shared' for instruction 'ldu'"},
        Case{"atom.local.add.u32 %r1, [%rd1], %r2;", "Illegal modifier '.local' for instruction 'atom'"},
        Case{"atom.add.noftz.u32 %r1, [%rd1], %r2;", "Modifiers of 'atom.add.noftz.u32' do not go together"},
        Case{"atom.add.f16 %h1, [%rd1], %h2;", "Modifiers of 'atom.add.f16' do not go together"},
        Case{"red.shared.add.v2.f32 [%r1], {%f1, %f2};",
             "Modifiers of 'red.shared.add.v2.f32' do not go together"},
        Case{"fence.relaxed.gpu;", "Illegal modifier '.relaxed' for instruction 'fence'"},
        Case{"fence.sc;", "Modifiers of 'fence.sc' do not go together"},
        Case{"bar.sync.arrive 0;", "Modifiers of 'bar.sync.arrive' do not go together"},
        Case{"barrier.cluster.arrive.acquire;",
             "Modifiers of 'barrier.cluster.arrive.acquire' do not go together"},
        Case{"cp.async.ca.global [%r1], [%rd1], 16;", "Modifiers of 'cp.async.ca.global' do not go together"},
        Case{"max.xorsign.f32 %f1, %f2, %f3;", "Modifiers of 'max.xorsign.f32' do not go together"},
        Case{"mul.u32.lo %r1, %r2, %r3;", "Modifiers of 'mul.u32.lo' do not go together"},
        Case{"cvt.rs.u32.f32 %r1, %f1;", "Illegal rounding modifier for instruction 'cvt'"},
        Case{"vadd.u32.u32.u32.ftz %r1, %r2, %r3;", "Illegal modifier '.ftz' for instruction 'vadd'"},
        Case{"vset.u32.u32.hs %r1, %r2, %r3;", "Illegal modifier '.hs' for instruction 'vset'"}));

INSTANTIATE_TEST_SUITE_P(
    Targets, Refused,
    testing::Values(
        Case{"add.f32.f16 %f1, %h1, %f2;", "Feature 'add.f32.f16' requires .target sm_100 or higher"},
        Case{"mul.f32x2 %rd1, %rd2, %rd3;", "Feature 'mul.f32x2' requires .target sm_100 or higher"},
        Case{"redux.sync.min.f32 %f1, %f2, -1;", "Instruction 'redux.f32' not supported on .target 'sm_90'"},
        Case{"cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;", "Feature '.rs' not supported on .target 'sm_90'"}));

INSTANTIATE_TEST_SUITE_P(
    Operands, Refused,
    testing::Values(
        Case{"add.u32 _, %r1, %r2;", "Result discard mode is not allowed for instruction 'add'"},
        Case{"cvt.u32.u16 %r1, %h1, %r2;", "Arguments mismatch for instruction 'cvt'"},
        Case{"cvt.rn.bf16x2.f32 %r1, %f1;", "Arguments mismatch for instruction 'cvt'"},
        Case{"cvt.rn.bf16.f32 %r1, %f1;", "Arguments mismatch for instruction 'cvt'"},
        Case{"cvt.rn.f32.u32 %f1, %tid.x;", "Special register argument not allowed for instruction 'cvt'"},
        Case{"max.u32 %r1, %r2, %r3, %r4;", "Arguments mismatch for instruction 'max'"},
        Case{"setp.eq.f16 %p1|%p2, %h1, %h2;", "Predicate output not allowed for instruction 'setp'"},
        Case{"elect.sync %r1, -1;", "Predicate output expected for instruction 'elect'"},
        Case{"mov.v2.u32 %r1, {%r2, %r3};", "Result vector expected"},
        Case{"mov.v4.u64 {%rd1, %rd2, %rd3, %rd4}, {%rd1, %rd2, %rd3, %rd4};",
             "Vector type too large, exceeds 128 bit limit"},
        Case{"mov.u16 %h1, %laneid;", "Arguments mismatch for instruction 'mov'"},
        Case{"membar.gl 1;", "Arguments mismatch for instruction 'membar'"},
        Case{"bar.sync [%rd1];", "Arguments mismatch for instruction 'bar'"},
        Case{"bar.arrive 1, 0;", "Instruction 'bar.arrive' requires a non-zero thread count argument"},
        Case{"cp.async.cg.shared.global [%r1], [%rd1], 8;",
             "Argument 2 of instruction 'cp': unexpected value '8', expected to be 16"},
        Case{"cp.async.ca.shared.global [g], [%rd1], 8;",
             "State space mismatch between instruction and address in instruction 'cp'"},
        Case{"discard.global.L2 [%rd1], 64;",
             "Argument 1 of instruction 'discard': unexpected value '64', expected to be 128"},
        Case{"bfe.u32 %r1, %r2, 256, %r3;",
             "Argument 2 of instruction 'bfe': value '256' out of range, expected to be in range [0..255]"},
        Case{"ld.global.u32 %r1, [%r2];",
             "Program uses 32-bit address which is conflicting with .address_size 64"},
        Case{"ld.global.u32 %r1, [%rd1-4];", "Parsing error near '-': syntax error"},
        Case{"cvta.local.u64 %rd1, g;",
             "State space mismatch between instruction and address in instruction 'cvta'"},
        Case{"vadd.u32.u32.u32 %r1.b1, %r2, %r3;",
             "Incorrect video selector for operand 0 of instruction 'vadd'"},
        Case{"vadd2.u32.u32.u32 %r1, %r2.b1, %r3, %r4;",
             "Incorrect video selector for operand 1 of instruction 'vadd2'"},
        Case{"vmad.u32.u32.u32.po %r1, -%r2, %r3, %r4;",
             "Conflicting use of '.po' modifier with operand negation"}));

INSTANTIATE_TEST_SUITE_P(
    Elements, Refused,
    testing::Values(Case{"mov.u64 %rd1, one[0];", "Array indexing on non-array"},
                    Case{"ld.global.u32 %r1, %rd1[2];", "Array indexing on non-array"},
                    Case{"ld.global.u32 %r1, g[1.0];", "Integer constant expression expected"},
                    Case{"ld.global.u32 %r1, [g[2]];", "Parsing error near '[': syntax error"},
                    Case{"ld.global.u64 %rd1, wide[1][2];", "Parsing error near '[': syntax error"},
                    Case{"ld.global.u32 %r1, g[%f1];", "Array index must be an integer"},
                    Case{"atom.global.add.u32 %r1, g[2], 1;", "Arguments mismatch for instruction 'atom'"},
                    Case{"ld.shared.u32 %r1, g[2];",
                         "State space mismatch between instruction and address in instruction 'ld'"}));

TEST(Elements, AConstantIndexCountsElementsOfTheDeclaredType) {
  const Operand address = first_of("ld.global.u64 %rd1, g[3];", kBefore).operands[1];
  EXPECT_EQ(address.kind, Operand::Kind::address);
  EXPECT_EQ(address.integer, 12);
  EXPECT_EQ(first_of("mov.u64 %rd1, wide[4];", kBefore).operands[1].integer, 32);
  EXPECT_EQ(first_of("mov.u64 %rd1, g[-1];", kBefore).operands[1].integer, -4);
}

}  // namespace
}  // namespace tare::cpu::ptx
