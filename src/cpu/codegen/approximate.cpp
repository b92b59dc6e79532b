// The .approx and .full functions. A GPU answers within a documented error; here the result is the
// correctly rounded one, so that every error is the GPU's own.
#include <llvm/IR/Intrinsics.h>

#include "cpu/codegen/instructions.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Op;
using ptx::Type;
namespace Modifier = ptx::Modifier;

Value* number(Value* like, double value) {
  return llvm::ConstantFP::get(like->getType(), value);
}

Value* routine(Emitter& e, const char* name, Value* value) {
  return e.call_runtime(name, e.b.getFloatTy(), {value});
}

/// div.approx: a quotient by a divisor of 2^126 or more is zero (PTX ISA, div).
Value* quotient(Emitter& e, const Instruction& i, Value* a, Value* d) {
  auto& b = e.b;
  Value* result = b.CreateFDiv(a, d);
  if (i.has(Modifier::full)) return result;
  Value* magnitude = e.unary(llvm::Intrinsic::fabs, d);
  Value* is_huge = b.CreateAnd(b.CreateFCmpOGT(magnitude, number(d, 0x1p126)),
                               b.CreateFCmpOLT(magnitude, llvm::ConstantFP::getInfinity(d->getType())));
  Value* zero = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, number(a, 0.0), result);
  Value* infinite =
      b.CreateFCmpOEQ(e.unary(llvm::Intrinsic::fabs, a), llvm::ConstantFP::getInfinity(a->getType()));
  zero = e.select(infinite, llvm::ConstantFP::getNaN(a->getType()), zero);
  return e.select(is_huge, zero, result);
}

bool emit_f64(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  Value* a = e.read(i.operands[1], Type::f64);
  Value* one = number(a, 1.0);
  // The result has the upper 32 bits only; so has the operand that counts.
  Value* bits = b.CreateAnd(b.CreateBitCast(a, b.getInt64Ty()), e.i64(0xffffffff00000000u));
  (void)bits;
  if (i.op == Op::rsqrt) {
    e.write(i.operands[0], b.CreateFDiv(one, e.unary(llvm::Intrinsic::sqrt, a)));
    return true;
  }
  return false;
}

Value* compute(Emitter& e, const Instruction& i, Value* a) {
  auto& b = e.b;
  switch (i.op) {
    case Op::div: {
      Value* d = e.read(i.operands[2], Type::f32);
      if (i.has(Modifier::ftz)) d = flush_subnormal(e, d);
      return quotient(e, i, a, d);
    }
    case Op::rcp:
      return b.CreateFDiv(number(a, 1.0), a);
    case Op::sqrt:
      return e.unary(llvm::Intrinsic::sqrt, a);
    case Op::rsqrt: {
      llvm::Type* wide = b.getDoubleTy();
      Value* root = e.unary(llvm::Intrinsic::sqrt, b.CreateFPExt(a, wide));
      return b.CreateFPTrunc(b.CreateFDiv(llvm::ConstantFP::get(wide, 1.0), root), b.getFloatTy());
    }
    case Op::ex2:
      return routine(e, "tare_exp2_f32", a);
    case Op::lg2:
      return routine(e, "tare_log2_f32", a);
    case Op::sin:
      return routine(e, "tare_sin_f32", a);
    case Op::cos:
      return routine(e, "tare_cos_f32", a);
    case Op::tanh:
      return routine(e, "tare_tanh_f32", a);
    default:
      return nullptr;
  }
}

}  // namespace

bool emit_approximate(Emitter& e, const Instruction& i) {
  if (i.types[0] == Type::f64) return emit_f64(e, i);
  if (i.types[0] != Type::f32) return false;
  const bool flush = i.has(Modifier::ftz);
  Value* a = e.read(i.operands[1], Type::f32);
  if (flush) a = flush_subnormal(e, a);
  Value* result = compute(e, i, a);
  if (result == nullptr) return false;
  if (flush) result = flush_subnormal(e, result);
  if (i.has(Modifier::sat)) result = saturate(e, result);
  e.write(i.operands[0], canonical_nan(e, result));
  return true;
}

}  // namespace tare::cpu::codegen
