// Suffixes and operands: each construct of the language, and the fields it ends in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "unit/cpu/ptx/parse_helpers.hpp"

namespace tare::cpu::ptx {
namespace {

using testing::ElementsAre;
using Kind = Operand::Kind;
using SymbolKind = Operand::SymbolKind;

std::int64_t integer_of(const std::string& literal) {
  const Instruction in = first_of("mov.u64 %rd1, " + literal + ";");
  EXPECT_EQ(in.operands.at(1).kind, Kind::integer) << literal;
  return in.operands.at(1).integer;
}

TEST(PtxSuffix, EachGoesToItsField) {
  const Instruction fma = first_of("fma.rz.ftz.sat.f32 %f1, %f2, %f3, %f4;");
  EXPECT_EQ(fma.op, Op::fma);
  EXPECT_EQ(fma.spelling, "fma.rz.ftz.sat.f32");
  EXPECT_EQ(fma.rounding, Rounding::rz);
  EXPECT_EQ(fma.modifiers, Modifier::ftz | Modifier::sat);
  EXPECT_EQ(fma.types[0], Type::f32);
  EXPECT_EQ(fma.type_count, 1u);
  EXPECT_EQ(fma.line, 9u);
  EXPECT_EQ(fma.destination_count, 1u);

  const Instruction cvt = first_of("cvt.rni.sat.u8.f32 %h1, %f1;");
  EXPECT_THAT(cvt.types, ElementsAre(Type::u8, Type::f32, Type::none, Type::none));
  EXPECT_EQ(cvt.rounding, Rounding::rni);

  const Instruction setp = first_of("setp.ltu.and.ftz.f32 %p1|%p2, %f1, %f2, !%p3;");
  EXPECT_EQ(setp.compare, Compare::ltu);
  EXPECT_EQ(setp.bool_op, Bool::and_);
  EXPECT_EQ(setp.destination_count, 2u);
  ASSERT_EQ(setp.operands.size(), 5u);
  EXPECT_TRUE(setp.operands[4].negated);

  const Instruction ld = first_of("ld.volatile.global.v4.f32 {%f1, %f2, _, %f4}, [%rd1+16];");
  EXPECT_EQ(ld.space, Space::global);
  EXPECT_EQ(ld.vector, 4u);
  EXPECT_TRUE(ld.has(Modifier::volatile_));
  ASSERT_EQ(ld.operands[0].elements.size(), 4u);
  EXPECT_EQ(ld.operands[0].elements[2].kind, Kind::sink);
  EXPECT_EQ(ld.operands[1].kind, Kind::address);
  EXPECT_EQ(ld.operands[1].integer, 16);

  const Instruction cached = first_of("ld.global.nc.L1::no_allocate.L2::128B.f64 %fd1, [%rd1];");
  EXPECT_THAT(cached.rest, ElementsAre("nc", "L1::no_allocate", "L2::128B"));

  const Instruction atom = first_of("atom.acq_rel.gpu.shared::cta.add.u32 %r1, [%rd1], 5;");
  EXPECT_EQ(atom.space, Space::shared);
  EXPECT_THAT(atom.rest, ElementsAre("acq_rel", "gpu", "shared::cta", "add"));

  EXPECT_TRUE(first_of("mul.wide.s32 %rd1, %r1, %r2;").has(Modifier::wide));
  EXPECT_TRUE(first_of("cvta.to.shared.u64 %rd1, %rd2;").has(Modifier::to));
  EXPECT_TRUE(first_of("shf.r.wrap.b32 %r1, %r2, %r3, %r4;").has(Modifier::right));
  EXPECT_EQ(first_of("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];").op,
            Op::st_async);
}

TEST(PtxSuffix, SpacesInsideAnOpcodeAreAllowed) {
  const Instruction in = first_of("add .s32 %r1, %r1, %r1;");
  EXPECT_EQ(in.spelling, "add.s32");
  EXPECT_EQ(in.types[0], Type::s32);
}

TEST(PtxSuffix, EveryOpcodeIsFoundByItsName) {
  for (unsigned i = 1; i < static_cast<unsigned>(Op::other); ++i) {
    const auto op = static_cast<Op>(i);
    EXPECT_NE(name_of(op), "invalid") << i;
    EXPECT_EQ(find_opcode(name_of(op)), op) << name_of(op);
  }
  EXPECT_EQ(find_opcode("foo"), Op::invalid);
}

TEST(PtxType, NamesAndSizesAreTheManuals) {
  EXPECT_STREQ(name_of(Type::bf16x2), "bf16x2");
  EXPECT_STREQ(name_of(Type::surfref), "surfref");
  EXPECT_EQ(size_of(Type::pred), 0u);
  EXPECT_EQ(size_of(Type::b128), 16u);
  EXPECT_EQ(size_of(Type::f16x2), 4u);
  EXPECT_EQ(size_of(Type::e5m2x2), 2u);
}

TEST(PtxOperand, IntegersComeInEveryForm) {
  EXPECT_EQ(integer_of("42"), 42);
  EXPECT_EQ(integer_of("-42"), -42);
  EXPECT_EQ(integer_of("0x1F"), 31);
  EXPECT_EQ(integer_of("0xffffffffffffffff"), -1);
  EXPECT_EQ(integer_of("0b101"), 5);
  EXPECT_EQ(integer_of("017"), 15);
  EXPECT_EQ(integer_of("7U"), 7);
  EXPECT_EQ(integer_of("~5"), ~5);
  EXPECT_EQ(integer_of("!5"), 0);
  EXPECT_EQ(integer_of("WARP_SZ"), 32);
}

TEST(PtxOperand, ConstantExpressionsFollowC) {
  EXPECT_EQ(integer_of("1 + 2 * 3"), 7);
  EXPECT_EQ(integer_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(integer_of("10 - 4 - 3"), 3);
  EXPECT_EQ(integer_of("7 % 4 + 9%5"), 7);
  EXPECT_EQ(integer_of("-7 / 2"), -3);
  EXPECT_EQ(integer_of("1 << 4 | 1"), 17);
  EXPECT_EQ(integer_of("-1 >> 60"), -1);
  EXPECT_EQ(integer_of("0xffffffffffffffff >> 60"), 15);
  EXPECT_EQ(integer_of("6 & 3 ^ 1"), 3);
  EXPECT_EQ(integer_of("2 > 1 ? 10 : 20"), 10);
  EXPECT_EQ(integer_of("0 ? 1 : 0 ? 2 : 3"), 3);
  EXPECT_EQ(integer_of("-1 < 0"), 1);
  EXPECT_EQ(integer_of("-1 < 0U"), 0);
  EXPECT_EQ(integer_of("(.u64)-1 / 2"), 0x7fffffffffffffff);
  EXPECT_EQ(integer_of("1 == 1 && 2 != 2 || 0"), 0);
  EXPECT_EQ(integer_of("(-0x7fffffffffffffff - 1) / -1"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(integer_of("1 << 64"), 0);
}

TEST(PtxOperand, RealsKeepTheirBits) {
  const Operand hex = first_of("mov.f32 %f1, 0f3F800000;").operands[1];
  EXPECT_EQ(hex.kind, Kind::real);
  EXPECT_TRUE(hex.is_f32);
  EXPECT_EQ(hex.real_bits, 0x3f800000u);
  EXPECT_EQ(first_of("mov.f32 %f1, -0f3F800000;").operands[1].real_bits, 0xbf800000u);
  EXPECT_EQ(first_of("mov.f64 %fd1, 0dBFF0000000000000;").operands[1].real_bits,
            std::bit_cast<std::uint64_t>(-1.0));
  const Operand decimal = first_of("add.f32 %f1, %f2, -1.5e-3;").operands[2];
  EXPECT_FALSE(decimal.is_f32);
  EXPECT_EQ(decimal.real_bits, std::bit_cast<std::uint64_t>(-1.5e-3));
  EXPECT_EQ(first_of("mov.f32 %f1, .5;").operands[1].real_bits, std::bit_cast<std::uint64_t>(0.5));
  EXPECT_EQ(first_of("mov.f32 %f1, 1e5;").operands[1].real_bits, std::bit_cast<std::uint64_t>(1e5));
}

TEST(PtxOperand, AddressesHaveABaseAndAnOffset) {
  const std::string before = ".global .u32 g[4]; .extern .shared .b8 dyn[];";
  const Operand negative = first_of("ld.global.u32 %r1, [%rd3+-8];").operands[1];
  EXPECT_EQ(negative.integer, -8);
  EXPECT_EQ(negative.id, 1u);
  EXPECT_EQ(negative.symbol_kind, SymbolKind::none);
  EXPECT_EQ(first_of("ld.global.u32 %r1, [%rd3+8-16];").operands[1].integer, -8);
  const Operand variable = first_of("ld.global.u32 %r1, [g+4*2];", before).operands[1];
  EXPECT_EQ(variable.symbol_kind, SymbolKind::module_variable);
  EXPECT_EQ(variable.symbol, 0u);
  EXPECT_EQ(variable.integer, 8);
  EXPECT_EQ(variable.id, kNoId);
  const Operand parameter = first_of("ld.param.f32 %f1, [q];").operands[1];
  EXPECT_EQ(parameter.symbol_kind, SymbolKind::parameter);
  EXPECT_EQ(parameter.symbol, 1u);
  const Operand absolute = first_of("ld.local.u32 %r1, [16];").operands[1];
  EXPECT_EQ(absolute.kind, Kind::address);
  EXPECT_EQ(absolute.id, kNoId);
  EXPECT_EQ(absolute.symbol_kind, SymbolKind::none);
  EXPECT_EQ(absolute.integer, 16);
  const Operand value = first_of("mov.u64 %rd1, dyn+4;", before).operands[1];
  EXPECT_EQ(value.kind, Kind::symbol);
  EXPECT_EQ(value.symbol, 1u);
  EXPECT_EQ(value.integer, 4);
  const Operand texture = first_of("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];").operands[1];
  ASSERT_EQ(texture.elements.size(), 1u);
  EXPECT_EQ(texture.elements[0].elements.size(), 2u);
}

TEST(PtxOperand, SpecialRegistersAreKnownByName) {
  const auto special = [](const std::string& name) {
    return first_of("mov.u32 %r1, " + name + ";").operands.at(1);
  };
  EXPECT_EQ(special("%tid.x").special, Special::tid_x);
  EXPECT_EQ(special("%nctaid.z").special, Special::nctaid_z);
  EXPECT_EQ(special("%laneid").special, Special::laneid);
  EXPECT_EQ(special("%lanemask_gt").special, Special::lanemask_gt);
  EXPECT_EQ(special("%cluster_ctaid.y").special, Special::cluster_ctaid_y);
  EXPECT_EQ(first_of("mov.u64 %rd1, %clock64;").operands[1].special, Special::clock64);
  EXPECT_EQ(first_of("cvt.u64.u32 %rd1, %ntid.y;").operands[1].special, Special::ntid_y);
  const Function k = kernel_of("mov.u32 %r1, %envreg3; mov.u32 %r2, %pm7; mov.u32 %r3, %envreg3;");
  EXPECT_THAT(k.other_specials, ElementsAre("%envreg3", "%pm7"));
  EXPECT_EQ(k.body[2].operands[1].special, Special::other);
  EXPECT_EQ(k.body[2].operands[1].id, 0u);
  const Operand whole = first_of("mov.v4.u32 {%r1, %r2, %r3, %r4}, %ctaid;").operands[1];
  ASSERT_EQ(whole.elements.size(), 4u);
  EXPECT_EQ(whole.elements[1].special, Special::ctaid_y);
  EXPECT_EQ(whole.elements[3].kind, Kind::integer);
}

TEST(PtxOperand, VectorRegistersBecomeTheirComponents) {
  const Function k =
      kernel_of(".reg .v4 .f32 v; ld.global.v4.f32 v, [%rd1]; mov.f32 %f1, v.z; mov.f32 v.g, %f1;");
  ASSERT_EQ(k.body[0].operands[0].elements.size(), 4u);
  const RegisterId x = k.body[0].operands[0].elements[0].id;
  EXPECT_EQ(k.registers[x].name, "v.x");
  EXPECT_EQ(k.registers[x].type, Type::f32);
  EXPECT_EQ(k.body[1].operands[1].id, x + 2);
  EXPECT_EQ(k.body[2].operands[0].id, x + 1);
}

TEST(PtxOperand, VideoInstructionsSelectPartsOfRegisters) {
  const Instruction vadd = first_of("vadd.s32.u32.s32.sat %s1, %u1.b3, %s2.h1;");
  EXPECT_EQ(vadd.operands[0].selector, 0u);
  EXPECT_EQ(vadd.operands[1].selector, 1u << 15 | 1u << 14 | 3u);
  EXPECT_EQ(vadd.operands[2].selector, 1u << 15 | 1u);
  const Instruction vadd4 = first_of("vadd4.u32.u32.u32 %u1, %u2.b3210, %u3, %u4;");
  EXPECT_EQ(vadd4.operands[1].selector, 1u << 15 | 1u << 14 | 3u << 12 | (3u | 2u << 3 | 1u << 6));
  EXPECT_TRUE(first_of("vmad.s32.s32.u32.shr7 %s1, %s2, -%u3.h0, %s4;").operands[2].negated);
}

TEST(PtxOperand, PredicatesGuardAndMayBeNegated) {
  const Function k = kernel_of("@%p1 bra DONE;\n@!%p2 mov.u32 %r1, 0;\nand.pred %p1, %p2, !%p3;\nDONE:");
  EXPECT_EQ(k.registers[k.body[0].predicate].name, "%p1");
  EXPECT_FALSE(k.body[0].predicate_negated);
  EXPECT_EQ(k.registers[k.body[1].predicate].name, "%p2");
  EXPECT_TRUE(k.body[1].predicate_negated);
  EXPECT_TRUE(k.body[2].operands[2].negated);
  EXPECT_EQ(k.body[2].predicate, kNoId);
  EXPECT_EQ(k.body[3].predicate, kNoId);
}

TEST(PtxOperand, ShuffleAndMatchMayHaveTwoDestinations) {
  const Instruction both = first_of("shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;");
  EXPECT_EQ(both.destination_count, 2u);
  EXPECT_EQ(both.operands.size(), 6u);
  EXPECT_TRUE(both.has(Modifier::down) && both.has(Modifier::sync));
  EXPECT_EQ(first_of("shfl.sync.idx.b32 _|%p1, %r2, 1, 31, -1;").operands[0].kind, Kind::sink);
  EXPECT_EQ(first_of("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;").destination_count, 1u);
  EXPECT_EQ(first_of("match.all.sync.b64 %r1|%p1, %rd2, -1;").destination_count, 2u);
  EXPECT_EQ(first_of("lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x1f, %p2;").operands.size(), 7u);
}

TEST(PtxOperand, StoresAndBarriersHaveNoDestination) {
  EXPECT_EQ(first_of("st.global.u32 [%rd1], %r1;").destination_count, 0u);
  EXPECT_EQ(first_of("red.global.add.u32 [%rd1], %r1;").destination_count, 0u);
  EXPECT_EQ(first_of("bar.sync 0;").destination_count, 0u);
  EXPECT_EQ(first_of("barrier.sync.aligned 1, 64;").operands.size(), 2u);
  const Instruction red = first_of("bar.red.and.pred %p1, 0, !%p2;");
  EXPECT_EQ(red.destination_count, 1u);
  EXPECT_EQ(red.bool_op, Bool::and_);
  EXPECT_EQ(first_of("mbarrier.init.shared.b64 [%r1], 4;").destination_count, 0u);
  EXPECT_EQ(first_of("mbarrier.arrive.shared.b64 %rd1, [%r1];").destination_count, 1u);
}

TEST(PtxRegister, OnlyMentionedOnesExistInOrderOfMention) {
  const Function k = kernel_of("mov.b32 %r7, %r3; mov.b32 %r3, %r7; mov.b16 %h1, %h1;");
  ASSERT_EQ(k.registers.size(), 3u);
  EXPECT_EQ(k.registers[0].name, "%r7");
  EXPECT_EQ(k.registers[1].name, "%r3");
  EXPECT_EQ(k.registers[2].type, Type::b16);
  EXPECT_EQ(k.body[1].operands[0].id, 1u);
}

TEST(PtxRegister, ARangeOfBillionsCostsNothing) {
  const Function k = kernel_of(".reg .b32 %big<4000000000>; mov.u32 %big3999999999, 0;");
  ASSERT_EQ(k.registers.size(), 1u);
  EXPECT_EQ(k.registers[0].name, "%big3999999999");
  EXPECT_EQ(refusal_of(".reg .b32 %big<40>; mov.u32 %big40, 0;"), "9: Unknown symbol '%big40'");
  EXPECT_EQ(refusal_of("mov.u32 %r01, 0;"), "9: Unknown symbol '%r01'");
}

TEST(PtxScope, InnerNamesHideOuterOnesUntilTheBrace) {
  const Function k = kernel_of(R"(mov.b32 %r1, 1;
{ .reg .f32 %r1; mov.f32 %r1, 0f00000000; { .reg .b64 %r<4>; mov.b64 %r1, 0; } mov.f32 %r1, 0f00000000; }
mov.b32 %r1, 2;)");
  EXPECT_EQ(k.registers.size(), 3u);
  EXPECT_EQ(k.registers[k.body[1].operands[0].id].type, Type::f32);
  EXPECT_EQ(k.registers[k.body[2].operands[0].id].type, Type::b64);
  EXPECT_EQ(k.body[3].operands[0].id, k.body[1].operands[0].id);
  EXPECT_EQ(k.body[4].operands[0].id, k.body[0].operands[0].id);
  EXPECT_EQ(refusal_of("{ .reg .b32 x; } mov.b32 x, 0;"), "9: Unknown symbol 'x'");
}

TEST(PtxLabel, ForwardBackwardAndShadowedLabelsResolve) {
  const Function k = kernel_of(R"(A: bra B;
{ bra A; A: bra B; { bra A; } }
B: bra A;)");
  ASSERT_EQ(k.labels.size(), 3u);
  EXPECT_EQ(k.labels[0].target, 0u);
  EXPECT_EQ(k.labels[1].target, 2u);
  EXPECT_EQ(k.labels[2].target, 4u);
  const auto target = [&](std::size_t i) { return k.labels[k.body[i].operands[0].id].target; };
  EXPECT_EQ(target(0), 4u);
  EXPECT_EQ(target(1), 2u);
  EXPECT_EQ(target(2), 4u);
  EXPECT_EQ(target(3), 2u);
  EXPECT_EQ(target(4), 0u);
}

TEST(PtxLabel, ALabelMayStandAtTheEnd) {
  const Module module = parsed(kHead + ".entry k() { bra END; END: }");
  EXPECT_EQ(module.functions[0].labels[0].target, 1u);
}

TEST(PtxLabel, BranchTargetsBecomeAListOfLabels) {
  const Function k = kernel_of("T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: ret;\nB: ret;");
  EXPECT_EQ(k.body[0].op, Op::brx);
  const Operand& list = k.body[0].operands[1];
  EXPECT_EQ(list.kind, Kind::list);
  ASSERT_EQ(list.elements.size(), 3u);
  EXPECT_EQ(k.labels[list.elements[0].id].name, "A");
  EXPECT_EQ(k.labels[list.elements[1].id].target, 2u);
  EXPECT_EQ(list.elements[2].id, list.elements[0].id);
}

TEST(PtxCall, DirectCallsAlwaysHaveThreeOperands) {
  const std::string before =
      ".extern .func (.param .b32 r) f(.param .b64 a, .param .align 8 .b8 b[12]); .extern .func g();";
  const Function k = kernel_of(
      "{ .param .b64 x; .param .align 8 .b8 y[12]; .param .b32 z; st.param.b64 [x], %rd1; "
      "call.uni (z), f, (x, y); ld.param.b32 %r1, [z+0]; }\ncall g;\ncall g, ();",
      before);
  const Instruction& call = k.body[1];
  ASSERT_EQ(call.operands.size(), 3u);
  EXPECT_TRUE(call.has(Modifier::uni));
  EXPECT_EQ(call.operands[0].elements[0].symbol_kind, SymbolKind::function_variable);
  EXPECT_EQ(call.operands[0].elements[0].symbol, 2u);
  EXPECT_EQ(call.operands[1].symbol_kind, SymbolKind::function);
  EXPECT_EQ(call.operands[2].elements.size(), 2u);
  EXPECT_EQ(k.body[3].operands.size(), 3u);
  EXPECT_TRUE(k.body[3].operands[2].elements.empty());
  EXPECT_EQ(k.body[4].operands.size(), 3u);
}

TEST(PtxCall, IndirectCallsNameAPrototype) {
  const Function k = kernel_of(
      "P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);\n{ .param .b64 x; .param .b32 y; "
      ".param "
      ".b32 z; call (z), %rd1, (x, y), P; }");
  ASSERT_EQ(k.prototypes.size(), 1u);
  EXPECT_EQ(k.prototypes[0].name, "P");
  EXPECT_EQ(k.prototypes[0].parameters[1].offset, 8u);
  const Instruction& call = k.body[0];
  ASSERT_EQ(call.operands.size(), 4u);
  EXPECT_EQ(call.operands[1].kind, Kind::reg);
  EXPECT_EQ(call.operands[3].symbol_kind, SymbolKind::prototype);
  EXPECT_EQ(call.operands[3].symbol, 0u);
}

TEST(PtxCall, AListOfTargetsIsAListOfFunctions) {
  const Function k =
      kernel_of("T: .calltargets f, g;\ncall %rd1, (), T;", ".func f() { ret; } .func g() { ret; }");
  const Operand& targets = k.body[0].operands[3];
  ASSERT_EQ(targets.elements.size(), 2u);
  EXPECT_EQ(targets.elements[1].symbol, 1u);
}

TEST(PtxCall, ReturnParametersAreSymbolsOfTheirOwn) {
  const Module module =
      parsed(kHead + ".func (.param .b32 r) f() { .reg .b32 %x; st.param.b32 [r+0], %x; ret; }");
  const Operand& address = module.functions[0].body[0].operands[0];
  EXPECT_EQ(address.symbol_kind, SymbolKind::return_value);
  EXPECT_EQ(address.symbol, 0u);
}

}  // namespace
}  // namespace tare::cpu::ptx
