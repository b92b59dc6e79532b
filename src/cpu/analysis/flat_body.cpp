#include "cpu/analysis/flat_body.hpp"

#include <algorithm>

namespace tare::cpu::analysis {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;

FlatBody::FlatBody(const ptx::Function& entry) : function(entry) {
  function.registers.clear();
  function.variables.clear();
  function.body.clear();
  function.labels.clear();
}

ptx::RegisterId FlatBody::add_register(const char* name, Type type) {
  function.registers.push_back({name, type});
  return static_cast<ptx::RegisterId>(function.registers.size() - 1);
}

std::uint32_t FlatBody::add_label() {
  function.labels.push_back({"", 0});
  return static_cast<std::uint32_t>(function.labels.size() - 1);
}

std::uint32_t FlatBody::add_special(const std::string& name) {
  auto& names = function.other_specials;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::uint32_t>(found - names.begin());
  names.push_back(name);
  return static_cast<std::uint32_t>(names.size() - 1);
}

void FlatBody::branch(const Instruction& from, std::uint32_t label, bool negated) {
  Instruction jump = build::instruction(Op::bra, Type::none, {build::label(label)}, 0, from.line);
  jump.predicate = from.predicate;
  jump.predicate_negated = negated;
  emit(std::move(jump));
}

Operand variable_operand(std::uint32_t index) {
  Operand operand;
  operand.kind = Operand::Kind::address;
  operand.symbol_kind = Operand::SymbolKind::function_variable;
  operand.symbol = index;
  return operand;
}

}  // namespace tare::cpu::analysis
