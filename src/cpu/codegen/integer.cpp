// Integer arithmetic, logic and shifts of 16, 32 and 64 bits, and the carry chain.
#include <llvm/IR/Intrinsics.h>

#include "cpu/codegen/instructions.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Op;
using ptx::Type;
namespace Modifier = ptx::Modifier;

struct Operation {
  Emitter& e;
  const Instruction& i;
  Type type;
  bool is_signed;
  unsigned bits;

  Operation(Emitter& emitter, const Instruction& instruction)
      : e(emitter),
        i(instruction),
        type(instruction.types[0]),
        is_signed(Emitter::is_signed(type)),
        bits(type == Type::pred ? 1 : static_cast<unsigned>(ptx::size_of(type)) * 8) {}

  Value* operand(std::size_t index) { return e.read(i.operands[index], type); }
  Value* wide(Value* value) {
    llvm::Type* to = e.b.getIntNTy(bits * 2);
    return is_signed ? e.b.CreateSExt(value, to) : e.b.CreateZExt(value, to);
  }
  bool done(Value* value) {
    e.write(i.operands[0], value, is_signed);
    return true;
  }
  Value* intrinsic(llvm::Intrinsic::ID id, Value* a, Value* c) { return e.b.CreateBinaryIntrinsic(id, a, c); }

  Value* product(Value* a, Value* c) {
    if (i.has(Modifier::wide)) return e.b.CreateMul(wide(a), wide(c));
    if (i.has(Modifier::hi))
      return e.b.CreateTrunc(e.b.CreateLShr(e.b.CreateMul(wide(a), wide(c)), bits), a->getType());
    return e.b.CreateMul(a, c);
  }
};

/// x + y (+ carry), keeping the carry if asked; for subtraction the borrow.
Value* with_carry(Operation& o, Value* x, Value* y, bool subtract, bool use_carry) {
  Emitter& e = o.e;
  const auto id = subtract ? llvm::Intrinsic::usub_with_overflow : llvm::Intrinsic::uadd_with_overflow;
  Value* first = o.intrinsic(id, x, y);
  Value* sum = e.b.CreateExtractValue(first, 0);
  Value* overflow = e.b.CreateExtractValue(first, 1);
  if (use_carry) {
    Value* flag = e.b.CreateZExt(e.b.CreateLoad(e.b.getInt1Ty(), e.carry()), sum->getType());
    Value* second = o.intrinsic(id, sum, flag);
    sum = e.b.CreateExtractValue(second, 0);
    overflow = e.b.CreateOr(overflow, e.b.CreateExtractValue(second, 1));
  }
  if (o.i.has(Modifier::cc)) e.b.CreateStore(overflow, e.carry());
  return sum;
}

/// A shift count at or over the width leaves nothing but the sign.
Value* shift(Operation& o) {
  Emitter& e = o.e;
  Value* value = o.operand(1);
  Value* count = e.read(o.i.operands[2], Type::u32);
  Value* over = e.b.CreateICmpUGE(count, e.i32(o.bits));
  Value* safe = e.b.CreateSelect(over, e.i32(o.is_signed ? o.bits - 1 : 0), count);
  safe = e.b.CreateZExtOrTrunc(safe, value->getType());
  if (o.i.op == Op::shr && o.is_signed) return e.b.CreateAShr(value, safe);
  Value* shifted = o.i.op == Op::shl ? e.b.CreateShl(value, safe) : e.b.CreateLShr(value, safe);
  return e.b.CreateSelect(over, e.constant_like(value, 0), shifted);
}

/// Quotient and remainder of a division by zero have all bits set; the one overflow wraps.
Value* divide(Operation& o) {
  Emitter& e = o.e;
  Value* a = o.operand(1);
  Value* d = o.operand(2);
  const bool remainder = o.i.op == Op::rem;
  Value* zero = e.b.CreateICmpEQ(d, e.constant_like(d, 0));
  Value* risky = zero;
  if (o.is_signed) {
    Value* lowest = llvm::ConstantInt::get(a->getContext(), llvm::APInt::getSignedMinValue(o.bits));
    Value* overflow = e.b.CreateAnd(e.b.CreateICmpEQ(a, lowest),
                                    e.b.CreateICmpEQ(d, llvm::Constant::getAllOnesValue(d->getType())));
    risky = e.b.CreateOr(zero, overflow);
  }
  Value* safe = e.b.CreateSelect(risky, e.constant_like(d, 1), d);
  if (remainder) {
    Value* r = o.is_signed ? e.b.CreateSRem(a, safe) : e.b.CreateURem(a, safe);
    return e.b.CreateSelect(zero, llvm::Constant::getAllOnesValue(a->getType()), r);
  }
  Value* q = o.is_signed ? e.b.CreateSDiv(a, safe) : e.b.CreateUDiv(a, safe);
  return e.b.CreateSelect(zero, llvm::Constant::getAllOnesValue(a->getType()), q);
}

