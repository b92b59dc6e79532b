// Appends bodies one into another. A callee's registers, variables and labels are added behind the
// caller's; its parameters become the variables that the caller filled.
#include "cpu/analysis/inline.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace tare::cpu::analysis {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;

constexpr std::size_t kLargestBody = 200000;
constexpr std::size_t kDeepestCall = 64;

/// Where the names of one instance of a function lead in the flat one.
struct Instance {
  const Function* function = nullptr;
  std::uint32_t registers = 0, labels = 0;  // added to ids
  std::vector<std::uint32_t> variables;
  std::vector<Operand> parameters, returns;  // what stands for them, already in terms of the flat function
  std::uint32_t end_label = ptx::kNoId;      // where a callee's ret goes
};

class Flattener {
 public:
  Flattener(const ptx::Module& module, const Function& entry) : module_(module), flat_(entry) {
    flat_.registers.clear();
    flat_.variables.clear();
    flat_.body.clear();
    flat_.labels.clear();
  }

  std::variant<Function, CallRefusal> run(const Function& entry) {
    append(entry, {}, {}, false);
    if (refusal_) return *refusal_;
    return std::move(flat_);
  }

 private:
  std::uint32_t next() const { return static_cast<std::uint32_t>(flat_.body.size()); }

  void refuse(const Instruction& call, const std::string& callee) {
    if (!refusal_) refusal_ = CallRefusal{call.line, call.spelling + " of " + callee};
  }

  std::uint32_t add_variable(const Function& function, std::uint32_t index) {
    const ptx::Variable& variable = function.variables[index];
    const auto place = static_cast<std::uint32_t>(flat_.variables.size());
    if (variable.space == ptx::Space::shared) {
      // One for the block, however often the function is called.
      const auto [it, is_new] = shared_.try_emplace({&function, index}, place);
      if (!is_new) return it->second;
    }
    flat_.variables.push_back(variable);
    return place;
  }

  void append(const Function& function, std::vector<Operand> parameters, std::vector<Operand> returns,
              bool is_callee) {
    Instance instance;
    instance.function = &function;
    instance.registers = static_cast<std::uint32_t>(flat_.registers.size());
    instance.labels = static_cast<std::uint32_t>(flat_.labels.size());
    instance.parameters = std::move(parameters);
    instance.returns = std::move(returns);
    flat_.registers.insert(flat_.registers.end(), function.registers.begin(), function.registers.end());
    flat_.labels.insert(flat_.labels.end(), function.labels.begin(), function.labels.end());
    for (std::uint32_t i = 0; i < function.variables.size(); ++i)
      instance.variables.push_back(add_variable(function, i));
    if (is_callee) {
      instance.end_label = add_label();
      copy_register_parameters(instance);
    }
    open_.push_back(&function);
    std::vector<std::uint32_t> moved_to(function.body.size() + 1);
    for (std::size_t i = 0; i < function.body.size() && !refusal_; ++i) {
      moved_to[i] = next();
      append_instruction(instance, function.body[i]);
    }
    open_.pop_back();
    moved_to[function.body.size()] = next();
    for (std::size_t i = 0; i < function.labels.size(); ++i) {
      flat_.labels[instance.labels + i].target = moved_to[function.labels[i].target];
    }
    if (!is_callee) return;
    flat_.labels[instance.end_label].target = next();
    for (std::size_t i = 0; i < function.returns.size(); ++i) {
      if (function.returns[i].reg != ptx::kNoId)
        copy(instance.returns[i], own_register(instance, function.returns[i].reg));
    }
  }

  std::uint32_t add_label() {
    flat_.labels.push_back({"", 0});
    return static_cast<std::uint32_t>(flat_.labels.size() - 1);
  }

  static Operand own_register(const Instance& instance, ptx::RegisterId id) {
    Operand operand;
    operand.kind = Operand::Kind::reg;
    operand.id = id + instance.registers;
    return operand;
  }

  void copy(const Operand& to, const Operand& from) {
    Instruction move;
    move.op = Op::mov;
    move.spelling = "mov";
    move.types[0] = flat_.registers[to.kind == Operand::Kind::reg ? to.id : from.id].type;
    move.type_count = 1;
    move.operands = {to, from};
    move.destination_count = 1;
    flat_.body.push_back(std::move(move));
  }

