// Comparisons and selections: setp, set, selp, slct and testp.
#include <llvm/IR/Intrinsics.h>

#include "cpu/codegen/instructions.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::CmpInst;
using llvm::Value;
using ptx::Compare;
using ptx::Instruction;
using ptx::Operand;
using ptx::Type;
namespace Modifier = ptx::Modifier;

CmpInst::Predicate integer_predicate(Compare compare, bool is_signed) {
  switch (compare) {
    case Compare::eq:
      return CmpInst::ICMP_EQ;
    case Compare::ne:
      return CmpInst::ICMP_NE;
    case Compare::lt:
      return is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
    case Compare::le:
      return is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
    case Compare::gt:
      return is_signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;
    case Compare::ge:
      return is_signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE;
    case Compare::lo:
      return CmpInst::ICMP_ULT;
    case Compare::ls:
      return CmpInst::ICMP_ULE;
    case Compare::hi:
      return CmpInst::ICMP_UGT;
    case Compare::hs:
      return CmpInst::ICMP_UGE;
    default:
      return CmpInst::BAD_ICMP_PREDICATE;
  }
}

CmpInst::Predicate real_predicate(Compare compare) {
  switch (compare) {
    case Compare::eq:
      return CmpInst::FCMP_OEQ;
    case Compare::ne:
      return CmpInst::FCMP_ONE;
    case Compare::lt:
      return CmpInst::FCMP_OLT;
    case Compare::le:
      return CmpInst::FCMP_OLE;
    case Compare::gt:
      return CmpInst::FCMP_OGT;
    case Compare::ge:
      return CmpInst::FCMP_OGE;
    case Compare::equ:
      return CmpInst::FCMP_UEQ;
    case Compare::neu:
      return CmpInst::FCMP_UNE;
    case Compare::ltu:
      return CmpInst::FCMP_ULT;
    case Compare::leu:
      return CmpInst::FCMP_ULE;
    case Compare::gtu:
      return CmpInst::FCMP_UGT;
    case Compare::geu:
      return CmpInst::FCMP_UGE;
    case Compare::num:
      return CmpInst::FCMP_ORD;
    case Compare::nan:
      return CmpInst::FCMP_UNO;
    default:
      return CmpInst::BAD_FCMP_PREDICATE;
  }
}

/// The bits of an f16 or bf16 in an i32 as f32, exactly.
Value* widen_half(Emitter& e, Value* bits, Type type, bool flush) {
  auto& b = e.b;
  if (flush) {
    Value* small = b.CreateICmpEQ(b.CreateAnd(bits, type == Type::bf16 ? 0x7f80 : 0x7c00), e.i32(0));
    bits = e.select(small, b.CreateAnd(bits, 0x8000), bits);
  }
  if (type == Type::bf16) return b.CreateBitCast(b.CreateShl(bits, 16), b.getFloatTy());
  return half_to_single(e, bits);
}

/// The `index`th source, from 0: a setp may have two destinations before it.
const Operand& source(const Instruction& i, std::size_t index) {
  return i.operands[i.destination_count + index];
}

Type element_of(Type type) {
  return type == Type::f16x2 ? Type::f16 : Type::bf16;
}

/// One half of a packed operand against the same half of the other.
Value* compare_half(Emitter& e, const Instruction& i, Type type, unsigned shift) {
  const auto half = [&](std::size_t index) {
    Value* both = e.read(source(i, index), Type::b32);
    return widen_half(e, e.b.CreateAnd(e.b.CreateLShr(both, shift), 0xffff), element_of(type),
                      i.has(Modifier::ftz));
  };
  return e.b.CreateFCmp(real_predicate(i.compare), half(0), half(1));
}

Value* compare(Emitter& e, const Instruction& i, Type type) {
  auto& b = e.b;
  if (type == Type::f16 || type == Type::bf16) {
    const auto wide = [&](std::size_t index) {
      Value* bits = b.CreateZExt(e.read(source(i, index), type), b.getInt32Ty());
      return widen_half(e, bits, type, i.has(Modifier::ftz));
    };
    return b.CreateFCmp(real_predicate(i.compare), wide(0), wide(1));
  }
  Value* x = e.read(source(i, 0), type);
  Value* y = e.read(source(i, 1), type);
  if (!Emitter::is_float(type))
    return b.CreateICmp(integer_predicate(i.compare, Emitter::is_signed(type)), x, y);
  if (i.has(Modifier::ftz) && type == Type::f32) {
    x = flush_subnormal(e, x);
    y = flush_subnormal(e, y);
  }
  return b.CreateFCmp(real_predicate(i.compare), x, y);
}

Value* combine(Emitter& e, const Instruction& i, Value* value, Value* other) {
  switch (i.bool_op) {
    case ptx::Bool::and_:
      return e.b.CreateAnd(value, other);
    case ptx::Bool::or_:
      return e.b.CreateOr(value, other);
    case ptx::Bool::xor_:
      return e.b.CreateXor(value, other);
    default:
      return value;
  }
}

bool is_packed(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2;
}

bool is_comparable(const Instruction& i, Type type) {
  const bool is_real = Emitter::is_float(type) || type == Type::f16 || type == Type::bf16 || is_packed(type);
  return is_real ? real_predicate(i.compare) != CmpInst::BAD_FCMP_PREDICATE
                 : integer_predicate(i.compare, Emitter::is_signed(type)) != CmpInst::BAD_ICMP_PREDICATE;
}

