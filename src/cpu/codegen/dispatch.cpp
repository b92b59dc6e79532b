// From an opcode to the family that emits it.
#include "cpu/codegen/instructions.hpp"

namespace tare::cpu::codegen {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Type;

bool is_half(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
}

bool emit_arithmetic(Emitter& e, const Instruction& i) {
  if (is_half(i.types[0])) return emit_half(e, i);
  if (i.types[0] == Type::u16x2 || i.types[0] == Type::s16x2) return emit_packed_integer(e, i);
  return Emitter::is_float(i.types[0]) ? emit_floating(e, i) : emit_integer(e, i);
}

bool dispatch(Emitter& e, const Instruction& i) {
  switch (i.op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::mad:
    case Op::div:
    case Op::rem:
    case Op::neg:
    case Op::abs:
    case Op::min:
    case Op::max:
    case Op::fma:
      return emit_arithmetic(e, i);
    case Op::addc:
    case Op::subc:
    case Op::madc:
    case Op::mul24:
    case Op::mad24:
    case Op::sad:
    case Op::and_:
    case Op::or_:
    case Op::xor_:
    case Op::not_:
    case Op::cnot:
    case Op::shl:
    case Op::shr:
      return emit_integer(e, i);
    case Op::popc:
    case Op::clz:
    case Op::brev:
    case Op::bfind:
    case Op::bfe:
    case Op::bfi:
    case Op::bmsk:
    case Op::szext:
    case Op::lop3:
    case Op::shf:
    case Op::prmt:
    case Op::dp4a:
    case Op::dp2a:
    case Op::fns:
      return emit_bits(e, i);
    case Op::vabsdiff:
    case Op::vabsdiff2:
    case Op::vabsdiff4:
    case Op::vadd:
    case Op::vadd2:
    case Op::vadd4:
    case Op::vavrg2:
    case Op::vavrg4:
    case Op::vmad:
    case Op::vmax:
    case Op::vmax2:
    case Op::vmax4:
    case Op::vmin:
    case Op::vmin2:
    case Op::vmin4:
    case Op::vset:
    case Op::vset2:
    case Op::vset4:
    case Op::vshl:
    case Op::vshr:
    case Op::vsub:
    case Op::vsub2:
    case Op::vsub4:
      return emit_video(e, i);
    case Op::sqrt:
    case Op::rcp:
    case Op::copysign:
    case Op::rsqrt:
      return emit_floating(e, i);
    case Op::ex2:
    case Op::tanh:
    case Op::lg2:
    case Op::sin:
    case Op::cos:
      return emit_approximate(e, i);
    case Op::setp:
    case Op::set:
    case Op::selp:
    case Op::slct:
    case Op::testp:
      return emit_compare(e, i);
    case Op::cvt:
      return emit_convert(e, i);
    case Op::mov:
    case Op::ld:
    case Op::ldu:
    case Op::st:
    case Op::cvta:
    case Op::isspacep:
    case Op::cp:
    case Op::membar:
    case Op::fence:
    case Op::prefetch:
    case Op::prefetchu:
      return emit_memory(e, i);
    case Op::atom:
    case Op::red:
      return emit_atomic(e, i);
    case Op::call:
      return emit_device_call(e, i);
    case Op::bar:
    case Op::barrier:
      return emit_arrival(e, i);
    case Op::createpolicy:
      e.write(i.operands[0], e.i64(0));  // a hint to caches that there are not
      return true;
    case Op::mapa:
      e.write(i.operands[0], e.read(i.operands[1], i.types[0]));  // a cluster has one block
      return true;
    case Op::getctarank:
      e.write(i.operands[0], e.i32(0));
      return true;
    case Op::discard:
    case Op::applypriority:
    case Op::griddepcontrol:
    case Op::setmaxnreg:
    case Op::pmevent:
    case Op::nanosleep:
      return true;  // hints, or no effect that a thread can see
    default:
      return false;
  }
}

}  // namespace

bool is_selectable(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::ld:
    case Op::ldu:
    case Op::st:
    case Op::atom:
    case Op::red:
    case Op::call:
    case Op::cp:
    case Op::bar:
    case Op::barrier:
    case Op::membar:
    case Op::fence:
    case Op::div:
    case Op::rem:
    case Op::sin:
    case Op::cos:
    case Op::lg2:
    case Op::ex2:
    case Op::tanh:
      return false;
    default:
      return true;
  }
}

void emit_instruction(Emitter& e, const Instruction& instruction) {
  const bool refused = e.refusal().has_value();
  if (!dispatch(e, instruction)) e.refuse(instruction.line, instruction.spelling);
  if (!refused && e.refusal() && e.refusal()->line == 0) {
    e.complete_refusal(instruction.line, instruction.spelling);
  }
}

}  // namespace tare::cpu::codegen
