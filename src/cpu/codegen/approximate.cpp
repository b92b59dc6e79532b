// The .approx and .full functions. A GPU answers within a documented error; here the result is the
// correctly rounded one, after a GPU's own range reduction and cut-off where those are known.
#include <llvm/IR/Intrinsics.h>

#include "cpu/codegen/instructions.hpp"
#include "cpu/codegen/runtime.hpp"
#include "cpu/codegen/soft_float.hpp"

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
  Value* is_nan = b.CreateFCmpUNO(a, a);
  return e.select(b.CreateAnd(is_huge, b.CreateNot(is_nan)), zero, result);
}

/// f64 with .ftz: the upper half of the operand in, the upper half of the result out, no subnormals on either
/// side. rsqrt without it has all of both.
bool emit_f64(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  if (i.op != Op::rcp && i.op != Op::rsqrt) return false;
  const auto function_of = [&](Value* x) {
    return b.CreateFDiv(number(x, 1.0), i.op == Op::rsqrt ? e.unary(llvm::Intrinsic::sqrt, x) : x);
  };
  Value* a = e.read(i.operands[1], Type::f64);
  if (!i.has(Modifier::ftz)) {
    e.write(i.operands[0], e.select(b.CreateFCmpUNO(a, a), quiet(e, a), function_of(a)));
    return true;
  }
  Value* sign = b.CreateAnd(b.CreateBitCast(a, b.getInt64Ty()), e.i64(0x8000000000000000u));
  const auto cut = [&](Value* real) {
    Value* upper = b.CreateAnd(b.CreateBitCast(real, b.getInt64Ty()), e.i64(0xffffffff00000000u));
    Value* has_no_exponent = b.CreateICmpEQ(b.CreateAnd(upper, e.i64(0x7ff0000000000000u)), e.i64(0));
    return e.select(has_no_exponent, sign, upper);
  };
  Value* exact = function_of(b.CreateBitCast(cut(a), a->getType()));
  Value* result = e.select(b.CreateFCmpUNO(exact, exact), e.i64(0x7fffffff00000000u), cut(exact));
  e.write(i.operands[0], b.CreateBitCast(result, a->getType()));
  return true;
}

/// ex2 and tanh of f16 and bf16, computed in f32 and cut off, as a GPU does.
bool emit_half_function(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  if (i.op != Op::ex2 && i.op != Op::tanh) return false;
  const bool is_bfloat = i.types[0] == Type::bf16 || i.types[0] == Type::bf16x2;
  const bool packed = i.types[0] == Type::f16x2 || i.types[0] == Type::bf16x2;
  Value* source = b.CreateZExt(e.read(i.operands[1], i.types[0]), b.getInt32Ty());
  const auto part = [&](unsigned shift) {
    Value* bits_of_part = b.CreateAnd(b.CreateLShr(source, shift), 0xffff);
    Value* wide = is_bfloat ? b.CreateBitCast(b.CreateShl(bits_of_part, 16), b.getFloatTy())
                            : half_to_single(e, bits_of_part);
    if (i.has(Modifier::ftz)) wide = flush_subnormal(e, wide);
    Value* result = routine(e, i.op == Op::ex2 ? "tare_exp2_f32" : "tare_tanh_f32", wide);
    Value* bits = b.CreateZExt(b.CreateBitCast(result, b.getInt32Ty()), b.getInt64Ty());
    Value* narrow = e.call_runtime(
        "tare_convert", b.getInt64Ty(),
        {bits, e.i32(format_code::f32), e.i32(is_bfloat ? format_code::bf16 : format_code::f16),
         e.i32(static_cast<std::uint32_t>(soft::Direction::zero))});
    narrow = b.CreateTrunc(narrow, b.getInt32Ty());
    if (!is_bfloat)
      narrow = e.select(b.CreateFCmpOGE(result, number(result, 65536.0)), e.i32(0x7c00), narrow);
    return e.select(b.CreateFCmpUNO(result, result), e.i32(0x7fff), narrow);
  };
  Value* result = part(0);
  if (packed) result = b.CreateOr(result, b.CreateShl(part(16), 16));
  e.write(i.operands[0], b.CreateTrunc(result, e.type(i.types[0])));
  return true;
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
  if (ptx::size_of(i.types[0]) == 2 || i.types[0] == Type::f16x2 || i.types[0] == Type::bf16x2)
    return emit_half_function(e, i);
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
