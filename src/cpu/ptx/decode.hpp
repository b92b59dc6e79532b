// An opcode as written ("add.rn.ftz.f32") to an Instruction with all but its operands, checked against
// its row of the opcode table.
#pragma once

#include <string_view>

#include "cpu/ptx/opcode_table.hpp"

namespace tare::cpu::ptx::detail {

struct Decoded {
  const OpcodeRow* row = nullptr;
  std::string_view operands;  // OpcodeRow::operands, or those of its form
  Instruction instruction;    // op, spelling, suffixes; no line, no operands
};

/// Throws Failure, with `line`, on an unknown opcode and on suffixes that the opcode does not take.
Decoded decode(std::string_view spelling, std::uint32_t line);

/// Refuses suffixes that do not go together; part of decode().
void check_suffixes(const Instruction& in, const OpcodeRow& row, std::uint32_t line);

/// Refuses what no form of the opcode has: `suffixes` as written, each after its dot; part of decode(). The
/// operands of the form there is, as OpcodeRow::operands has them.
std::string_view check_form(const Instruction& in, const OpcodeRow& row, std::string_view suffixes,
                            std::uint32_t line);

/// The same for cvt, by a table of the conversions that there are; and what only newer targets convert.
void check_conversion(const Instruction& in, std::uint32_t line);
void check_conversion_target(const Instruction& in, const Module& module);
std::size_t conversion_operands(const Instruction& in);

/// The same for ld, ldu and st, by their state spaces; and what only newer targets access.
void check_access(const Instruction& in, std::uint32_t line);
void check_access_target(const Instruction& in, const Module& module);

/// The type a suffix or a declaration names ("f32"); Type::none where it is none.
Type find_type(std::string_view word);
/// The state space of a declaration or suffix ("global"); Space::generic where it is none.
Space find_space(std::string_view word);

/// The opcode as messages name it: "add", but "mul.wide" and "brx.idx".
std::string message_name(const Instruction& instruction);

}  // namespace tare::cpu::ptx::detail
