// f32 and f64 arithmetic: round to nearest by the processor's own instructions, every other rounding by
// the exact routines of soft_float. NaN results, subnormals and saturation are a GPU's, by selects.
#include <llvm/IR/Intrinsics.h>

#include "cpu/codegen/instructions.hpp"
#include "cpu/codegen/soft_float.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Op;
using ptx::Rounding;
using ptx::Type;
namespace Modifier = ptx::Modifier;

constexpr std::uint64_t kCanonicalNan32 = 0x7fffffff;
constexpr std::uint64_t kDefaultNan64 = 0xfff8000000000000;
constexpr std::uint64_t kQuietBit64 = 0x0008000000000000;

Value* bits_of(Emitter& e, Value* value) {
  return e.b.CreateBitCast(value, e.b.getIntNTy(width_of(value->getType())));
}

/// The first NaN among `inputs` is what a NaN result carries.
Value* with_input_nan(Emitter& e, Value* value, llvm::ArrayRef<Value*> inputs) {
  Value* nan = e.adapt(e.i64(kDefaultNan64), value->getType());
  for (std::size_t k = inputs.size(); k-- > 0;) {
    nan = e.select(e.b.CreateFCmpUNO(inputs[k], inputs[k]), quiet(e, inputs[k]), nan);
  }
  return e.select(e.b.CreateFCmpUNO(value, value), nan, value);
}

struct Operation {
  Emitter& e;
  const Instruction& i;
  Type type;
  bool is_f32;
  bool flush;

  Operation(Emitter& emitter, const Instruction& instruction)
      : e(emitter),
        i(instruction),
        type(instruction.types[0]),
        is_f32(type == Type::f32),
        flush(instruction.has(Modifier::ftz) && type == Type::f32) {}

  Value* operand(std::size_t index) {
    Value* value = e.read(i.operands[index], type);
    return flush ? flush_subnormal(e, value) : value;
  }

  /// The result as a GPU delivers it. For f64 the first NaN among `inputs` is what a NaN result carries.
  /// Under .ftz a result is flushed if it is `tiny` before it is rounded, even where a gradual underflow
  /// would round it up to a normal.
  bool done(Value* value, llvm::ArrayRef<Value*> inputs, Value* tiny = nullptr) {
    if (flush) value = flush_subnormal(e, value, tiny);
    if (i.has(Modifier::sat)) {
      value = saturate(e, value);
    } else if (is_f32) {
      value = canonical_nan(e, value);
    } else {
      value = with_input_nan(e, value, inputs);
    }
    e.write(i.operands[0], value);
    return true;
  }

  /// Rounds toward zero or an infinity, by a routine.
  Value* directed(const char* name, llvm::ArrayRef<Value*> inputs) {
    std::vector<Value*> arguments(inputs.begin(), inputs.end());
    const auto direction = static_cast<std::uint32_t>(soft::direction_of(i.rounding));
    arguments.push_back(e.i32(direction | (flush ? soft::kFlush : 0)));
    return e.call_runtime(name, e.type(type), arguments);
  }
  Value* widen(Value* value) { return e.b.CreateFPExt(value, e.b.getDoubleTy()); }
  /// Under .ftz: whether an f64 value, exact or nearly, becomes less than the least normal f32 when it is
  /// rounded to nearest with 24 bits and no limit to its exponent.
  Value* is_tiny(Value* exact) {
    constexpr double kLeastThatRoundsToNormal = 0x1p-126 - 0x1p-151;
    return e.b.CreateFCmpOLT(e.unary(llvm::Intrinsic::fabs, exact),
                             llvm::ConstantFP::get(exact->getType(), kLeastThatRoundsToNormal));
  }
  bool rounds_to_nearest() const { return i.rounding == Rounding::none || i.rounding == Rounding::rn; }
};

