// Bit fields, permutations, counts, three-input logic and the integer dot products.
#include <llvm/IR/Intrinsics.h>

#include "cpu/codegen/instructions.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Op;
using ptx::Type;
namespace Modifier = ptx::Modifier;

unsigned bits_of(Type type) {
  return static_cast<unsigned>(ptx::size_of(type)) * 8;
}

bool done(Emitter& e, const Instruction& i, Value* value) {
  e.write(i.operands[0], value);
  return true;
}

Value* word(Emitter& e, const Instruction& i, std::size_t index) {
  return e.read(i.operands[index], Type::b32);
}

Value* unsigned_min(Emitter& e, Value* value, std::uint64_t limit) {
  return e.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, e.constant_like(value, limit));
}

/// A mask of `count` low bits, for any count: all of them from 64 on.
Value* low_mask(Emitter& e, Value* count) {
  auto& b = e.b;
  Value* full = b.CreateICmpUGE(count, e.i64(64));
  Value* mask = b.CreateSub(b.CreateShl(e.i64(1), unsigned_min(e, count, 63)), e.i64(1));
  return e.select(full, e.i64(~std::uint64_t{0}), mask);
}

Value* shift_left_or_zero(Emitter& e, Value* value, Value* count) {
  Value* over = e.b.CreateICmpUGE(count, e.i64(64));
  return e.select(over, e.i64(0), e.b.CreateShl(value, unsigned_min(e, count, 63)));
}

/// Position or length of a field: 8 bits of the operand in the 32-bit forms, all of it in the 64-bit ones.
Value* field_bound(Emitter& e, const Instruction& i, std::size_t index) {
  Value* value = word(e, i, index);
  if (bits_of(i.types[0]) == 32) value = e.b.CreateAnd(value, 0xff);
  return e.b.CreateZExt(value, e.b.getInt64Ty());
}

Value* extract_field(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  const Type type = i.types[0];
  const bool is_signed = Emitter::is_signed(type);
  Value* value = e.adapt(e.read(i.operands[1], type), b.getInt64Ty(), is_signed);
  Value* position = field_bound(e, i, 2);
  Value* length = field_bound(e, i, 3);
  Value* shift = unsigned_min(e, position, 63);
  Value* over = b.CreateICmpUGT(position, e.i64(63));
  if (!is_signed) {
    Value* field = b.CreateAnd(b.CreateLShr(value, shift), low_mask(e, length));
    return e.adapt(e.select(over, e.i64(0), field), e.type(type));
  }
  // The sign is the field's uppermost bit, or the operand's where the field reaches beyond it.
  Value* field = b.CreateAShr(value, shift);
  Value* spare = b.CreateSub(e.i64(64), unsigned_min(e, length, 64));
  Value* safe = unsigned_min(e, spare, 63);
  Value* cut = b.CreateAShr(b.CreateShl(field, safe), safe);
  Value* empty = b.CreateICmpEQ(length, e.i64(0));
  return e.adapt(e.select(empty, e.i64(0), cut), e.type(type));
}

Value* insert_field(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  const Type type = i.types[0];
  Value* field = e.adapt(e.read(i.operands[1], type), b.getInt64Ty());
  Value* into = e.adapt(e.read(i.operands[2], type), b.getInt64Ty());
  Value* position = field_bound(e, i, 3);
  Value* length = field_bound(e, i, 4);
  Value* mask = shift_left_or_zero(e, low_mask(e, length), position);
  Value* placed = shift_left_or_zero(e, field, position);
  Value* merged = b.CreateOr(b.CreateAnd(into, b.CreateNot(mask)), b.CreateAnd(placed, mask));
  return e.adapt(merged, e.type(type));
}

Value* find_leading(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  const Type type = i.types[0];
  Value* value = e.read(i.operands[1], type);
  if (Emitter::is_signed(type)) {
    Value* negative = b.CreateICmpSLT(value, e.constant_like(value, 0));
    value = e.select(negative, b.CreateNot(value), value);
  }
  Value* zeros = b.CreateIntrinsic(llvm::Intrinsic::ctlz, {value->getType()}, {value, b.getFalse()});
  zeros = e.adapt(zeros, b.getInt32Ty());
  Value* none = b.CreateICmpEQ(value, e.constant_like(value, 0));
  Value* position = i.has(Modifier::shiftamt) ? zeros : b.CreateSub(e.i32(bits_of(type) - 1), zeros);
  return e.select(none, e.i32(0xffffffffu), position);
}

