// Appends bodies one into another. A callee's registers, variables and labels are added behind the
// caller's; its parameters become the variables that the caller filled. What cannot be put in place is
// appended once, and its calls go through call_stack.hpp.
#include "cpu/analysis/inline.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "cpu/analysis/call_graph.hpp"
#include "cpu/analysis/call_stack.hpp"
#include "cpu/analysis/flat_body.hpp"

namespace tare::cpu::analysis {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::RegisterId;
using ptx::Space;
using ptx::Type;

constexpr std::size_t kLargestBody = 200000;
constexpr std::size_t kDeepestCall = 64;

bool allocates(const Instruction& i) {
  return i.op == Op::alloca_ || i.op == Op::stacksave || i.op == Op::stackrestore;
}

/// Where the names of one instance of a function lead in the flat one.
struct Instance {
  const Function* function = nullptr;
  Frame* frame = nullptr;                    // of the function on the stack that it is part of
  std::uint32_t registers = 0, labels = 0;   // added to ids
  std::vector<Operand> variables;            // what stands for them
  std::vector<Operand> parameters, returns;  // the same, already in terms of the flat function
  std::uint32_t end_label = ptx::kNoId;      // where a callee's ret goes
};

class Flattener {
 public:
  Flattener(const ptx::Module& module, const Function& entry)
      : module_(module), flat_(entry), stack_(module, flat_) {
    on_stack_ = functions_on_stack(module, entry);
    if (std::find(on_stack_.begin(), on_stack_.end(), true) != on_stack_.end() ||
        std::any_of(entry.body.begin(), entry.body.end(), allocates)) {
      stack_.begin();
    }
  }

  std::variant<Function, CallRefusal> run(const Function& entry) {
    Instance instance;
    instance.function = &entry;
    append(instance);
    // A thread that falls off the kernel's end must not fall into what follows.
    if (stack_.has_functions()) flat_.emit(build::instruction(Op::exit, Type::none, {}, 0, 0));
    for (auto index = stack_.take_waiting(); index && !refusal_; index = stack_.take_waiting())
      append_on_stack(*index);
    if (refusal_) return *refusal_;
    stack_.finish();
    return std::move(flat_.function);
  }

 private:
  void refuse(const Instruction& call, const std::string& callee) {
    if (!refusal_) refusal_ = CallRefusal{call.line, call.spelling + " of " + callee};
  }

  Operand add_variable(const Instance& instance, std::uint32_t index) {
    const ptx::Variable& variable = instance.function->variables[index];
    const auto place = static_cast<std::uint32_t>(flat_.function.variables.size());
    if (variable.space == Space::shared) {
      // One for the block, however often the function is called.
      const auto [it, is_new] = shared_.try_emplace({instance.function, index}, place);
      if (!is_new) return variable_operand(it->second);
    } else if (instance.frame != nullptr) {
      return stack_.place(instance.frame->place(variable));
    }
    flat_.function.variables.push_back(variable);
    return variable_operand(place);
  }

  static RegisterId own_register(const Instance& instance, RegisterId id) { return id + instance.registers; }

  // ---- one function ----

  void append(Instance& instance) {
    const Function& function = *instance.function;
    instance.registers = static_cast<std::uint32_t>(flat_.function.registers.size());
    instance.labels = static_cast<std::uint32_t>(flat_.function.labels.size());
    flat_.function.registers.insert(flat_.function.registers.end(), function.registers.begin(),
                                    function.registers.end());
    flat_.function.labels.insert(flat_.function.labels.end(), function.labels.begin(), function.labels.end());
    for (std::uint32_t i = 0; i < function.variables.size(); ++i)
      instance.variables.push_back(add_variable(instance, i));
    const bool is_callee = !function.is_entry;
    if (is_callee) {
      instance.end_label = flat_.add_label();
      take_register_parameters(instance);
    }
    open_.push_back(&function);
    std::vector<std::uint32_t> moved_to(function.body.size() + 1);
    for (std::size_t i = 0; i < function.body.size() && !refusal_; ++i) {
      moved_to[i] = flat_.next();
      append_instruction(instance, function.body[i]);
    }
    open_.pop_back();
    moved_to[function.body.size()] = flat_.next();
    for (std::size_t i = 0; i < function.labels.size(); ++i) {
      flat_.function.labels[instance.labels + i].target = moved_to[function.labels[i].target];
    }
    if (!is_callee) return;
    flat_.place_label(instance.end_label);
    for (std::size_t i = 0; i < function.returns.size(); ++i) {
      if (function.returns[i].reg != ptx::kNoId)
        give(instance.returns[i], own_register(instance, function.returns[i].reg));
    }
  }

