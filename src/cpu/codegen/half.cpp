// f16 and bf16 arithmetic, one or two to a register, by the exact routine. A subnormal, a NaN or a
// saturation is treated as a GPU treats it there.
#include "cpu/codegen/instructions.hpp"
#include "cpu/codegen/runtime.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Op;
using ptx::Type;
namespace Modifier = ptx::Modifier;

bool operation_of(Op op, std::uint32_t& operation) {
  switch (op) {
    case Op::add:
      operation = half::add;
      return true;
    case Op::sub:
      operation = half::sub;
      return true;
    case Op::mul:
      operation = half::mul;
      return true;
    case Op::fma:
      operation = half::fma;
      return true;
    case Op::min:
      operation = half::min;
      return true;
    case Op::max:
      operation = half::max;
      return true;
    case Op::neg:
      operation = half::neg;
      return true;
    case Op::abs:
      operation = half::abs;
      return true;
    default:
      return false;
  }
}

/// Whether a factor of fma.oob is the NaN that copies of tensors put outside of a tensor. Of its bits the
/// manual does not tell; an H200 takes these, of either sign, for f16 and for bf16.
Value* out_of_bounds(Emitter& e, Value* bits) {
  return e.b.CreateICmpEQ(e.b.CreateAnd(bits, 0x7fff), e.i32(0x7ff7));
}

}  // namespace

bool emit_half(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  const Type type = i.types[0];
  std::uint32_t control = 0;
  if (!operation_of(i.op, control)) return false;
  const bool stands_for_zero = has_suffix(i, "oob");
  const bool packed = type == Type::f16x2 || type == Type::bf16x2;
  if (type == Type::bf16 || type == Type::bf16x2) control |= half::is_bfloat;
  if (i.has(Modifier::ftz)) control |= half::flush;
  if (i.has(Modifier::sat)) control |= half::saturate;
  if (i.has(Modifier::relu)) control |= half::relu;
  if (i.has(Modifier::nan)) control |= half::propagate_nan;
  if (i.has(Modifier::xorsign)) control |= half::xorsign_abs;
  const auto compute = [&](unsigned shift) {
    std::vector<Value*> arguments;
    for (std::size_t k = 1; k <= 3; ++k) {
      Value* value =
          k < i.operands.size() ? b.CreateZExt(e.read(i.operands[k], type), b.getInt32Ty()) : e.i32(0);
      arguments.push_back(b.CreateAnd(b.CreateLShr(value, shift), 0xffff));
    }
    Value* is_outside = b.CreateOr(out_of_bounds(e, arguments[0]), out_of_bounds(e, arguments[1]));
    arguments.push_back(e.i32(control));
    Value* result = e.call_runtime("tare_half", b.getInt32Ty(), arguments);
    return stands_for_zero ? e.select(is_outside, e.i32(0), result) : result;
  };
  Value* result = compute(0);
  if (packed) result = b.CreateOr(result, b.CreateShl(compute(16), 16));
  e.write(i.operands[0], b.CreateTrunc(result, e.type(type)));
  return true;
}

}  // namespace tare::cpu::codegen
