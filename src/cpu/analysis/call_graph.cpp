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

/// Every function that a kernel reaches, and those of them that reach themselves: Tarjan's strongly connected
/// components, without recursion of its own. Takes time in proportion to the calls.
class Cycles {
 public:
  Cycles(const Module& module, const Function& entry)
      : reached(module.functions.size(), false),
        recursive(module.functions.size(), false),
        module_(module),
        order_(module.functions.size(), 0),
        low_(module.functions.size(), 0),
        is_open_(module.functions.size(), false) {
    for (const std::uint32_t callee : callees_of(module, entry)) visit(callee);
  }

  FunctionSet reached, recursive;

 private:
  struct Step {
    std::uint32_t function;
    std::vector<std::uint32_t> callees;
    std::size_t next = 0;
  };

  void enter(std::uint32_t function) {
    reached[function] = true;
    order_[function] = low_[function] = ++count_;
    open_.push_back(function);
    is_open_[function] = true;
    steps_.push_back({function, callees_of(module_, module_.functions[function])});
  }

  void visit(std::uint32_t root) {
    if (reached[root]) return;
    enter(root);
    while (!steps_.empty()) {
      Step& step = steps_.back();
      if (step.next == step.callees.size()) {
        leave();
        continue;
      }
      const std::uint32_t callee = step.callees[step.next++];
      if (callee == step.function) recursive[callee] = true;
      if (!reached[callee]) {
        enter(callee);
      } else if (is_open_[callee]) {
        low_[step.function] = std::min(low_[step.function], order_[callee]);
      }
    }
  }

  // All that the last function calls has been seen.
  void leave() {
    const std::uint32_t function = steps_.back().function;
    steps_.pop_back();
    if (!steps_.empty()) {
      const std::uint32_t caller = steps_.back().function;
      low_[caller] = std::min(low_[caller], low_[function]);
    }
    if (low_[function] != order_[function]) return;
    const bool is_alone = open_.back() == function;
    while (is_open_[function]) {
      const std::uint32_t member = open_.back();
      open_.pop_back();
      is_open_[member] = false;
      if (!is_alone) recursive[member] = true;
    }
  }

  const Module& module_;
  std::vector<std::uint32_t> order_, low_;
  FunctionSet is_open_;
  std::vector<std::uint32_t> open_;
  std::vector<Step> steps_;
  std::uint32_t count_ = 0;
};

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
  const Cycles cycles(module, entry);
  const auto add_indirect = [&](const Function& function) {
    for (const Instruction& instruction : function.body) {
      if (instruction.op != Op::call || !is_indirect(instruction)) continue;
      for (const std::uint32_t target : targets_of(module, function, instruction)) result[target] = true;
    }
  };
  add_indirect(entry);
  for (std::uint32_t f = 0; f < cycles.reached.size(); ++f) {
    if (!cycles.reached[f]) continue;
    const Function& function = module.functions[f];
    add_indirect(function);
    if (allocates(function) || cycles.recursive[f]) result[f] = true;
  }
  return result;
}

}  // namespace tare::cpu::analysis
