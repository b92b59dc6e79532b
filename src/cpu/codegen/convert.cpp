// cvt between integers and the floating-point formats, with PTX's own rules for saturation, NaN and
// rounding, none of which are x86's.
#include <llvm/IR/Intrinsics.h>

#include "cpu/codegen/instructions.hpp"
#include "cpu/codegen/runtime.hpp"
#include "cpu/codegen/soft_float.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::APInt;
using llvm::Value;
using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;
namespace Modifier = ptx::Modifier;

bool is_integer(Type type) {
  switch (type) {
    case Type::u8:
    case Type::u16:
    case Type::u32:
    case Type::u64:
    case Type::s8:
    case Type::s16:
    case Type::s32:
    case Type::s64:
      return true;
    default:
      return false;
  }
}

bool is_half(Type type) {
  return type == Type::f16 || type == Type::bf16;
}
bool is_real(Type type) {
  return Emitter::is_float(type) || is_half(type);
}
unsigned bits_of(Type type) {
  return static_cast<unsigned>(ptx::size_of(type)) * 8;
}

std::uint32_t code_of(Type type) {
  switch (type) {
    case Type::f16:
      return format_code::f16;
    case Type::bf16:
      return format_code::bf16;
    case Type::f32:
      return format_code::f32;
    default:
      return format_code::f64;
  }
}

Value* direction(Emitter& e, Rounding rounding) {
  return e.i32(static_cast<std::uint32_t>(soft::direction_of(rounding)));
}

bool is_directed(Rounding rounding) {
  return rounding == Rounding::rz || rounding == Rounding::rm || rounding == Rounding::rp;
}

/// Clamps to what the destination holds, in the source's own width.
Value* clamp_integer(Emitter& e, Value* value, Type from, Type to) {
  const bool from_signed = Emitter::is_signed(from);
  const unsigned wide = 72;
  const auto lowest = [&](Type t) {
    return Emitter::is_signed(t) ? APInt::getSignedMinValue(bits_of(t)).sext(wide) : APInt(wide, 0);
  };
  const auto highest = [&](Type t) {
    return Emitter::is_signed(t) ? APInt::getSignedMaxValue(bits_of(t)).zext(wide)
                                 : APInt::getMaxValue(bits_of(t)).zext(wide);
  };
  const APInt low = lowest(from).sgt(lowest(to)) ? lowest(from) : lowest(to);
  const APInt high = highest(from).slt(highest(to)) ? highest(from) : highest(to);
  const auto constant = [&](const APInt& bound) {
    return llvm::ConstantInt::get(value->getType(), bound.trunc(bits_of(from)));
  };
  using llvm::Intrinsic::ID;
  const ID max_id = from_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax;
  const ID min_id = from_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin;
  value = e.b.CreateBinaryIntrinsic(max_id, value, constant(low));
  return e.b.CreateBinaryIntrinsic(min_id, value, constant(high));
}

bool integer_to_integer(Emitter& e, const Instruction& i, Type to, Type from) {
  Value* value = e.read(i.operands[1], from);
  if (i.has(Modifier::sat)) value = clamp_integer(e, value, from, to);
  e.write(i.operands[0], e.adapt(value, e.type(to), Emitter::is_signed(from)), Emitter::is_signed(to));
  return true;
}

Value* round_to_integral(Emitter& e, Value* value, Rounding rounding) {
  switch (rounding) {
    case Rounding::rzi:
    case Rounding::rz:
      return e.unary(llvm::Intrinsic::trunc, value);
    case Rounding::rmi:
    case Rounding::rm:
      return e.unary(llvm::Intrinsic::floor, value);
    case Rounding::rpi:
    case Rounding::rp:
      return e.unary(llvm::Intrinsic::ceil, value);
    default:
      return e.unary(llvm::Intrinsic::roundeven, value);
  }
}

/// A source operand as f32 or f64, exactly.
Value* read_real(Emitter& e, const Instruction& i, Type from) {
  auto& b = e.b;
  if (!is_half(from)) {
    Value* value = e.read(i.operands[1], from);
    return i.has(Modifier::ftz) && from == Type::f32 ? flush_subnormal(e, value) : value;
  }
  Value* bits = b.CreateZExt(e.read(i.operands[1], from), b.getInt32Ty());
  if (from == Type::f16) return half_to_single(e, bits);
  Value* wide = b.CreateBitCast(b.CreateShl(bits, 16), b.getFloatTy());
  return i.has(Modifier::ftz) ? flush_subnormal(e, wide) : wide;
}