/// The low 24 bits of an operand, extended to 64.
Value* low_24(Operation& o, std::size_t index) {
  Value* value = o.e.b.CreateShl(o.e.b.CreateZExt(o.operand(index), o.e.b.getInt64Ty()), 40);
  return o.is_signed ? o.e.b.CreateAShr(value, 40) : o.e.b.CreateLShr(value, 40);
}

Value* product_24(Operation& o) {
  Value* product = o.e.b.CreateMul(low_24(o, 1), low_24(o, 2));
  if (o.i.has(Modifier::hi)) product = o.e.b.CreateLShr(product, 16);
  return o.e.b.CreateTrunc(product, o.e.b.getInt32Ty());
}

bool emit_add(Operation& o, bool subtract) {
  Value* a = o.operand(1);
  Value* c = o.operand(2);
  const bool use_carry = o.i.op == Op::addc || o.i.op == Op::subc;
  if (o.type == Type::u16x2 || o.type == Type::s16x2) return false;
  if (o.i.has(Modifier::sat)) {
    return o.done(o.intrinsic(subtract ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::sadd_sat, a, c));
  }
  if (use_carry || o.i.has(Modifier::cc)) return o.done(with_carry(o, a, c, subtract, use_carry));
  return o.done(subtract ? o.e.b.CreateSub(a, c) : o.e.b.CreateAdd(a, c));
}

bool emit_mad(Operation& o) {
  const bool chained = o.i.op == Op::madc || o.i.has(Modifier::cc);
  if (o.i.has(Modifier::wide)) {
    Value* product = o.product(o.operand(1), o.operand(2));
    Value* addend =
        o.e.adapt(o.e.read(o.i.operands[3], o.bits == 32 ? Type::u64 : Type::u32), product->getType());
    return o.done(o.e.b.CreateAdd(product, addend));
  }
  Value* product = o.product(o.operand(1), o.operand(2));
  Value* addend = o.operand(3);
  if (chained) return o.done(with_carry(o, product, addend, false, o.i.op == Op::madc));
  if (o.i.has(Modifier::sat)) return o.done(o.intrinsic(llvm::Intrinsic::sadd_sat, product, addend));
  return o.done(o.e.b.CreateAdd(product, addend));
}

bool emit_extreme(Operation& o) {
  if (o.type == Type::u16x2 || o.type == Type::s16x2) return false;
  const bool least = o.i.op == Op::min;
  const auto id = o.is_signed ? (least ? llvm::Intrinsic::smin : llvm::Intrinsic::smax)
                              : (least ? llvm::Intrinsic::umin : llvm::Intrinsic::umax);
  Value* result = o.intrinsic(id, o.operand(1), o.operand(2));
  if (o.i.has(Modifier::relu))
    result = o.intrinsic(llvm::Intrinsic::smax, result, o.e.constant_like(result, 0));
  return o.done(result);
}

}  // namespace

bool emit_integer(Emitter& e, const Instruction& i) {
  Operation o(e, i);
  auto& b = e.b;
  switch (i.op) {
    case Op::add:
    case Op::addc:
      return emit_add(o, false);
    case Op::sub:
    case Op::subc:
      return emit_add(o, true);
    case Op::mul:
      return o.done(o.product(o.operand(1), o.operand(2)));
    case Op::mad:
    case Op::madc:
      return emit_mad(o);
    case Op::mul24:
      return o.done(product_24(o));
    case Op::mad24: {
      Value* product = product_24(o);
      if (i.has(Modifier::sat)) return o.done(o.intrinsic(llvm::Intrinsic::sadd_sat, product, o.operand(3)));
      return o.done(b.CreateAdd(product, o.operand(3)));
    }
    case Op::sad: {
      Value* x = o.operand(1);
      Value* y = o.operand(2);
      Value* greater = o.is_signed ? b.CreateICmpSGT(x, y) : b.CreateICmpUGT(x, y);
      return o.done(b.CreateAdd(o.operand(3), b.CreateSelect(greater, b.CreateSub(x, y), b.CreateSub(y, x))));
    }
    case Op::div:
    case Op::rem:
      return o.done(divide(o));
    case Op::neg:
      return o.done(b.CreateNeg(o.operand(1)));
    case Op::abs:
      return o.done(o.intrinsic(llvm::Intrinsic::abs, o.operand(1), b.getFalse()));
    case Op::min:
    case Op::max:
      return emit_extreme(o);
    case Op::and_:
      return o.done(b.CreateAnd(o.operand(1), o.operand(2)));
    case Op::or_:
      return o.done(b.CreateOr(o.operand(1), o.operand(2)));
    case Op::xor_:
      return o.done(b.CreateXor(o.operand(1), o.operand(2)));
    case Op::not_:
      return o.done(b.CreateNot(o.operand(1)));
    case Op::cnot: {
      Value* value = o.operand(1);
      return o.done(b.CreateZExt(b.CreateICmpEQ(value, e.constant_like(value, 0)), value->getType()));
    }
    case Op::shl:
    case Op::shr:
      return o.done(shift(o));
    default:
      return false;
  }
}

}  // namespace tare::cpu::codegen
