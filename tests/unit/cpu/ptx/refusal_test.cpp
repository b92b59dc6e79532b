// Texts that ptxas refuses, with its words and the line. The few messages that are our own say more.
#include <gtest/gtest.h>

#include "unit/cpu/ptx/parse_helpers.hpp"

namespace tare::cpu::ptx {
namespace {

struct Case {
  const char* body;
  const char* message;  // with its line; the body's first line is 9
};

class PtxRefusal : public testing::TestWithParam<Case> {};

TEST_P(PtxRefusal, HasItsLineAndMessage) {
  EXPECT_EQ(refusal_of(GetParam().body, ".global .u32 g; .func f(.param .b32 a) { ret; }"),
            GetParam().message)
      << GetParam().body;
}

INSTANTIATE_TEST_SUITE_P(
    Names, PtxRefusal,
    testing::Values(Case{"foo.s32 %r1;", "9: unknown opcode `foo`"},
                    Case{"\n\nadd.foo.s32 %r1, %r1, %r1;", "11: Unknown modifier '.foo'"},
                    Case{"ld.nosuch.u32 %r1, [%rd1];", "9: Unknown modifier '.nosuch'"},
                    Case{"add.s32 %r99, %r1, %r2;", "9: Unknown symbol '%r99'"},
                    Case{"ld.global.u32 %r1, [nosuch];", "9: Unknown symbol 'nosuch'"},
                    Case{"mov.u32 %r1, %nosuch;", "9: Unknown symbol '%nosuch'"},
                    Case{"mov.u32 %r1, %tid.q;", "9: Unknown symbol '%tid.q'"},
                    Case{"@%p10 ret;", "9: Unknown symbol '%p10'"},
                    Case{"bra NOWHERE;", "9: Unknown symbol 'NOWHERE'"},
                    Case{"{ L: }\nbra L;", "10: Unknown symbol 'L'"},
                    Case{"call nof;", "9: Unknown symbol 'nof'"},
                    Case{".reg .b32 %r1;", "9: Duplicate definition of variable '%r1'"},
                    Case{".reg .b32 %r<4>;", "9: Duplicate definition of variable '%r'"},
                    Case{"L:\nL:", "10: Duplicate definition of label 'L'"},
                    Case{"bra %r1;", "9: Label expected for argument 0 of instruction 'bra'"},
                    Case{"bra 5;", "9: Label expected for argument 0 of instruction 'bra'"},
                    Case{"brx.idx %r1, %r2;", "9: Label expected for argument 1 of instruction 'brx.idx'"},
                    Case{"call %r1;", "9: Call to '%r1' requires call prototype"},
                    Case{"call f;", "9: Call has wrong number of parameters"},
                    Case{"call (%r1), f, (%r1);", "9: Call has wrong number of parameters"},
                    Case{"call f, (%rd1);", "9: Type of argument does not match formal parameter 'a'"}));

INSTANTIATE_TEST_SUITE_P(
    Syntax, PtxRefusal,
    testing::Values(
        Case{"add.s32 %r1, %r2, %r3", "10: Parsing error near 'ret': syntax error"},
        Case{"add.s32 %r1 %r2;", "9: Parsing error near '%r2': syntax error"},
        Case{"add.s32.;", "9: Parsing error near '.': syntax error"},
        Case{"ld.global.u32 %r1, [%rd1;", "9: Parsing error near ';': syntax error"},
        Case{"mov.u32 %r1, 0x;", "9: Parsing error near '0x': syntax error"},
        Case{"mov.u32 %r1, 12abc;", "9: Parsing error near '12abc': syntax error"},
        Case{"mov.u32 %r1, 99999999999999999999;", "9: Constant overflow"},
        Case{"mov.f64 %fd1, 1e999;", "9: Constant overflow"},
        Case{"mov.f32 %f1, 0f3F80000000;",
             "9: Parsing error near '0f3F80000000': a floating-point literal has 8 hexadecimal digits"},
        Case{"mov.f32 %f1, 1.0+2.0;", "9: Parsing error near '+': syntax error"},
        Case{"mov.u32 %r1, \"x\";", "9: Parsing error near 'x': syntax error"},
        Case{"\n/* never closed", "10: Parsing error: unterminated comment"},
        Case{".pragma \"never closed;", "9: Parsing error: unterminated string"},
        Case{"mov.u32 %r1, `;", "9: Parsing error near '`': syntax error"},
        Case{"mov.u32 %r1, \x01;", "9: Parsing error: unexpected byte 0x01"},
        Case{"mov.u32 %r1, \xff;", "9: Unexpected non-ASCII character encountered on line 9"},
        Case{"@ ret;", "9: Unknown symbol 'ret'"},
        Case{"{ ret;", "12: Parsing error near '': syntax error"}));

INSTANTIATE_TEST_SUITE_P(
    Types, PtxRefusal,
    testing::Values(
        Case{"add.s32 %r1, %r2, %rd1;", "9: Arguments mismatch for instruction 'add'"},
        Case{"add.s32 %r1, %r2, %f1;", "9: Arguments mismatch for instruction 'add'"},
        Case{"add.f32 %f1, %f2, %u1;", "9: Arguments mismatch for instruction 'add'"},
        Case{"add.f32 %f1, %f2, 1;", "9: Arguments mismatch for instruction 'add'"},
        Case{"add.s32 %r1, %r2, 1.0;", "9: Arguments mismatch for instruction 'add'"},
        Case{"add.s32 %p1, %r1, %r2;", "9: Arguments mismatch for instruction 'add'"},
        Case{"add.s32 %r1, %r2;", "9: Arguments mismatch for instruction 'add'"},
        Case{"add.s32 %r1, %r2, %r3, %r4;", "9: Arguments mismatch for instruction 'add'"},
        Case{"mov.u32 %r1, %rd1;", "9: Arguments mismatch for instruction 'mov'"},
        Case{"mov.b32 %r1, 1.0;", "9: Arguments mismatch for instruction 'mov'"},
        Case{"mov.u64 %rd1, %tid.x;", "9: Arguments mismatch for instruction 'mov'"},
        Case{"ld.global.u32 %h1, [%rd1];", "9: Arguments mismatch for instruction 'ld'"},
        Case{"ld.global.u8 %fd1, [%rd1];", "9: Arguments mismatch for instruction 'ld'"},
        Case{"ld.global.f32 %u1, [%rd1];", "9: Arguments mismatch for instruction 'ld'"},
        Case{"st.global.u8 [%rd1], %f1;", "9: Arguments mismatch for instruction 'st'"},
        Case{"cvt.u64.u32 %r1, %r1;", "9: Arguments mismatch for instruction 'cvt'"},
        Case{"mul.wide.s32 %r1, %r2, %r3;", "9: Arguments mismatch for instruction 'mul.wide'"},
        Case{"shl.b32 %r1, %r2, %rd3;", "9: Arguments mismatch for instruction 'shl'"},
        Case{"popc.b64 %rd1, %rd2;", "9: Arguments mismatch for instruction 'popc'"},
        Case{"setp.lt.s32 %r1, %r2, %r3;", "9: Arguments mismatch for instruction 'setp'"},
        Case{"selp.b32 %r1, %r2, %r3, %r4;", "9: Arguments mismatch for instruction 'selp'"},
        Case{"@%r1 ret;", "9: Predicate expression expected"},
        Case{"add.s32 1, %r1, %r2;", "9: Result register required for instruction 'add'"},
        Case{"mov.u32 %r1, -%r2;", "9: Operand negation not allowed for instruction 'mov'"},
        Case{"add.s32 %r1, {%r2, %r3}, %r2;", "9: Vector operand is not allowed for instruction 'add'"},
        Case{"add.s32 %r1, %tid.x, %r2;", "9: Special register argument not allowed for instruction 'add'"},
        Case{"add.u64 %rd1, %rd1, g;", "9: Argument 2 of instruction 'add': must be register"},
        Case{"{ .param .align 4 .b8 a[8]; mov.u64 %rd1, a; }", "9: Illegal to take address of parameter 'a'"},
        Case{"mov.b32 %r1, {%h1, %r2};", "9: Incompatible elements of vector expression"},
        Case{"ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];",
             "9: Argument vector size mismatch for instruction 'ld'"},
        Case{"ld.shared.u32 %r1, [g];",
             "9: State space mismatch between instruction and address in instruction 'ld'"},
        Case{"ld.u32 %r1, [p];",
             "9: State space mismatch between instruction and address in instruction 'ld'"},
        Case{"ld.global.u32 %r1, [%f1];", "9: Illegal operand type to instruction 'ld'"},
        Case{"ld.global.u32 %r1, [5];", "9: Immediate addresses allowed only for .local state space"},
        Case{"setp.ge.s32 %p1, %r1, %r2, !%p2;", "9: Boolean operation is required for instruction 'setp'"},
        Case{"shfl.sync.idx.b32 %r1, %r2, %r3, %r4;", "9: Arguments mismatch for instruction 'shfl'"},
        Case{"bar.sync;", "9: Arguments mismatch for instruction 'bar'"}));

INSTANTIATE_TEST_SUITE_P(
    Suffixes, PtxRefusal,
    testing::Values(
        Case{"add %r1, %r1, %r1;", "9: Unexpected instruction types specified for 'add'"},
        Case{"add.s8 %r1, %r1, %r1;", "9: Unexpected instruction types specified for 'add'"},
        Case{"add.s32.s32 %r1, %r1, %r1;", "9: Unexpected instruction types specified for 'add'"},
        Case{"mul.s32 %r1, %r1, %r1;", "9: Unexpected instruction types specified for 'mul'"},
        Case{"mul.lo.f32 %f1, %f1, %f1;", "9: Unexpected instruction types specified for 'mul.lo'"},
        Case{"mul.wide.s64 %rd1, %rd1, %rd1;", "9: Unexpected instruction types specified for 'mul.wide'"},
        Case{"add.rn.s32 %r1, %r1, %r1;", "9: Illegal rounding modifier for instruction 'add'"},
        Case{"add.rn.rz.f32 %f1, %f1, %f1;", "9: Multiple rounding modifiers specified"},
        Case{"add.ftz.ftz.f32 %f1, %f1, %f1;", "9: Duplicate .ftz modifier"},
        Case{"add.ftz.f64 %fd1, %fd1, %fd1;", "9: Illegal modifier '.ftz' for instruction 'add'"},
        Case{"add.sat.u32 %r1, %r1, %r1;", "9: Modifier '.sat' does not apply to '.u32' type"},
        Case{"fma.f32 %f1, %f1, %f1, %f1;", "9: Rounding modifier required for instruction 'fma'"},
        Case{"div.f32 %f1, %f1, %f1;",
             "9: Rounding modifier or '.approx' modifier required for instruction 'div'"},
        Case{"sqrt.f64 %fd1, %fd1;", "9: Rounding modifier required for instruction 'sqrt'"},
        Case{"rcp.approx.f64 %fd1, %fd1;", "9: '.ftz' modifier required for instruction 'rcp.approx.f64'"},
        Case{"sin.f32 %f1, %f1;", "9: .approx modifier required for instruction 'sin'"},
        Case{"cvt.s32.f32 %r1, %f1;", "9: Rounding modifier required for instruction 'cvt'"},
        Case{"cvt.rn.s32.f32 %r1, %f1;", "9: Illegal rounding modifier for instruction 'cvt'"},
        Case{"cvt.rn.f64.f32 %fd1, %f1;", "9: Illegal rounding modifier for instruction 'cvt'"},
        Case{"cvt.f32.f64 %f1, %fd1;", "9: Rounding modifier required for instruction 'cvt'"},
        Case{"ld.global.sat.u32 %r1, [%rd1];", "9: Illegal modifier '.sat' for instruction 'ld'"},
        Case{"ld.global.f16 %h1, [%rd1];", "9: Unexpected instruction types specified for 'ld'"},
        Case{"ld.relaxed.u32 %r1, [%rd1];", "9: Modifier '.relaxed' requires scope with 'ld' instruction"},
        Case{"abs.lt.s32 %r1, %r1;", "9: Comparison qualifier is not allowed for instruction 'abs'"},
        Case{"abs.global.s32 %r1, %r1;", "9: No state space qualifier expected for instruction 'abs'"},
        Case{"setp.s32 %p1, %r1, %r2;", "9: Comparison modifier required for instruction 'setp'"},
        Case{"setp.lo.s32 %p1, %r1, %r2;", "9: Mismatch between instruction type and comparison qualifier"},
        Case{"setp.lo.f32 %p1, %f1, %f2;", "9: Mismatch between instruction type and comparison qualifier"},
        Case{"shf.l.b32 %r1, %r1, %r1, %r1;", "9: Clamp modifier required for instruction 'shf'"},
        Case{"vote.sync.pred %p1, %p1, -1;", "9: .mode modifier required for instruction 'vote'"},
        Case{
            "vote.ballot.b32 %r1, %p1;",
            "9: Instruction 'vote' without '.sync' is not supported on .target sm_70 and higher from PTX ISA "
            "version 6.4"},
        Case{"redux.sync.s32 %r1, %r1, -1;", "9: Reduction operation is required for instruction 'redux'"},
        Case{"atom.global.u32 %r1, [%rd1], %r2;", "9: Illegal operation '' for instruction 'atom'"},
        Case{"red.global.exch.b32 [%rd1], %r2;", "9: Illegal operation '.exch' for instruction 'red'"},
        Case{"atom.global.and.u32 %r1, [%rd1], %r2;",
             "9: Operation .and requires .b32 or .b64 type for instruction 'atom'"},
        Case{"cvta.u64 %rd1, %rd2;", "9: State space modifier required for instruction 'cvta'"}));

INSTANTIATE_TEST_SUITE_P(
    Combinations, PtxRefusal,
    testing::Values(
        Case{"setmaxnreg.inc.sync.aligned.u32 64;",
             "9: Instruction 'setmaxnreg' not supported on .target 'sm_90'"},

        Case{"cvt.rn.satfinite.f16.u8 %h1, %h2;", "9: Illegal modifier '.satfinite' for instruction 'cvt'"},
        Case{"cvt.rna.f16.u8 %h1, %h2;", "9: Illegal rounding modifier for instruction 'cvt'"},
        Case{"cvt.rn.tf32.u8 %r1, %h2;", "9: Unexpected instruction types specified for 'cvt'"},
        Case{"cvt.rni.ftz.u8.f64 %h1, %fd2;", "9: Illegal modifier '.ftz' for instruction 'cvt'"},
        Case{"cvt.sat.u16.u8 %h1, %h2;", "9: Illegal modifier '.sat' for instruction 'cvt'"},
        Case{"cvt.rni.u8.bf16 %h1, %h2;", "9: Arguments mismatch for instruction 'cvt'"},
        Case{"cvt.rni.s16.bf16 %r1, %h2;", "9: Arguments mismatch for instruction 'cvt'"},
        Case{"cvt.rn.bf16.s8 %h1, %h2;", "9: Arguments mismatch for instruction 'cvt'"},
        Case{"cvt.rn.e4m3x2.f32 %h1, %f1, %f2;",
             "9: '.satfinite' modifier required for instruction 'cvt' with destination type '.e4m3x2'"},
        Case{"cvt.rn.ftz.relu.f16.f32 %h1, %f1;", "9: Illegal modifier '.ftz' for instruction 'cvt'"},
        Case{"cvt.rz.satfinite.tf32.f32 %r1, %f1;",
             "9: Modifier '.satfinite' on 'cvt.tf32.f32.rz' requires .target sm_100 or higher"},
        Case{"cvt.rz.ue8m0x2.f32 %h1, %f1, %f2;",
             "9: Instruction 'cvt with .ue8m0x2' not supported on .target 'sm_90'"},
        Case{"cvt.u2.s32.b32 %r1, %r2;", "9: Unexpected instruction types specified for 'cvt'"},
        Case{"cvt.pack.sat.u2.s32 %r1, %r2, %r3;", "9: Unexpected instruction types specified for 'cvt'"},
        Case{"cvt.pack.u2.s32.b32 %r1, %r2, %r3, %r4;",
             "9: .sat modifier required for instruction 'cvt.pack'"},
        Case{"set.ne.u16.u16 %h1, %h2, %h3;", "9: Unexpected instruction types specified for 'set'"},
        Case{"set.ne.ftz.f32.u16 %f1, %h2, %h3;", "9: Illegal modifier '.ftz' for instruction 'set'"},
        Case{"slct.ftz.f32.s32 %f1, %f2, %f3, %r1;", "9: Illegal modifier '.ftz' for instruction 'slct'"},
        Case{"add.sat.bf16 %h1, %h2, %h3;", "9: Illegal modifier '.sat' for instruction 'add'"},
        Case{"fma.rn.oob.f32 %f1, %f2, %f3, %f4;", "9: Illegal modifier '.oob' for instruction 'fma'"},
        Case{"mad24.lo.sat.s32 %r1, %r2, %r3, %r4;", "9: Illegal modifier '.sat' for instruction 'mad24.lo'"},
        Case{"min.f32 %f1, %f2, %f3, %f4;",
             "9: Feature 'min.f32 with 3 input operands' requires .target sm_100 or higher"},
        Case{"min.xorsign.abs.f64 %fd1, %fd2, %fd3;", "9: Illegal modifier '.abs' for instruction 'min'"},
        Case{"ex2.approx.bf16 %h1, %h2;", "9: .ftz modifier required for instruction 'ex2.bf16'"},
        Case{"ex2.approx.ftz.f16 %h1, %h2;", "9: Illegal modifier '.ftz' for instruction 'ex2'"},
        Case{"red.acquire.cta.global.and.b32 [%rd1], %r2;",
             "9: Illegal modifier '.acquire' for instruction 'red'"},
        Case{"atom.global.exch.b16 %h1, [%rd1], %h2;",
             "9: Operation .exch requires .b16 or .b32 or .b64 or .b128 type for instruction 'atom'"},
        Case{"atom.global.add.v2.f16 {%h1, %h2}, [%rd1], {%h3, %h4};",
             "9: '.noftz' modifier required for instruction 'atom' with type '.f16'"},
        Case{"atom.global.cas.L2::cache_hint.b32 %r1, [%rd1], %r2, %r3, %rd2;",
             "9: Illegal modifier '.L2::cache_hint' for instruction 'atom'"},
        Case{"atom.global.add.u32 %r1, [%rd1], %r2, %rd2;",
             "9: .L2::cache_hint modifier required for instruction 'atom' with 4 arguments"},
        Case{"ld.global.L2::cache_hint.u32 %r1, [%rd1], %r2;", "9: Arguments mismatch for instruction 'ld'"},
        Case{"st.global.L2::cache_hint.u32 [%rd1], %r2;", "9: Arguments mismatch for instruction 'st'"},
        Case{"ld.nc.u32 %r1, [%rd1];", "9: Modifier '.nc' requires .global space"},
        Case{"st.global.L2::128B.u32 [%rd1], %r1;", "9: Illegal modifier '.L2::128B' for instruction 'st'"},
        Case{"ld.shared.L2::128B.u32 %r1, [%r2];",
             "9: State space incorrect for feature 'cache prefetching'"},
        Case{"ld.relaxed.cta.const.u32 %r1, [%rd1];",
             "9: Modifier '.relaxed' cannot be applied to '.const' space"},
        Case{"st.volatile.local.u32 [%rd1], %r1;",
             "9: Modifier '.volatile' cannot be applied to '.local' space"},
        Case{"ld.shared.L1::evict_last.u32 %r1, [%r2];",
             "9: Modifier '.evict_last' cannot be applied to '.shared' space for instruction 'ld'"},
        Case{"ld.mmio.relaxed.sys.global.v2.u32 {%r1, %r2}, [%rd1];",
             "9: Modifier '.mmio' cannot be combined with modifier '.v2'"},
        Case{"ld.global.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%rd5];",
             "9: Feature '256 bit wide load/store' requires .target sm_100 or higher"},
        Case{"ld.global.v2.b128 {%q1, %q2}, [%rd5];", "9: Vector type too large, exceeds 128 bit limit"},
        Case{"createpolicy.fractional.b64 %rd1, 1.0;",
             "9: cache eviction priority modifier required for instruction 'createpolicy'"},
        Case{"createpolicy.cvt.b64 %rd1, %rd2;",
             "9: .L2 modifier required for instruction 'createpolicy.cvt'"}));

TEST(PtxRefusalOfCombinations, TakesWhatPtxasTakes) {
  for (const char* body :
       {"cvt.pack.sat.s2.s32.b32 %r1, %r2, %r3, %r4;", "cvt.rz.ftz.f32.bf16 %f1, %h1;",
        "cvt.rp.f64.bf16 %fd1, %h1;", "slct.ftz.f64.f32 %fd1, %fd2, %fd3, %f4;",
        "set.ne.ftz.u16.f16 %h1, %h2, %h3;",
        "ld.global.nc.L1::evict_last.L2::cache_hint.L2::128B.u32 %r1, [%rd1], %rd2;",
        "st.L2::cache_hint.u32 [%rd1], %r1, %rd2;", "atom.add.L2::cache_hint.u32 %r1, [%rd1], %r2, %rd2;",
        "red.global.add.L2::cache_hint.v2.f32 [%rd1], {%f1, %f2}, %rd2;",
        "atom.global.exch.L2::cache_hint.b64 %rd1, [%rd2], %rd3, %rd4;",
        "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1, %f1;",
        "createpolicy.cvt.L2.b64 %rd1, 0x12f0000000000000;",
        "createpolicy.range.global.L2::evict_last.b64 %rd1, [%rd2], %r1, %r2;"}) {
    EXPECT_EQ(refusal_of(body), "accepted") << body;
  }
}

TEST(PtxRefusalOfDepth, DeepScopesEndInAnError) {
  EXPECT_EQ(refusal_of(std::string(1000, '{') + std::string(1000, '}')), "accepted");
  EXPECT_EQ(refusal_of(std::string(100000, '{')), "9: Scopes are nested too deeply");
}

TEST(PtxRefusalOfDepth, RepeatedTargetListsCannotExhaustMemory) {
  std::string body = "T: .branchtargets A";
  for (int i = 0; i < 5000; ++i) body += ",A";
  body += ";";
  for (int i = 0; i < 5000; ++i) body += "brx.idx %r1,T;";
  EXPECT_EQ(refusal_of(body + "A:"), "9: Too many branch targets");
}

}  // namespace
}  // namespace tare::cpu::ptx