  /// A value goes to a register, or to a variable or frame.
  void give(const Operand& to, RegisterId from) {
    const Type type = flat_.function.registers[from].type;
    if (to.kind == Operand::Kind::reg) {
      flat_.emit(
          build::instruction(Op::mov, flat_.function.registers[to.id].type, {to, build::reg(from)}, 1, 0));
    } else if (to.kind == Operand::Kind::address) {
      flat_.emit(build::store_local(build::bits_type(ptx::size_of(type)), to, build::reg(from), 0));
    }
  }

  void take_register_parameters(const Instance& instance) {
    const auto& parameters = instance.function->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].reg == ptx::kNoId) continue;
      const RegisterId to = own_register(instance, parameters[i].reg);
      const Type type = flat_.function.registers[to].type;
      const Operand& from = instance.parameters[i];
      if (from.kind == Operand::Kind::address) {
        flat_.emit(build::load_local(build::bits_type(ptx::size_of(type)), to, from, 0));
      } else {
        flat_.emit(build::instruction(Op::mov, type, {build::reg(to), from}, 1, 0));
      }
    }
  }

  // ---- operands ----

  /// What stands for the named variable or parameter, plus what is added to the name.
  static void stand_in(Operand& operand, const Operand& actual) {
    operand.symbol_kind = actual.symbol_kind;
    operand.symbol = actual.symbol;
    operand.id = actual.id;
    operand.integer += actual.integer;
  }

  void rename(const Instance& instance, Operand& operand) {
    if (operand.kind == Operand::Kind::special && operand.special == ptx::Special::other) {
      operand.id = flat_.add_special(instance.function->other_specials[operand.id]);
      return;
    }
    if (operand.kind == Operand::Kind::label) operand.id += instance.labels;
    const bool has_register = operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::address;
    if (has_register && operand.id != ptx::kNoId) operand.id += instance.registers;
    switch (operand.symbol_kind) {
      case Operand::SymbolKind::function_variable:
        stand_in(operand, instance.variables[operand.symbol]);
        break;
      case Operand::SymbolKind::parameter:
        if (instance.end_label != ptx::kNoId) stand_in(operand, instance.parameters[operand.symbol]);
        break;
      case Operand::SymbolKind::return_value:
        stand_in(operand, instance.returns[operand.symbol]);
        break;
      case Operand::SymbolKind::function:
        operand.kind = Operand::Kind::integer;
        operand.integer =
            static_cast<std::int64_t>(address_of_function(resolve_alias(module_, operand.symbol)));
        operand.symbol_kind = Operand::SymbolKind::none;
        break;
      default:
        break;
    }
    for (Operand& element : operand.elements) rename(instance, element);
  }

  /// A function's parameters are in the thread's local memory: so is what a register points to in them.
  static void reach_parameters(Instruction& instruction) {
    if (instruction.space != Space::param) return;
    const auto by_register = [](const Operand& operand) {
      return operand.kind == Operand::Kind::address && operand.symbol_kind == Operand::SymbolKind::none;
    };
    if (std::any_of(instruction.operands.begin(), instruction.operands.end(), by_register))
      instruction.space = Space::local;
  }

  // ---- one instruction ----

  void append_instruction(Instance& instance, Instruction instruction) {
    if (flat_.function.body.size() > kLargestBody) {
      refuse(instruction, "functions that together are too large");
      return;
    }
    if (instruction.predicate != ptx::kNoId) instruction.predicate += instance.registers;
    if (instruction.op == Op::call) {
      append_call(instance, instruction);
      return;
    }
    if (!instance.function->is_entry) reach_parameters(instruction);
    for (Operand& operand : instruction.operands) rename(instance, operand);
    if (instruction.op == Op::ret && instance.end_label != ptx::kNoId) {
      flat_.branch(instruction, instance.end_label, instruction.predicate_negated);
      return;
    }
    stack_.reach_frame(instruction);
    if (allocates(instruction)) {
      flat_.when(instruction, [&] { stack_.append_allocation(instruction); });
      return;
    }
    flat_.emit(std::move(instruction));
  }

  // ---- calls ----

  void append_call(Instance& instance, Instruction call) {
    const bool known = !is_indirect(call);
    const std::uint32_t index = known ? resolve_alias(module_, call.operands[1].symbol) : ptx::kNoId;
    std::vector<std::uint32_t> targets;
    if (known) {
      targets.push_back(index);
    } else {
      targets = targets_of(module_, *instance.function, call);
    }
    call.operands.resize(3);
    rename(instance, call.operands[0]);
    rename(instance, call.operands[2]);
    if (!known) rename(instance, call.operands[1]);
    const Function* callee = known ? &module_.functions[index] : nullptr;
    if (callee != nullptr && callee->body.empty()) {
      append_device_call(call, *callee);
      return;
    }
    if (targets.empty()) {
      // No function of this shape has its address taken: whatever the pointer holds, it is none of them. A
      // null destructor that is tested first is such a pointer.
      flat_.when(call, [&] { flat_.emit(build::instruction(Op::trap, Type::none, {}, 0, call.line)); });
      return;
    }
    for (const std::uint32_t target : targets) {
      const Function& function = module_.functions[target];
      if (call.operands[0].elements.size() != function.returns.size() ||
          call.operands[2].elements.size() != function.parameters.size() || function.body.empty()) {
        refuse(call, "`" + function.name + "`");
        return;
      }
    }
    if (known && !on_stack_[index] && open_.size() <= kDeepestCall) {
      flat_.when(call, [&] {
        Instance inlined;
        inlined.function = callee;
        inlined.frame = instance.frame;
        inlined.parameters = call.operands[2].elements;
        inlined.returns = call.operands[0].elements;
        for (Operand& each : inlined.parameters) as_place(each);
        for (Operand& each : inlined.returns) as_place(each);
        append(inlined);
      });
      return;
    }
    if (!stack_.in_use()) {
      refuse(call, "functions nested too deeply");
      return;
    }
    flat_.when(call, [&] { stack_.append_call(call, targets); });
  }

  /// vprintf, malloc and their like: registers in and out.
  void append_device_call(Instruction call, const Function& callee) {
    if (call.operands[0].elements.size() != callee.returns.size() ||
        call.operands[2].elements.size() != callee.parameters.size()) {
      refuse(call, "`" + callee.name + "`");
      return;
    }
    flat_.when(call, [&] {
      Instruction made = call;
      made.predicate = ptx::kNoId;
      for (std::size_t k = 0; k < callee.parameters.size(); ++k) {
        Operand& argument = made.operands[2].elements[k];
        as_place(argument);
        if (argument.kind != Operand::Kind::address) continue;
        const Type type = callee.parameters[k].type;
        const RegisterId value = flat_.add_register("%argument", build::bits_type(ptx::size_of(type)));
        flat_.emit(stack_.access(Op::ld, argument, value, ptx::size_of(type), call.line));
        argument = build::reg(value);
      }
      std::vector<std::pair<Operand, RegisterId>> results;
      for (std::size_t k = 0; k < callee.returns.size(); ++k) {
        Operand& result = made.operands[0].elements[k];
        as_place(result);
        if (result.kind != Operand::Kind::address) continue;
        const RegisterId value =
            flat_.add_register("%result", build::bits_type(ptx::size_of(callee.returns[k].type)));
        results.emplace_back(result, value);
        result = build::reg(value);
      }
      made.operands[1] = Operand{};
      made.operands[1].kind = Operand::Kind::symbol;
      made.operands[1].symbol_kind = Operand::SymbolKind::function;
      made.operands[1].symbol = static_cast<std::uint32_t>(&callee - module_.functions.data());
      flat_.emit(std::move(made));
      for (const auto& [place, value] : results) {
        flat_.emit(stack_.access(Op::st, place, value, ptx::size_of(flat_.type_of(value)), call.line));
      }
    });
  }

  void append_on_stack(std::uint32_t index) {
    const Function& function = module_.functions[index];
    const FrameParameters layout(function.parameters, function.returns);
    Frame frame = layout.frame;
    const std::uint32_t entered = stack_.enter(index);
    Instance instance;
    instance.function = &function;
    instance.frame = &frame;
    for (const std::uint64_t offset : layout.given) instance.parameters.push_back(stack_.place(offset));
    for (const std::uint64_t offset : layout.returned) instance.returns.push_back(stack_.place(offset));
    append(instance);
    stack_.leave(entered, frame, function.line);
  }

  const ptx::Module& module_;
  FlatBody flat_;
  CallStack stack_;
  FunctionSet on_stack_;
  std::map<std::pair<const Function*, std::uint32_t>, std::uint32_t> shared_;
  std::vector<const Function*> open_;
  std::optional<CallRefusal> refusal_;
};

}  // namespace

bool has_calls(const Function& function) {
  return std::any_of(function.body.begin(), function.body.end(),
                     [](const Instruction& i) { return i.op == Op::call || allocates(i); });
}

std::variant<Function, CallRefusal> flatten(const ptx::Module& module, const Function& entry) {
  return Flattener(module, entry).run(entry);
}

}  // namespace tare::cpu::analysis