/// Saturates to the destination; a NaN gives zero, or the lowest integer where either side has 64 bits.
bool real_to_integer(Emitter& e, const Instruction& i, Type to, Type from) {
  auto& b = e.b;
  Value* value = round_to_integral(e, read_real(e, i, from), i.rounding);
  llvm::Type* integer = e.type(to);
  const auto id = Emitter::is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  Value* result = b.CreateIntrinsic(id, {integer, value->getType()}, {value});
  if (from == Type::f64 || bits_of(to) == 64) {
    Value* lowest = llvm::ConstantInt::get(e.context(), APInt::getSignedMinValue(bits_of(to)));
    result = e.select(b.CreateFCmpUNO(value, value), lowest, result);
  }
  e.write(i.operands[0], result, Emitter::is_signed(to));
  return true;
}

bool integer_to_real(Emitter& e, const Instruction& i, Type to, Type from) {
  auto& b = e.b;
  const bool is_signed = Emitter::is_signed(from);
  Value* value = e.read(i.operands[1], from);
  if (i.has(Modifier::sat)) {  // of the integers, 0 and 1 are left, and no rounding
    Value* zero = llvm::ConstantInt::get(value->getType(), 0);
    Value* one = llvm::ConstantInt::get(value->getType(), 1);
    Value* positive = is_signed ? b.CreateICmpSGT(value, zero) : b.CreateICmpNE(value, zero);
    value = e.select(positive, one, zero);
  }
  if (Emitter::is_float(to) && !is_directed(i.rounding)) {
    e.write(i.operands[0], is_signed ? b.CreateSIToFP(value, e.type(to)) : b.CreateUIToFP(value, e.type(to)));
    return true;
  }
  Value* wide = e.adapt(value, b.getInt64Ty(), is_signed);
  Value* negative = is_signed ? b.CreateICmpSLT(wide, e.i64(0)) : b.getFalse();
  Value* magnitude = e.select(negative, b.CreateNeg(wide), wide);
  Value* bits = e.call_runtime(
      "tare_from_integer", b.getInt64Ty(),
      {magnitude, b.CreateZExt(negative, b.getInt32Ty()), e.i32(code_of(to)), direction(e, i.rounding)});
  e.write(i.operands[0], e.adapt(bits, e.type(to)));
  return true;
}

/// Bits of f16 or bf16 in an i32, from f32 or f64.
Value* to_half(Emitter& e, const Instruction& i, Value* value, Type to, Type from) {
  auto& b = e.b;
  llvm::Type* integer = b.getIntNTy(bits_of(from));
  Value* source = b.CreateZExt(b.CreateBitCast(value, integer), b.getInt64Ty());
  Value* result = b.CreateTrunc(
      e.call_runtime("tare_convert", b.getInt64Ty(),
                     {source, e.i32(code_of(from)), e.i32(code_of(to)), direction(e, i.rounding)}),
      b.getInt32Ty());
  Value* nan = e.i32(0x7fff);
  if (from == Type::f64) {
    // Sign and upper payload survive.
    Value* sign = b.CreateShl(b.CreateLShr(source, 63), 15);
    Value* payload =
        b.CreateAnd(b.CreateLShr(source, to == Type::f16 ? 42 : 45), to == Type::f16 ? 0x3ff : 0x7f);
    nan = b.CreateTrunc(b.CreateOr(b.CreateOr(sign, payload), to == Type::f16 ? 0x7e00 : 0x7fc0),
                        b.getInt32Ty());
  }
  Value* is_nan = b.CreateFCmpUNO(value, value);
  result = e.select(is_nan, nan, result);
  const std::uint32_t one = to == Type::f16 ? 0x3c00 : 0x3f80;
  const std::uint32_t infinity = to == Type::f16 ? 0x7c00 : 0x7f80;
  Value* negative = b.CreateICmpNE(b.CreateAnd(result, 0x8000), e.i32(0));
  if (i.has(Modifier::satfinite)) {
    Value* is_infinite = b.CreateICmpEQ(b.CreateAnd(result, 0x7fff), e.i32(infinity));
    result = e.select(is_infinite, b.CreateSub(result, e.i32(1)), result);
  }
  if (i.has(Modifier::relu)) result = e.select(b.CreateAnd(negative, b.CreateNot(is_nan)), e.i32(0), result);
  if (i.has(Modifier::sat)) {
    Value* clamped = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, result, e.i32(one));
    result = e.select(b.CreateOr(is_nan, negative), e.i32(0), clamped);
  }
  return result;
}

bool to_packed_half(Emitter& e, const Instruction& i, Type to) {
  const Type element = to == Type::f16x2 ? Type::f16 : Type::bf16;
  if (i.types[1] != Type::f32 || i.operands.size() != 3 || i.rounding == Rounding::rs) return false;
  Value* high = to_half(e, i, e.read(i.operands[1], Type::f32), element, Type::f32);
  Value* low = to_half(e, i, e.read(i.operands[2], Type::f32), element, Type::f32);
  e.write(i.operands[0], e.b.CreateOr(e.b.CreateShl(high, 16), low));
  return true;
}

