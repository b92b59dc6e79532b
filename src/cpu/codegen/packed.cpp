// Integers of 16 bits, two to a register, and the video instructions.
#include <llvm/IR/Intrinsics.h>

#include "cpu/codegen/instructions.hpp"
#include "cpu/codegen/video.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Op;
using ptx::Type;
namespace Modifier = ptx::Modifier;

/// The operation and the number of lanes.
bool describe(Op op, std::uint32_t& control) {
  switch (op) {
    case Op::vadd:
      control = video::add;
      return true;
    case Op::vadd2:
      control = video::add | video::two_lanes;
      return true;
    case Op::vadd4:
      control = video::add | video::four_lanes;
      return true;
    case Op::vsub:
      control = video::subtract;
      return true;
    case Op::vsub2:
      control = video::subtract | video::two_lanes;
      return true;
    case Op::vsub4:
      control = video::subtract | video::four_lanes;
      return true;
    case Op::vabsdiff:
      control = video::distance;
      return true;
    case Op::vabsdiff2:
      control = video::distance | video::two_lanes;
      return true;
    case Op::vabsdiff4:
      control = video::distance | video::four_lanes;
      return true;
    case Op::vmin:
      control = video::least;
      return true;
    case Op::vmin2:
      control = video::least | video::two_lanes;
      return true;
    case Op::vmin4:
      control = video::least | video::four_lanes;
      return true;
    case Op::vmax:
      control = video::most;
      return true;
    case Op::vmax2:
      control = video::most | video::two_lanes;
      return true;
    case Op::vmax4:
      control = video::most | video::four_lanes;
      return true;
    case Op::vavrg2:
      control = video::average | video::two_lanes;
      return true;
    case Op::vavrg4:
      control = video::average | video::four_lanes;
      return true;
    case Op::vset:
      control = video::set;
      return true;
    case Op::vset2:
      control = video::set | video::two_lanes;
      return true;
    case Op::vset4:
      control = video::set | video::four_lanes;
      return true;
    case Op::vshl:
      control = video::shift_left;
      return true;
    case Op::vshr:
      control = video::shift_right;
      return true;
    case Op::vmad:
      control = video::multiply_add;
      return true;
    default:
      return false;
  }
}

bool comparison_of(ptx::Compare compare, std::uint32_t& code) {
  constexpr ptx::Compare kOrder[] = {ptx::Compare::eq, ptx::Compare::ne, ptx::Compare::lt,
                                     ptx::Compare::le, ptx::Compare::gt, ptx::Compare::ge};
  for (code = 0; code < 6; ++code) {
    if (kOrder[code] == compare) return true;
  }
  return false;
}

}  // namespace

bool emit_video(Emitter& e, const Instruction& i) {
  std::uint32_t control = 0;
  if (!describe(i.op, control)) return false;
  const bool is_set = (control & video::operation_mask) == video::set;
  const std::size_t first = is_set ? 0 : 1;  // a set has no type of its own
  if (!is_set && Emitter::is_signed(i.types[0])) control |= video::result_signed;
  if (Emitter::is_signed(i.types[first])) control |= video::first_signed;
  if (Emitter::is_signed(i.types[first + 1])) control |= video::second_signed;
  if (is_set) {
    std::uint32_t code = 0;
    if (!comparison_of(i.compare, code)) return false;
    control |= code << video::compare_shift;
  }
  if (i.has(Modifier::sat)) control |= video::saturate;
  if (i.has(Modifier::wrap)) control |= video::wrap;
  if (has_suffix(i, "add")) control |= video::then_add;
  if (has_suffix(i, "min")) control |= video::then_least;
  if (has_suffix(i, "max")) control |= video::then_most;
  if (has_suffix(i, "po")) control |= video::plus_one;
  if (has_suffix(i, "shr7")) control |= 7u << video::scale_shift;
  if (has_suffix(i, "shr15")) control |= 15u << video::scale_shift;
  const bool is_product = (control & video::operation_mask) == video::multiply_add;
  if (is_product && i.operands[1].negated != i.operands[2].negated) control |= video::negate_product;
  if (is_product && i.operands[3].negated) control |= video::negate_addend;
  const auto word = [&](std::size_t k) -> Value* {
    if (k >= i.operands.size()) return e.i32(0);
    ptx::Operand plain = i.operands[k];
    plain.negated = false;
    return e.read(plain, Type::b32);
  };
  const std::uint64_t selectors = std::uint64_t{i.operands[0].selector} |
                                  std::uint64_t{i.operands[1].selector} << 16 |
                                  std::uint64_t{i.operands[2].selector} << 32;
  e.write(i.operands[0], e.call_runtime("tare_video", e.b.getInt32Ty(),
                                        {word(1), word(2), word(3), e.i32(control), e.i64(selectors)}));
  return true;
}

bool emit_packed_integer(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  auto* pair = llvm::FixedVectorType::get(b.getInt16Ty(), 2);
  const auto operand = [&](std::size_t k) { return b.CreateBitCast(e.read(i.operands[k], Type::b32), pair); };
  const bool is_signed = i.types[0] == Type::s16x2;
  Value* result = nullptr;
  switch (i.op) {
    case Op::add:
      result = b.CreateAdd(operand(1), operand(2));
      break;
    case Op::min:
      result = b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, operand(1),
                                       operand(2));
      break;
    case Op::max:
      result = b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, operand(1),
                                       operand(2));
      break;
    default:
      return false;
  }
  if (i.has(Modifier::relu))
    result = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, result, llvm::Constant::getNullValue(pair));
  e.write(i.operands[0], b.CreateBitCast(result, b.getInt32Ty()));
  return true;
}

}  // namespace tare::cpu::codegen