bool emit_setp(Emitter& e, const Instruction& i) {
  const Type type = i.types[0];
  if (!is_comparable(i, type)) return false;
  // Packed: one result for each half. Else the second is the first's opposite.
  Value* holds = is_packed(type) ? compare_half(e, i, type, 0) : compare(e, i, type);
  Value* fails = is_packed(type) ? compare_half(e, i, type, 16) : e.b.CreateNot(holds);
  if (i.bool_op != ptx::Bool::none) {
    Value* other = e.read(source(i, 2), Type::pred);
    holds = combine(e, i, holds, other);
    fails = combine(e, i, fails, other);
  }
  e.write(i.operands[0], holds);
  if (i.destination_count == 2) e.write(i.operands[1], fails);
  return true;
}

bool emit_packed_set(Emitter& e, const Instruction& i, Type to, Type from) {
  Value* result = e.i32(0);
  for (const unsigned shift : {0u, 16u}) {
    Value* holds = compare_half(e, i, from, shift);
    if (i.bool_op != ptx::Bool::none) holds = combine(e, i, holds, e.read(source(i, 2), Type::pred));
    const std::uint32_t one = to == Type::f16x2 ? 0x3c00 : to == Type::bf16x2 ? 0x3f80 : 0xffff;
    result = e.b.CreateOr(result, e.select(holds, e.i32(one << shift), e.i32(0)));
  }
  e.write(i.operands[0], result);
  return true;
}

bool emit_set(Emitter& e, const Instruction& i) {
  const Type to = i.types[0];
  const Type from = i.type_count > 1 ? i.types[1] : i.types[0];
  if (!is_comparable(i, from)) return false;
  if (is_packed(from)) return emit_packed_set(e, i, to, from);
  Value* holds = compare(e, i, from);
  if (i.bool_op != ptx::Bool::none) holds = combine(e, i, holds, e.read(source(i, 2), Type::pred));
  if (to == Type::f32) {
    e.write(i.operands[0], e.b.CreateUIToFP(holds, e.b.getFloatTy()));
  } else if (to == Type::f16 || to == Type::bf16) {
    e.write(i.operands[0], e.select(holds, e.b.getInt16(to == Type::f16 ? 0x3c00 : 0x3f80), e.b.getInt16(0)));
  } else {
    e.write(i.operands[0], e.b.CreateSExt(holds, e.type(to)), true);
  }
  return true;
}

bool emit_slct(Emitter& e, const Instruction& i) {
  const Type type = i.types[0];
  Value* selector = e.read(i.operands[3], i.types[1]);
  Value* first = nullptr;
  if (i.types[1] == Type::f32) {
    if (i.has(Modifier::ftz)) selector = flush_subnormal(e, selector);
    first = e.b.CreateFCmpOGE(selector, llvm::ConstantFP::get(selector->getType(), 0.0));
  } else {
    first = e.b.CreateICmpSGE(selector, e.constant_like(selector, 0));
  }
  e.write(i.operands[0], e.select(first, e.read(i.operands[1], type), e.read(i.operands[2], type)));
  return true;
}

bool emit_testp(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  const Type type = i.types[0];
  Value* value = e.read(i.operands[1], type);
  Value* magnitude = e.unary(llvm::Intrinsic::fabs, value);
  llvm::Type* real = value->getType();
  Value* infinity = llvm::ConstantFP::getInfinity(real);
  Value* smallest = llvm::ConstantFP::get(real, type == Type::f32 ? 0x1p-126 : 0x1p-1022);
  Value* zero = llvm::ConstantFP::get(real, 0.0);
  Value* result = nullptr;
  if (has_suffix(i, "finite")) result = b.CreateFCmpOLT(magnitude, infinity);
  if (has_suffix(i, "infinite")) result = b.CreateFCmpOEQ(magnitude, infinity);
  if (has_suffix(i, "number")) result = b.CreateFCmpORD(value, value);
  if (has_suffix(i, "notanumber")) result = b.CreateFCmpUNO(value, value);
  if (has_suffix(i, "normal")) {
    // Zero counts as normal.
    Value* usual = b.CreateAnd(b.CreateFCmpOGE(magnitude, smallest), b.CreateFCmpOLT(magnitude, infinity));
    result = b.CreateOr(usual, b.CreateFCmpOEQ(value, zero));
  }
  if (has_suffix(i, "subnormal")) {
    result = b.CreateAnd(b.CreateFCmpOLT(magnitude, smallest), b.CreateFCmpOGT(magnitude, zero));
  }
  if (result == nullptr) return false;
  e.write(i.operands[0], result);
  return true;
}

}  // namespace

bool emit_compare(Emitter& e, const Instruction& i) {
  switch (i.op) {
    case ptx::Op::setp:
      return emit_setp(e, i);
    case ptx::Op::set:
      return emit_set(e, i);
    case ptx::Op::slct:
      return emit_slct(e, i);
    case ptx::Op::testp:
      return emit_testp(e, i);
    case ptx::Op::selp: {
      Value* chosen = e.select(e.read(i.operands[3], Type::pred), e.read(i.operands[1], i.types[0]),
                               e.read(i.operands[2], i.types[0]));
      e.write(i.operands[0], chosen);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace tare::cpu::codegen