/// f32 bits with the low 13 bits of the fraction rounded away.
bool to_tf32(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  Value* value = e.read(i.operands[1], Type::f32);
  Value* bits = b.CreateBitCast(value, b.getInt32Ty());
  Value* added = e.i32(0x1000);
  if (i.rounding == Rounding::rn) added = b.CreateAdd(e.i32(0xfff), b.CreateAnd(b.CreateLShr(bits, 13), 1));
  if (i.rounding == Rounding::rz) added = e.i32(0);
  Value* rounded = b.CreateAnd(b.CreateAdd(bits, added), 0xffffe000u);
  Value* special = b.CreateICmpEQ(b.CreateAnd(bits, 0x7f800000), e.i32(0x7f800000));
  Value* is_nan = b.CreateFCmpUNO(value, value);
  rounded = e.select(special, b.CreateAnd(bits, 0xffffe000u), rounded);
  if (i.rounding != Rounding::rna) rounded = e.select(is_nan, e.i32(0x7fffe000), rounded);
  if (i.has(Modifier::satfinite)) {
    Value* is_infinite = b.CreateICmpEQ(b.CreateAnd(rounded, 0x7fffffff), e.i32(0x7f800000));
    // With .rna an H200 takes one off a NaN too.
    if (i.rounding == Rounding::rna) is_infinite = special;
    rounded = e.select(is_infinite, b.CreateSub(rounded, e.i32(0x2000)), rounded);
  }
  if (i.has(Modifier::relu)) {
    Value* is_negative = b.CreateAnd(b.CreateICmpSLT(bits, e.i32(0)), b.CreateNot(is_nan));
    rounded = e.select(is_negative, e.i32(0), rounded);
  }
  e.write(i.operands[0], rounded);
  return true;
}

bool is_narrow(Type type) {
  return type == Type::e4m3x2 || type == Type::e5m2x2;
}

/// Two numbers of 8 bits from two f32, or from an f16x2.
bool to_narrow(Emitter& e, const Instruction& i, Type to, Type from) {
  auto& b = e.b;
  const bool packed = from == Type::f16x2;
  if ((!packed && from != Type::f32) || i.operands.size() != (packed ? 2u : 3u)) return false;
  const auto narrow = [&](Value* bits) {
    return e.call_runtime("tare_narrow", b.getInt32Ty(),
                          {bits, e.i32(to == Type::e5m2x2 ? 1 : 0), e.i32(i.has(Modifier::relu) ? 1 : 0)});
  };
  const auto half = [&](unsigned shift) {
    Value* part = b.CreateAnd(b.CreateLShr(e.read(i.operands[1], Type::b32), shift), 0xffff);
    return b.CreateBitCast(half_to_single(e, part), b.getInt32Ty());
  };
  Value* high = packed ? half(16) : e.read(i.operands[1], Type::b32);
  Value* low = packed ? half(0) : e.read(i.operands[2], Type::b32);
  Value* both = b.CreateOr(b.CreateShl(narrow(high), 8), narrow(low));
  e.write(i.operands[0], b.CreateTrunc(both, b.getInt16Ty()));
  return true;
}

bool from_narrow(Emitter& e, const Instruction& i, Type from) {
  auto& b = e.b;
  Value* both = b.CreateZExt(e.read(i.operands[1], Type::b16), b.getInt32Ty());
  const auto widen = [&](Value* bits) {
    return e.call_runtime("tare_f16_from_narrow", b.getInt32Ty(),
                          {bits, e.i32(from == Type::e5m2x2 ? 1 : 0), e.i32(i.has(Modifier::relu) ? 1 : 0)});
  };
  Value* high = widen(b.CreateLShr(both, 8));
  e.write(i.operands[0], b.CreateOr(b.CreateShl(high, 16), widen(b.CreateAnd(both, 0xff))));
  return true;
}

/// cvt.pack: two integers, saturated, below what a third operand has been shifted up by.
bool to_packed_integers(Emitter& e, const Instruction& i, Type to) {
  auto& b = e.b;
  const bool is_pair_of_two = has_suffix(i, "u2") || has_suffix(i, "s2");  // 2 bits: no type of any register
  unsigned bits = is_pair_of_two ? 2 : 0;
  if (to == Type::u16 || to == Type::s16) bits = 16;
  if (to == Type::u8 || to == Type::s8) bits = 8;
  if (to == Type::u4 || to == Type::s4) bits = 4;
  if (bits == 0 || i.types[is_pair_of_two ? 0 : 1] != Type::s32) return false;
  const bool is_signed = has_suffix(i, "s2") || to == Type::s16 || to == Type::s8 || to == Type::s4;
  const std::int32_t low = is_signed ? -(1 << (bits - 1)) : 0;
  const std::int32_t high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  const auto saturated = [&](std::size_t index) {
    Value* value = e.read(i.operands[index], Type::s32);
    value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, e.i32(static_cast<std::uint32_t>(low)));
    value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, e.i32(static_cast<std::uint32_t>(high)));
    return b.CreateAnd(value, (std::uint64_t{1} << bits) - 1);
  };
  Value* result = b.CreateOr(b.CreateShl(saturated(1), bits), saturated(2));
  if (i.operands.size() > 3)
    result = b.CreateOr(result, b.CreateShl(e.read(i.operands[3], Type::b32), 2 * bits));
  e.write(i.operands[0], result);
  return true;
}