bool emit_sum(Operation& o, bool subtract) {
  Value* a = o.operand(1);
  Value* c = o.operand(2);
  if (o.rounds_to_nearest())
    return o.done(subtract ? o.e.b.CreateFSub(a, c) : o.e.b.CreateFAdd(a, c), {c, a});
  Value* addend = subtract ? o.e.b.CreateFNeg(c) : c;
  return o.done(o.directed(o.is_f32 ? "tare_add_f32" : "tare_add_f64", {a, addend}), {c, a});
}

bool emit_product(Operation& o) {
  Value* a = o.operand(1);
  Value* c = o.operand(2);
  if (o.rounds_to_nearest()) {
    Value* tiny = o.flush ? o.is_tiny(o.e.b.CreateFMul(o.widen(a), o.widen(c))) : nullptr;
    return o.done(o.e.b.CreateFMul(a, c), {c, a}, tiny);
  }
  return o.done(o.directed(o.is_f32 ? "tare_mul_f32" : "tare_mul_f64", {a, c}), {c, a});
}

bool emit_fma(Operation& o) {
  Value* a = o.operand(1);
  Value* c = o.operand(2);
  Value* addend = o.operand(3);
  const auto fused = [&](Value* x, Value* y, Value* z) {
    return o.e.b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  };
  if (o.rounds_to_nearest()) {
    Value* tiny = o.flush ? o.is_tiny(fused(o.widen(a), o.widen(c), o.widen(addend))) : nullptr;
    return o.done(fused(a, c, addend), {c, addend, a}, tiny);
  }
  return o.done(o.directed(o.is_f32 ? "tare_fma_f32" : "tare_fma_f64", {a, c, addend}), {c, addend, a});
}

bool emit_quotient(Operation& o, Value* a, Value* c, llvm::ArrayRef<Value*> inputs) {
  if (o.rounds_to_nearest()) {
    Value* tiny = o.flush ? o.is_tiny(o.e.b.CreateFDiv(o.widen(a), o.widen(c))) : nullptr;
    return o.done(o.e.b.CreateFDiv(a, c), inputs, tiny);
  }
  return o.done(o.directed(o.is_f32 ? "tare_div_f32" : "tare_div_f64", {a, c}), inputs);
}

bool emit_root(Operation& o) {
  Value* a = o.operand(1);
  if (o.rounds_to_nearest()) return o.done(o.e.unary(llvm::Intrinsic::sqrt, a), {a});
  return o.done(o.directed(o.is_f32 ? "tare_sqrt_f32" : "tare_sqrt_f64", {a}), {a});
}

/// The other operand where one is a NaN; -0 is less than +0.
bool emit_extreme(Operation& o) {
  Emitter& e = o.e;
  auto& b = e.b;
  const bool least = o.i.op == Op::min;
  const bool by_magnitude = o.i.has(Modifier::abs);
  Value* x = o.operand(1);
  Value* y = o.operand(2);
  Value* sign = nullptr;
  if (o.i.has(Modifier::xorsign)) {
    sign =
        b.CreateAnd(b.CreateXor(bits_of(e, x), bits_of(e, y)), e.constant_like(bits_of(e, x), 0x80000000u));
  }
  if (by_magnitude) {
    x = e.unary(llvm::Intrinsic::fabs, x);
    y = e.unary(llvm::Intrinsic::fabs, y);
  }
  Value* x_bits = bits_of(e, x);
  Value* y_bits = bits_of(e, y);
  Value* equal =
      b.CreateBitCast(least ? b.CreateOr(x_bits, y_bits) : b.CreateAnd(x_bits, y_bits), x->getType());
  Value* chosen = e.select(least ? b.CreateFCmpOLT(x, y) : b.CreateFCmpOGT(x, y), x, y);
  chosen = e.select(b.CreateFCmpOEQ(x, y), equal, chosen);
  Value* x_nan = b.CreateFCmpUNO(x, x);
  Value* y_nan = b.CreateFCmpUNO(y, y);
  if (o.i.has(Modifier::nan)) {
    chosen = e.select(x_nan, x, chosen);
    chosen = e.select(y_nan, y, chosen);
  } else {
    chosen = e.select(y_nan, x, chosen);
    chosen = e.select(x_nan, y, chosen);
  }
  if (sign != nullptr) {
    Value* signed_bits = b.CreateOr(bits_of(e, chosen), sign);
    chosen = e.select(b.CreateFCmpUNO(chosen, chosen), chosen, b.CreateBitCast(signed_bits, x->getType()));
  }
  return o.done(chosen, {y, x});
}

