#include "cpu/analysis/call_graph.hpp"

#include <algorithm>

namespace tare::cpu::analysis {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Module;
using ptx::Op;
using ptx::Operand;

void take_addresses(const Module& module, const Operand& operand, FunctionSet& taken) {
  if (operand.symbol_kind == Operand::SymbolKind::function)
    taken[resolve_alias(module, operand.symbol)] = true;
  for (const Operand& element : operand.elements) take_addresses(module, element, taken);
}

/// Functions whose address is a value somewhere in the module.
FunctionSet address_taken(const Module& module) {
  FunctionSet taken(module.functions.size(), false);
  for (const ptx::Variable& variable : module.variables) {
    for (const auto& relocation : variable.relocations) {
      for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
        if (module.functions[f].name == relocation.symbol) taken[resolve_alias(module, f)] = true;
      }
    }
  }
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.body) {
      for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
        const bool is_callee = instruction.op == Op::call && (k == 1 || k == 3);
        if (!is_callee) take_addresses(module, instruction.operands[k], taken);
      }
    }
  }
  return taken;
}

std::vector<std::uint32_t> callees_of(const Module& module, const Function& function) {
  std::vector<std::uint32_t> callees;
  for (const Instruction& instruction : function.body) {
    if (instruction.op != Op::call) continue;
    if (is_indirect(instruction)) {
      for (const std::uint32_t target : targets_of(module, function, instruction)) callees.push_back(target);
    } else {
      callees.push_back(resolve_alias(module, instruction.operands[1].symbol));
    }
  }
  return callees;
}

FunctionSet reachable_from(const Module& module, const Function& function) {
  FunctionSet reached(module.functions.size(), false);
  std::vector<std::uint32_t> open = callees_of(module, function);
  while (!open.empty()) {
    const std::uint32_t index = open.back();
    open.pop_back();
    if (reached[index]) continue;
    reached[index] = true;
    const auto more = callees_of(module, module.functions[index]);
    open.insert(open.end(), more.begin(), more.end());
  }
  return reached;
}

bool allocates(const Function& function) {
  return std::any_of(function.body.begin(), function.body.end(), [](const Instruction& i) {
    return i.op == Op::alloca_ || i.op == Op::stacksave || i.op == Op::stackrestore;
  });
}

}  // namespace

std::uint32_t resolve_alias(const Module& module, std::uint32_t index) {
  while (module.functions[index].alias_of != ptx::kNoId) index = module.functions[index].alias_of;
  return index;
}

bool is_indirect(const Instruction& call) {
  return call.operands[1].symbol_kind != Operand::SymbolKind::function;
}

std::vector<std::uint32_t> targets_of(const Module& module, const Function& caller, const Instruction& call) {
  std::vector<std::uint32_t> targets;
  if (call.operands.size() > 3 && call.operands[3].kind == Operand::Kind::list) {
    for (const Operand& target : call.operands[3].elements)
      targets.push_back(resolve_alias(module, target.symbol));
    return targets;
  }
  std::size_t parameters = call.operands[2].elements.size();
  std::size_t returns = call.operands[0].elements.size();
  if (call.operands.size() > 3 && call.operands[3].symbol_kind == Operand::SymbolKind::prototype) {
    const ptx::Prototype& prototype = caller.prototypes[call.operands[3].symbol];
    parameters = prototype.parameters.size();
    returns = prototype.returns.size();
  }
  const FunctionSet taken = address_taken(module);
  for (std::uint32_t f = 0; f < taken.size(); ++f) {
    const Function& function = module.functions[f];
    if (taken[f] && !function.is_entry && !function.body.empty() &&
        function.parameters.size() == parameters && function.returns.size() == returns) {
      targets.push_back(f);
    }
  }
  return targets;
}

FunctionSet functions_on_stack(const Module& module, const Function& entry) {
  FunctionSet result(module.functions.size(), false);
  const FunctionSet reached = reachable_from(module, entry);
  const auto add_indirect = [&](const Function& function) {
    for (const Instruction& instruction : function.body) {
      if (instruction.op != Op::call || !is_indirect(instruction)) continue;
      for (const std::uint32_t target : targets_of(module, function, instruction)) result[target] = true;
    }
  };
  add_indirect(entry);
  for (std::uint32_t f = 0; f < reached.size(); ++f) {
    if (!reached[f]) continue;
    const Function& function = module.functions[f];
    add_indirect(function);
    if (allocates(function) || reachable_from(module, function)[f]) result[f] = true;
  }
  return result;
}

}  // namespace tare::cpu::analysis