bool has_integral_rounding(Rounding rounding) {
  return rounding == Rounding::rni || rounding == Rounding::rzi || rounding == Rounding::rmi ||
         rounding == Rounding::rpi;
}

Value* narrow_double(Emitter& e, const Instruction& i, Value* value) {
  auto& b = e.b;
  Value* nearest = b.CreateFPTrunc(value, b.getFloatTy());
  if (!is_directed(i.rounding)) return nearest;
  Value* bits = e.call_runtime("tare_convert", b.getInt64Ty(),
                               {b.CreateBitCast(value, b.getInt64Ty()), e.i32(format_code::f64),
                                e.i32(format_code::f32), direction(e, i.rounding)});
  return e.select(b.CreateFCmpUNO(value, value), nearest, e.adapt(bits, b.getFloatTy()));
}

bool real_to_real(Emitter& e, const Instruction& i, Type to, Type from) {
  auto& b = e.b;
  const bool flush = i.has(Modifier::ftz);
  const bool same = to == from;
  Value* value = read_real(e, i, from);
  const Type read_as = is_half(from) ? Type::f32 : from;
  if (has_integral_rounding(i.rounding)) value = round_to_integral(e, value, i.rounding);
  if (is_half(to)) {
    // bf16 NaN payloads of a plain conversion from f32 are not kept; see to_half.
    e.write(i.operands[0], to_half(e, i, value, to, read_as));
    return true;
  }
  const bool from_f32 = read_as == Type::f32;
  if (from_f32 && (same || flush || (from == Type::f16 && to == Type::f32))) value = canonical_nan(e, value);
  if (to == Type::f64 && from_f32) value = b.CreateFPExt(value, b.getDoubleTy());
  if (to == Type::f32 && from == Type::f64) {
    value = narrow_double(e, i, value);
    if (flush) value = flush_subnormal(e, value);
  }
  if (same && to == Type::f64) value = e.select(b.CreateFCmpUNO(value, value), quiet(e, value), value);
  if (i.has(Modifier::sat)) value = saturate(e, value);
  e.write(i.operands[0], value);
  return true;
}

}  // namespace

Value* half_to_single(Emitter& e, Value* bits) {
  auto& b = e.b;
  Value* magnitude = b.CreateShl(b.CreateAnd(bits, 0x7fff), 13);
  // A product by a power of two moves the exponent, of subnormals too.
  Value* scaled = b.CreateFMul(b.CreateBitCast(magnitude, b.getFloatTy()),
                               llvm::ConstantFP::get(b.getFloatTy(), 0x1p112));
  Value* special = b.CreateICmpEQ(b.CreateAnd(bits, 0x7c00), e.i32(0x7c00));
  Value* result =
      e.select(special, b.CreateOr(magnitude, 0x7f800000), b.CreateBitCast(scaled, b.getInt32Ty()));
  result = b.CreateOr(result, b.CreateShl(b.CreateAnd(bits, 0x8000), 16));
  return b.CreateBitCast(result, b.getFloatTy());
}

bool emit_convert(Emitter& e, const Instruction& i) {
  const Type to = i.types[0];
  const Type from = i.types[1];
  if (i.rounding == Rounding::rs) return false;
  if (has_suffix(i, "pack")) return to_packed_integers(e, i, to);
  if (is_narrow(to)) return to_narrow(e, i, to, from);
  if (is_narrow(from)) return to == Type::f16x2 && from_narrow(e, i, from);
  if (to == Type::f16x2 || to == Type::bf16x2) return to_packed_half(e, i, to);
  if (to == Type::tf32) return from == Type::f32 && to_tf32(e, i);
  if (is_integer(to) && is_integer(from)) return integer_to_integer(e, i, to, from);
  if (is_integer(to) && is_real(from)) return real_to_integer(e, i, to, from);
  if (is_real(to) && is_integer(from)) return integer_to_real(e, i, to, from);
  if (is_real(to) && is_real(from)) return real_to_real(e, i, to, from);
  return false;
}

}  // namespace tare::cpu::codegen