  void copy_register_parameters(const Instance& instance) {
    for (std::size_t i = 0; i < instance.function->parameters.size(); ++i) {
      const ptx::RegisterId id = instance.function->parameters[i].reg;
      if (id != ptx::kNoId) copy(own_register(instance, id), instance.parameters[i]);
    }
  }

  void rename(const Instance& instance, Operand& operand) const {
    if (operand.kind == Operand::Kind::label) operand.id += instance.labels;
    const bool has_register = operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::address;
    if (has_register && operand.id != ptx::kNoId) operand.id += instance.registers;
    const auto stand_in = [&](const Operand& actual) {
      operand.symbol_kind = actual.symbol_kind;
      operand.symbol = actual.symbol;
      operand.integer += actual.integer;
    };
    switch (operand.symbol_kind) {
      case Operand::SymbolKind::function_variable:
        operand.symbol = instance.variables[operand.symbol];
        break;
      case Operand::SymbolKind::parameter:
        if (instance.end_label != ptx::kNoId) stand_in(instance.parameters[operand.symbol]);
        break;
      case Operand::SymbolKind::return_value:
        stand_in(instance.returns[operand.symbol]);
        break;
      default:
        break;
    }
    for (Operand& element : operand.elements) rename(instance, element);
  }

  void append_instruction(const Instance& instance, Instruction instruction) {
    if (flat_.body.size() > kLargestBody) {
      refuse(instruction, "functions that together are too large");
      return;
    }
    if (instruction.predicate != ptx::kNoId) instruction.predicate += instance.registers;
    for (Operand& operand : instruction.operands) rename(instance, operand);
    if (instruction.op == Op::call) {
      append_call(instruction);
      return;
    }
    if (instruction.op == Op::ret && instance.end_label != ptx::kNoId) {
      branch(instruction, instance.end_label, instruction.predicate_negated);
      return;
    }
    flat_.body.push_back(std::move(instruction));
  }

  void branch(const Instruction& from, std::uint32_t label, bool negated) {
    Instruction jump;
    jump.op = Op::bra;
    jump.spelling = "bra";
    jump.line = from.line;
    jump.predicate = from.predicate;
    jump.predicate_negated = negated;
    Operand target;
    target.kind = Operand::Kind::label;
    target.id = label;
    jump.operands = {target};
    flat_.body.push_back(std::move(jump));
  }

  const Function* callee_of(const Instruction& call) const {
    const Operand& callee = call.operands[1];
    if (callee.symbol_kind != Operand::SymbolKind::function) return nullptr;
    const Function* function = &module_.functions[callee.symbol];
    while (function->alias_of != ptx::kNoId) function = &module_.functions[function->alias_of];
    return function;
  }

  void append_call(const Instruction& call) {
    const Function* callee = callee_of(call);
    if (callee == nullptr) {
      refuse(call, "a function only known at run time");
      return;
    }
    const std::string name = "`" + callee->name + "`";
    const bool is_recursive = std::find(open_.begin(), open_.end(), callee) != open_.end();
    if (is_recursive || open_.size() > kDeepestCall) {
      refuse(call, name + ", which is recursive,");
      return;
    }
    const auto& returns = call.operands[0].elements;
    const auto& arguments = call.operands[2].elements;
    const bool fits =
        returns.size() == callee->returns.size() && arguments.size() == callee->parameters.size();
    if (callee->body.empty() || !fits) {
      refuse(call, name);
      return;
    }
    const bool is_conditional = call.predicate != ptx::kNoId;
    const std::uint32_t after = is_conditional ? add_label() : ptx::kNoId;
    if (is_conditional) branch(call, after, !call.predicate_negated);
    append(*callee, arguments, returns, true);
    if (is_conditional) flat_.labels[after].target = next();
  }

  const ptx::Module& module_;
  Function flat_;
  std::map<std::pair<const Function*, std::uint32_t>, std::uint32_t> shared_;
  std::vector<const Function*> open_;
  std::optional<CallRefusal> refusal_;
};

}  // namespace

bool has_calls(const Function& function) {
  return std::any_of(function.body.begin(), function.body.end(),
                     [](const Instruction& i) { return i.op == Op::call; });
}

std::variant<Function, CallRefusal> flatten(const ptx::Module& module, const Function& entry) {
  return Flattener(module, entry).run(entry);
}

}  // namespace tare::cpu::analysis
