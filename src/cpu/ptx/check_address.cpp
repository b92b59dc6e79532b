// Addresses: what a name is of and how wide a register is, against the state space that is spoken of.
// Messages are ptxas's.
#include <fmt/format.h>

#include <optional>

#include "cpu/ptx/parser_state.hpp"

namespace tare::cpu::ptx::detail {

namespace {

using Kind = Operand::Kind;
using SymbolKind = Operand::SymbolKind;

[[noreturn]] void mismatch(const Instruction& in) {
  fail(in.line, fmt::format("Arguments mismatch for instruction '{}'", message_name(in)));
}

[[noreturn]] void mismatched_space(const Instruction& in) {
  fail(in.line, fmt::format("State space mismatch between instruction and address in instruction '{}'",
                            message_name(in)));
}

// Of a name; nothing of a function, and where there is no name.
std::optional<Space> space_of(const Operand& operand, const Module& module, const Function& function) {
  switch (operand.symbol_kind) {
    case SymbolKind::module_variable:
      return module.variables[operand.symbol].space;
    case SymbolKind::function_variable:
      return function.variables[operand.symbol].space;
    case SymbolKind::parameter:
    case SymbolKind::return_value:
      return Space::param;
    default:
      return std::nullopt;
  }
}

}  // namespace

void check_address_size(const Instruction& in, const Module& module) {
  constexpr int kLarge = 64;
  if (module.address_size != kLarge) return;
  fail(in.line, "Program uses 32-bit address which is conflicting with .address_size 64");
}

void check_symbol(const Instruction& in, const Operand& operand, const Module& module,
                  const Function& function) {
  const std::optional<Space> space = space_of(operand, module, function);
  if (in.op == Op::atom || in.op == Op::red) mismatch(in);
  if (space == Space::global && size_of(in.types[0]) == 4) check_address_size(in, module);
  if (operand.symbol_kind == SymbolKind::function_variable && space == Space::param) {
    fail(in.line,
         fmt::format("Illegal to take address of parameter '{}'", function.variables[operand.symbol].name));
  }
  if (in.op == Op::mov) return;
  if (in.op == Op::cvta && in.has(Modifier::to)) mismatch(in);
  if (in.op == Op::cvta && !space) mismatched_space(in);
  const Space wanted = in.op == Op::cvta ? in.space : Space::shared;
  if (space && *space != wanted) mismatched_space(in);
}

void check_address(const Instruction& in, const Operand& operand, Space wanted, const Module& module,
                   const Function& function) {
  if (operand.kind != Kind::address || operand.symbol_kind == SymbolKind::function) mismatch(in);
  const std::optional<Space> space = space_of(operand, module, function);
  if (space) {
    const bool reaches = wanted == Space::generic ? *space != Space::param : *space == wanted;
    if (!reaches) mismatched_space(in);
    return;
  }
  if (operand.id == kNoId) {
    if (wanted == Space::local) return;
    fail(in.line, "Immediate addresses allowed only for .local state space");
  }
  const bool is_word = size_of(function.registers[operand.id].type) == size_of(Type::u32);
  if (is_word && (wanted == Space::generic || wanted == Space::global)) check_address_size(in, module);
}

}  // namespace tare::cpu::ptx::detail