/// neg and abs leave a NaN its sign, and quiet it.
bool emit_sign(Operation& o, Value* operand, Value* result) {
  return o.done(o.e.select(o.e.b.CreateFCmpUNO(operand, operand), operand, result), {operand});
}

}  // namespace

Value* sum_f64(Emitter& e, Value* a, Value* c) {
  return with_input_nan(e, e.b.CreateFAdd(a, c), {c, a});
}

Value* flush_subnormal(Emitter& e, Value* value, Value* tiny) {
  Value* bits = bits_of(e, value);
  Value* small =
      e.b.CreateICmpEQ(e.b.CreateAnd(bits, e.constant_like(bits, 0x7f800000)), e.constant_like(bits, 0));
  if (tiny != nullptr) small = e.b.CreateOr(small, tiny);
  Value* zero = e.b.CreateBitCast(e.b.CreateAnd(bits, e.constant_like(bits, 0x80000000u)), value->getType());
  return e.select(small, zero, value);
}

Value* canonical_nan(Emitter& e, Value* value) {
  Value* nan = e.adapt(e.i32(kCanonicalNan32), value->getType());
  return e.select(e.b.CreateFCmpUNO(value, value), nan, value);
}

Value* quiet(Emitter& e, Value* value) {
  Value* bits = bits_of(e, value);
  return e.b.CreateBitCast(e.b.CreateOr(bits, e.constant_like(bits, kQuietBit64)), value->getType());
}

Value* saturate(Emitter& e, Value* value) {
  Value* zero = llvm::ConstantFP::get(value->getType(), 0.0);
  Value* one = llvm::ConstantFP::get(value->getType(), 1.0);
  value = e.select(e.b.CreateFCmpOGT(value, zero), value, zero);
  return e.select(e.b.CreateFCmpOLT(value, one), value, one);
}

bool emit_floating(Emitter& e, const Instruction& i) {
  Operation o(e, i);
  auto& b = e.b;
  if (i.has(Modifier::approx) || i.has(Modifier::full)) return emit_approximate(e, i);
  switch (i.op) {
    case Op::add:
      return emit_sum(o, false);
    case Op::sub:
      return emit_sum(o, true);
    case Op::mul:
      return emit_product(o);
    case Op::mad:
    case Op::fma:
      return emit_fma(o);
    case Op::div: {
      Value* a = o.operand(1);
      Value* c = o.operand(2);
      return emit_quotient(o, a, c, {a, c});
    }
    case Op::rcp: {
      Value* a = o.operand(1);
      return emit_quotient(o, llvm::ConstantFP::get(a->getType(), 1.0), a, {a});
    }
    case Op::sqrt:
      return emit_root(o);
    case Op::neg: {
      Value* a = o.operand(1);
      return emit_sign(o, a, b.CreateFNeg(a));
    }
    case Op::abs: {
      Value* a = o.operand(1);
      return emit_sign(o, a, e.unary(llvm::Intrinsic::fabs, a));
    }
    case Op::min:
    case Op::max:
      return emit_extreme(o);
    case Op::copysign:
      // The sign of the first operand, the magnitude of the second.
      e.write(i.operands[0], b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, o.operand(2), o.operand(1)));
      return true;
    default:
      return false;
  }
}

}  // namespace tare::cpu::codegen
