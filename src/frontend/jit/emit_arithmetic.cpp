// Numbers from numbers: operators, conversions, selections, functions and single instructions.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/jit/emitter.hpp"
#include "frontend/jit/math_functions.hpp"
#include "frontend/jit/trace.hpp"
#include "tare/error.hpp"

namespace tare::detail {
namespace {

const char* opcode(Binary operation, Scalar type) {
  const bool real = is_float(type), with_sign = is_signed(type);
  switch (operation) {
    case Binary::add:
      return real ? "fadd" : "add";
    case Binary::subtract:
      return real ? "fsub" : "sub";
    case Binary::multiply:
      return real ? "fmul" : "mul";
    case Binary::divide:
      return real ? "fdiv" : with_sign ? "sdiv" : "udiv";
    case Binary::remainder:
      return with_sign ? "srem" : "urem";
    case Binary::bit_and:
      return "and";
    case Binary::bit_or:
      return "or";
    case Binary::bit_xor:
      return "xor";
    case Binary::shift_left:
      return "shl";
    case Binary::shift_right:
      return with_sign ? "ashr" : "lshr";
    case Binary::equal:
      return real ? "fcmp oeq" : "icmp eq";
    case Binary::not_equal:
      return real ? "fcmp une" : "icmp ne";
    case Binary::less:
      return real ? "fcmp olt" : with_sign ? "icmp slt" : "icmp ult";
    case Binary::less_equal:
      return real ? "fcmp ole" : with_sign ? "icmp sle" : "icmp ule";
    case Binary::greater:
      return real ? "fcmp ogt" : with_sign ? "icmp sgt" : "icmp ugt";
    case Binary::greater_equal:
      return real ? "fcmp oge" : with_sign ? "icmp sge" : "icmp uge";
  }
  return "";
}

}  // namespace

void Emitter::emit_unary(std::uint32_t i, const TracedNode& node) {
  const char* type = ir_type(node.type);
  const std::string a = value(node.operands[0]);
  switch (static_cast<Unary>(node.detail)) {
    case Unary::bit_not:
      line("%v{} = xor {} {}, -1", i, type, a);
      break;
    case Unary::logical_not:
      line("%v{} = xor i1 {}, true", i, a);
      break;
    case Unary::negate:
      if (!is_float(node.type)) line("%v{} = sub {} 0, {}", i, type, a);
      // LLVM 7 has no fneg, and takes this for one.
      else if (dialect_.typed_pointers)
        line("%v{} = fsub {} -0.0, {}", i, type, a);
      else
        line("%v{} = fneg {} {}", i, type, a);
      break;
  }
}

void Emitter::emit_binary(std::uint32_t i, const TracedNode& node) {
  const Scalar scalar = node.operand_type;
  const auto operation = static_cast<Binary>(node.detail);
  if (!is_float(scalar) && (operation == Binary::divide || operation == Binary::remainder)) {
    emit_division(i, node, operation == Binary::remainder);
    return;
  }
  const std::string a = value(node.operands[0]);
  std::string b = value(node.operands[1]);
  if (operation == Binary::shift_left || operation == Binary::shift_right) {
    if (program_.at(node.operands[1]).op == Op::constant) {
      b = constant_text(scalar, program_.at(node.operands[1]).value & (bytes_of(scalar) * 8 - 1));
    } else {
      line("%v{}.count = and {} {}, {}", i, ir_type(scalar), b, bytes_of(scalar) * 8 - 1);
      b = fmt::format("%v{}.count", i);
    }
  }
  line("%v{} = {} {} {}, {}", i, opcode(operation, scalar), ir_type(scalar), a, b);
}

void Emitter::emit_division(std::uint32_t i, const TracedNode& node, bool remainder) {
  const Scalar scalar = node.operand_type;
  const char* type = ir_type(scalar);
  const std::string a = value(node.operands[0]), b = value(node.operands[1]);
  const char* divide = opcode(remainder ? Binary::remainder : Binary::divide, scalar);
  const TracedNode& divisor = program_.at(node.operands[1]);
  const std::uint64_t all_ones = ~0ull >> (64 - bytes_of(scalar) * 8);
  const bool known = divisor.op == Op::constant;
  const std::uint64_t bits = divisor.value & all_ones;
  if (known && bits != 0 && (!is_signed(scalar) || bits != all_ones)) {
    line("%v{} = {} {} {}, {}", i, divide, type, a, b);
    return;
  }
  line("%v{}.zero = icmp eq {} {}, 0", i, type, b);
  std::string special = fmt::format("%v{}.zero", i);
  if (is_signed(scalar)) {
    line("%v{}.minus = icmp eq {} {}, -1", i, type, b);
    line("%v{}.special = or i1 %v{}.zero, %v{}.minus", i, i, i);
    special = fmt::format("%v{}.special", i);
  }
  line("%v{}.divisor = select i1 {}, {} 1, {} {}", i, special, type, type, b);
  line("%v{}.plain = {} {} {}, %v{}.divisor", i, divide, type, a, i);
  if (remainder) {
    line("%v{} = select i1 %v{}.zero, {} {}, {} %v{}.plain", i, i, type, a, type, i);
    return;
  }
  std::string quotient = fmt::format("%v{}.plain", i);
  if (is_signed(scalar)) {
    line("%v{}.negative = sub {} 0, {}", i, type, a);
    line("%v{}.other = select i1 %v{}.minus, {} %v{}.negative, {} %v{}.plain", i, i, type, i, type, i);
    quotient = fmt::format("%v{}.other", i);
  }
  line("%v{} = select i1 %v{}.zero, {} -1, {} {}", i, i, type, type, quotient);
}

void Emitter::emit_convert(std::uint32_t i, const TracedNode& node) {
  const Scalar from = node.operand_type, to = node.type;
  const std::string a = typed(node.operands[0]);
  if (from == Scalar::f16 || to == Scalar::f16) {
    emit_half_conversion(i, from, to, a);
  } else if (to == Scalar::boolean) {
    if (is_float(from))
      line("%v{} = fcmp une {}, 0.0", i, a);
    else
      line("%v{} = icmp ne {}, 0", i, a);
  } else if (is_float(from) && is_float(to)) {
    line("%v{} = {} {} to {}", i, to == Scalar::f64 ? "fpext" : "fptrunc", a, ir_type(to));
  } else if (is_float(to) && is_signed(from) && !dialect_.typed_pointers) {
    emit_signed_to_float(i, from, to, a);
  } else if (is_float(to)) {
    line("%v{} = {} {} to {}", i, is_signed(from) ? "sitofp" : "uitofp", a, ir_type(to));
  } else if (is_float(from)) {
    emit_float_to_integer(i, from, to, a);
  } else if (bytes_of(to) == bytes_of(from) && from != Scalar::boolean) {
    line("%v{} = bitcast {} to {}", i, a, ir_type(to));
  } else {
    const bool wider = bytes_of(to) > bytes_of(from) || from == Scalar::boolean;
    line("%v{} = {} {} to {}", i, !wider ? "trunc" : is_signed(from) ? "sext" : "zext", a, ir_type(to));
  }
}

void Emitter::emit_half_conversion(std::uint32_t i, Scalar from, Scalar to, const std::string& a) {
  if (to == Scalar::f16)
    line("%v{} = call i16 asm \"cvt.rn.f16.f{} $0, $1;\", \"=h,{}\"({})", i, bytes_of(from) * 8, letter(from),
         a);
  else
    line("%v{} = call {} asm \"cvt.f{}.f16 $0, $1;\", \"={},h\"({})", i, ir_type(to), bytes_of(to) * 8,
         letter(to), a);
}

void Emitter::emit_signed_to_float(std::uint32_t i, Scalar from, Scalar to, std::string a) {
  const unsigned bytes = std::max(bytes_of(from), 4u);
  if (bytes_of(from) < bytes) {
    line("%v{}.wide = sext {} to i32", i, a);
    a = fmt::format("i32 %v{}.wide", i);
  }
  line("%v{} = call {} asm \"cvt.rn.f{}.s{} $0, $1;\", \"={},{}\"({})", i, ir_type(to), bytes_of(to) * 8,
       bytes * 8, letter(to), bytes == 8 ? 'l' : 'r', a);
}

void Emitter::emit_float_to_integer(std::uint32_t i, Scalar from, Scalar to, const std::string& a) {
  const unsigned bytes = std::max(bytes_of(to), 4u);
  const char* result = bytes == 8 ? "i64" : "i32";
  const bool narrow = bytes_of(to) < bytes;
  line("%v{}{} = call {} asm \"cvt.rzi.{}{}.f{} $0, $1;\", \"={},{}\"({})", i, narrow ? ".wide" : "", result,
       is_signed(to) || narrow ? 's' : 'u', bytes * 8, bytes_of(from) * 8, bytes == 8 ? 'l' : 'r',
       letter(from), a);
  if (narrow) line("%v{} = trunc {} %v{}.wide to {}", i, result, i, ir_type(to));
}

void Emitter::emit_special(std::uint32_t i, const TracedNode& node) {
  constexpr const char* kRegisters[] = {"tid.x",  "tid.y",  "tid.z",  "ctaid.x",  "ctaid.y",  "ctaid.z",
                                        "ntid.x", "ntid.y", "ntid.z", "nctaid.x", "nctaid.y", "nctaid.z"};
  const std::string name = fmt::format("@llvm.nvvm.read.ptx.sreg.{}()", kRegisters[node.detail]);
  declare("declare i32 " + name);
  line("%v{} = call i32 {}", i, name);
}

void Emitter::emit_math(std::uint32_t i, const TracedNode& node) {
  const auto& [name, where] = program_.math[node.value];
  const MathFunction function = math_function(name, node.type, dialect_.ftz, dialect_.approximate_sqrt);
  if (function.in_libdevice && !dialect_.has_libdevice)
    throw Error(
        ErrorKind::unsupported,
        fmt::format(
            "{}, in the kernel `{}`: tare::{} is in NVIDIA's device library (libdevice), and there is "
            "none here",
            line_of(where), kernel_.name, name),
        "install it (pip install 'nvidia-nvvm==13.0.*'), or set TARE_NVVM to libnvvm.so");
  module_.uses_libdevice |= function.in_libdevice;
  const char* type = ir_type(node.type);
  std::string types, arguments;
  for (std::size_t k = 0; k < node.operand_count; ++k) {
    types += fmt::format("{}{}", k == 0 ? "" : ", ", type);
    arguments += (k == 0 ? "" : ", ") + typed(node.operands[k]);
  }
  declare(fmt::format("declare {} @{}({})", type, function.symbol, types));
  line("%v{} = call {} @{}({})", i, type, function.symbol, arguments);
}

void Emitter::emit_instruction(std::uint32_t i, const TracedNode& node) {
  const Instruction& what = program_.instructions[node.value];
  std::string constraints = what.gives_result ? fmt::format("={}", letter(what.result)) : "";
  std::string operands;
  for (std::size_t k = 0; k < node.operand_count; ++k) {
    constraints +=
        fmt::format("{}{}", constraints.empty() ? "" : ",", letter(program_.at(node.operands[k]).type));
    operands += (k == 0 ? "" : ", ") + typed(node.operands[k]);
  }
  if (what.touches_memory) constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  line("{}call {} asm {}\"{}\", \"{}\"({}){}", what.gives_result ? fmt::format("%v{} = ", i) : "",
       what.gives_result ? ir_type(what.result) : "void", what.effects ? "sideeffect " : "", what.text,
       constraints, operands, what.convergent ? " #1" : "");
}

}  // namespace tare::detail