Value* logic_3(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  const std::size_t first = i.destination_count;
  const auto table = static_cast<std::uint32_t>(i.operands[first + 3].integer);
  Value* x = word(e, i, first);
  Value* y = word(e, i, first + 1);
  Value* z = word(e, i, first + 2);
  Value* result = e.i32(0);
  for (unsigned row = 0; row < 8; ++row) {
    if ((table >> row & 1) == 0) continue;
    Value* term = (row & 4) != 0 ? x : b.CreateNot(x);
    term = b.CreateAnd(term, (row & 2) != 0 ? y : b.CreateNot(y));
    term = b.CreateAnd(term, (row & 1) != 0 ? z : b.CreateNot(z));
    result = b.CreateOr(result, term);
  }
  if (i.destination_count == 2) {
    Value* some = b.CreateICmpNE(result, e.i32(0));
    Value* other = e.read(i.operands[first + 4], Type::pred);
    Value* p = i.bool_op == ptx::Bool::and_   ? b.CreateAnd(some, other)
               : i.bool_op == ptx::Bool::xor_ ? b.CreateXor(some, other)
                                              : b.CreateOr(some, other);
    e.write(i.operands[1], p);
  }
  return result;
}

Value* funnel_shift(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  Value* low = b.CreateZExt(word(e, i, 1), b.getInt64Ty());
  Value* high = b.CreateZExt(word(e, i, 2), b.getInt64Ty());
  Value* both = b.CreateOr(b.CreateShl(high, 32), low);
  Value* count = word(e, i, 3);
  count = i.has(Modifier::clamp) ? unsigned_min(e, count, 32) : b.CreateAnd(count, 31);
  count = b.CreateZExt(count, b.getInt64Ty());
  Value* shifted =
      i.has(Modifier::left) ? b.CreateLShr(b.CreateShl(both, count), 32) : b.CreateLShr(both, count);
  return b.CreateTrunc(shifted, b.getInt32Ty());
}

/// Which byte of the two operands lands in place `k`, as a function of the selector, in the named modes.
Value* named_permutation(Emitter& e, const Instruction& i, Value* selector, unsigned k) {
  auto& b = e.b;
  Value* place = e.i32(k);
  Value* start = b.CreateAnd(selector, 3);
  if (has_suffix(i, "f4e")) return b.CreateAdd(start, place);
  if (has_suffix(i, "b4e")) return b.CreateAnd(b.CreateSub(start, place), 7);
  if (has_suffix(i, "rc8")) return start;
  if (has_suffix(i, "ecl")) return b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, start, place);
  if (has_suffix(i, "ecr")) return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, start, place);
  return b.CreateOr(b.CreateShl(b.CreateAnd(selector, 1), 1), e.i32(k & 1));  // rc16
}

Value* permute(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  Value* low = b.CreateZExt(word(e, i, 1), b.getInt64Ty());
  Value* high = b.CreateZExt(word(e, i, 2), b.getInt64Ty());
  Value* both = b.CreateOr(b.CreateShl(high, 32), low);
  Value* selector = word(e, i, 3);
  Value* result = e.i32(0);
  for (unsigned k = 0; k < 4; ++k) {
    Value* choice = i.rest.empty() ? b.CreateAnd(b.CreateLShr(selector, 4 * k), 0xf)
                                   : named_permutation(e, i, selector, k);
    Value* shift = b.CreateShl(b.CreateZExt(b.CreateAnd(choice, 7), b.getInt64Ty()), 3);
    Value* byte = b.CreateTrunc(b.CreateLShr(both, shift), b.getInt8Ty());
    if (i.rest.empty()) {
      // The fourth bit of a choice asks for the byte's sign, eight times.
      Value* replicate = b.CreateICmpNE(b.CreateAnd(choice, 8), e.i32(0));
      byte = e.select(replicate, b.CreateAShr(byte, 7), byte);
    }
    result = b.CreateOr(result, b.CreateShl(b.CreateZExt(byte, b.getInt32Ty()), 8 * k));
  }
  return result;
}

