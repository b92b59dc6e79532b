// Short ways to make instructions that no text has. Private to the analyses.
#pragma once

#include <utility>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::analysis::build {

inline ptx::Operand reg(ptx::RegisterId id) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::reg;
  operand.id = id;
  return operand;
}
inline ptx::Operand integer(std::uint64_t value) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::integer;
  operand.integer = static_cast<std::int64_t>(value);
  return operand;
}
inline ptx::Operand address(ptx::RegisterId base, std::uint64_t offset) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::address;
  operand.id = base;
  operand.integer = static_cast<std::int64_t>(offset);
  return operand;
}
inline ptx::Operand label(std::uint32_t id) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::label;
  operand.id = id;
  return operand;
}

/// `destinations` of the operands are written.
inline ptx::Instruction instruction(ptx::Op op, ptx::Type type, std::vector<ptx::Operand> operands,
                                    std::uint8_t destinations, std::uint32_t line) {
  ptx::Instruction made;
  made.op = op;
  made.spelling = std::string(ptx::name_of(op)) + (type == ptx::Type::none ? "" : ".") +
                  (type == ptx::Type::none ? "" : ptx::name_of(type));
  made.types[0] = type;
  made.type_count = type == ptx::Type::none ? 0 : 1;
  made.operands = std::move(operands);
  made.destination_count = destinations;
  made.line = line;
  return made;
}
inline ptx::Instruction load_local(ptx::Type type, ptx::RegisterId to, ptx::Operand from,
                                   std::uint32_t line) {
  ptx::Instruction made = instruction(ptx::Op::ld, type, {reg(to), std::move(from)}, 1, line);
  made.space = ptx::Space::local;
  return made;
}
inline ptx::Instruction store_local(ptx::Type type, ptx::Operand to, ptx::Operand value, std::uint32_t line) {
  ptx::Instruction made = instruction(ptx::Op::st, type, {std::move(to), std::move(value)}, 0, line);
  made.space = ptx::Space::local;
  return made;
}

/// The type as memory has it: bits of the same size, a byte for a predicate.
inline ptx::Type bits_type(std::size_t bytes) {
  switch (bytes) {
    case 2:
      return ptx::Type::b16;
    case 4:
      return ptx::Type::b32;
    case 8:
      return ptx::Type::b64;
    case 16:
      return ptx::Type::b128;
    default:
      return ptx::Type::b8;
  }
}

}  // namespace tare::cpu::analysis::build