/// Part `index` of `bits` bits of a word, extended to 32.
Value* part(Emitter& e, Value* value, unsigned index, unsigned bits, bool is_signed) {
  Value* raised = e.b.CreateShl(value, 32 - bits * (index + 1));
  return is_signed ? e.b.CreateAShr(raised, 32 - bits) : e.b.CreateLShr(raised, 32 - bits);
}

Value* dot_product(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  const bool four = i.op == Op::dp4a;
  const bool a_signed = Emitter::is_signed(i.types[0]);
  const bool b_signed = Emitter::is_signed(i.types[1]);
  Value* x = word(e, i, 1);
  Value* y = word(e, i, 2);
  Value* sum = word(e, i, 3);
  for (unsigned k = 0; k < (four ? 4U : 2U); ++k) {
    Value* left = part(e, x, k, four ? 8 : 16, a_signed);
    Value* right = part(e, y, four || !i.has(Modifier::hi) ? k : k + 2, 8, b_signed);
    sum = b.CreateAdd(sum, b.CreateMul(left, right));
  }
  return sum;
}

Value* bit_mask(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  const bool wrap = i.has(Modifier::wrap);
  const auto amount = [&](std::size_t index) {
    Value* value = word(e, i, index);
    value = wrap ? b.CreateAnd(value, 31) : unsigned_min(e, value, 32);
    return b.CreateZExt(value, b.getInt64Ty());
  };
  Value* mask = b.CreateShl(low_mask(e, amount(2)), amount(1));
  return b.CreateTrunc(mask, b.getInt32Ty());
}

/// Keeps the low bits of a word, zero- or sign-extended.
Value* extend(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  Value* value = word(e, i, 1);
  Value* length = word(e, i, 2);
  length = i.has(Modifier::wrap) ? b.CreateAnd(length, 31) : unsigned_min(e, length, 32);
  Value* spare = b.CreateZExt(b.CreateSub(e.i32(32), length), b.getInt64Ty());
  Value* raised = b.CreateShl(b.CreateShl(b.CreateZExt(value, b.getInt64Ty()), 32), spare);
  Value* kept = b.CreateLShr(raised, b.CreateAdd(spare, e.i64(32)));
  if (Emitter::is_signed(i.types[0])) {
    Value* total = b.CreateAdd(spare, e.i64(32));
    kept = e.select(b.CreateICmpUGE(total, e.i64(64)), e.i64(0),
                    b.CreateAShr(raised, unsigned_min(e, total, 63)));
  } else {
    kept = e.select(b.CreateICmpEQ(length, e.i32(0)), e.i64(0), kept);
  }
  return b.CreateTrunc(kept, b.getInt32Ty());
}

}  // namespace

bool emit_bits(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  const Type type = i.types[0];
  const auto value = [&] { return e.read(i.operands[1], type); };
  switch (i.op) {
    case Op::popc:
      return done(e, i, e.adapt(e.unary(llvm::Intrinsic::ctpop, value()), b.getInt32Ty()));
    case Op::clz: {
      Value* source = value();
      Value* zeros = b.CreateIntrinsic(llvm::Intrinsic::ctlz, {source->getType()}, {source, b.getFalse()});
      return done(e, i, e.adapt(zeros, b.getInt32Ty()));
    }
    case Op::brev:
      return done(e, i, e.unary(llvm::Intrinsic::bitreverse, value()));
    case Op::bfind:
      return done(e, i, find_leading(e, i));
    case Op::bfe:
      return done(e, i, extract_field(e, i));
    case Op::bfi:
      return done(e, i, insert_field(e, i));
    case Op::bmsk:
      return done(e, i, bit_mask(e, i));
    case Op::szext:
      return done(e, i, extend(e, i));
    case Op::lop3:
      return done(e, i, logic_3(e, i));
    case Op::shf:
      return done(e, i, funnel_shift(e, i));
    case Op::prmt:
      return done(e, i, permute(e, i));
    case Op::fns:
      return done(
          e, i,
          e.call_runtime("tare_find_nth", b.getInt32Ty(), {word(e, i, 1), word(e, i, 2), word(e, i, 3)}));
    case Op::dp4a:
    case Op::dp2a:
      return done(e, i, dot_product(e, i));
    default:
      return false;
  }
}

}  // namespace tare::cpu::codegen
