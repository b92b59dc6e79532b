// Appends bodies one into another. A callee's registers, variables and labels are added behind the
// caller's; its parameters become the variables that the caller filled. A function that may call itself, or
// that is only known at run time, is appended once, and its calls go through a stack in local memory.
#include "cpu/analysis/inline.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "cpu/analysis/build.hpp"
#include "cpu/analysis/call_graph.hpp"
#include "cpu/analysis/stack.hpp"

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

std::uint64_t align_up(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// A frame on the stack: what lies at which offset. Parameters come first, so that a caller knows where
/// they are from their types alone.
struct Frame {
  std::uint64_t bytes = kFrameHeader;

  std::uint64_t place(const ptx::Variable& variable) {
    const std::uint64_t natural = std::max<std::uint64_t>(1, ptx::size_of(variable.type));
    const std::uint64_t offset = align_up(bytes, std::max<std::uint64_t>(variable.alignment, natural));
    bytes = offset + std::max<std::uint64_t>(variable.size, natural);
    return offset;
  }
};

struct Parameters {
  std::vector<std::uint64_t> given, returned;  // offsets in the callee's frame
  Frame frame;

  Parameters(const std::vector<ptx::Variable>& parameters, const std::vector<ptx::Variable>& returns) {
    for (const ptx::Variable& parameter : parameters) given.push_back(frame.place(parameter));
    for (const ptx::Variable& each : returns) returned.push_back(frame.place(each));
  }
};

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
  Flattener(const ptx::Module& module, const Function& entry) : module_(module), flat_(entry) {
    flat_.registers.clear();
    flat_.variables.clear();
    flat_.body.clear();
    flat_.labels.clear();
    on_stack_ = functions_on_stack(module, entry);
    const auto allocates = [](const Instruction& i) {
      return i.op == Op::alloca_ || i.op == Op::stacksave || i.op == Op::stackrestore;
    };
    if (std::find(on_stack_.begin(), on_stack_.end(), true) != on_stack_.end() ||
        std::any_of(entry.body.begin(), entry.body.end(), allocates)) {
      begin_stack();
    }
  }

  std::variant<Function, CallRefusal> run(const Function& entry) {
    Instance instance;
    instance.function = &entry;
    append(instance);
    // A thread that falls off the kernel's end must not fall into what follows.
    if (!entries_.empty() || return_label_ != ptx::kNoId)
      emit(build::instruction(Op::exit, Type::none, {}, 0, 0));
    while (!waiting_.empty() && !refusal_) {
      const std::uint32_t index = waiting_.back();
      waiting_.pop_back();
      append_on_stack(index);
    }
    if (return_label_ != ptx::kNoId) emit_returns();
    if (refusal_) return *refusal_;
    if (has_stack()) save_registers(flat_, stack_, calls_);
    return std::move(flat_);
  }

 private:
  std::uint32_t next() const { return static_cast<std::uint32_t>(flat_.body.size()); }
  void emit(Instruction instruction) { flat_.body.push_back(std::move(instruction)); }

  void refuse(const Instruction& call, const std::string& callee) {
    if (!refusal_) refusal_ = CallRefusal{call.line, call.spelling + " of " + callee};
  }

  // ---- registers, labels, variables ----

  RegisterId add_register(const char* name, Type type) {
    flat_.registers.push_back({name, type});
    return static_cast<RegisterId>(flat_.registers.size() - 1);
  }

  std::uint32_t add_label() {
    flat_.labels.push_back({"", 0});
    return static_cast<std::uint32_t>(flat_.labels.size() - 1);
  }
  void place_label(std::uint32_t label) { flat_.labels[label].target = next(); }

  std::uint32_t add_special(const std::string& name) {
    auto& names = flat_.other_specials;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::uint32_t>(found - names.begin());
    names.push_back(name);
    return static_cast<std::uint32_t>(names.size() - 1);
  }

  static Operand variable_operand(std::uint32_t index) {
    Operand operand;
    operand.kind = Operand::Kind::address;
    operand.symbol_kind = Operand::SymbolKind::function_variable;
    operand.symbol = index;
    return operand;
  }

  Operand add_variable(const Instance& instance, std::uint32_t index) {
    const ptx::Variable& variable = instance.function->variables[index];
    const auto place = static_cast<std::uint32_t>(flat_.variables.size());
    if (variable.space == Space::shared) {
      // One for the block, however often the function is called.
      const auto [it, is_new] = shared_.try_emplace({instance.function, index}, place);
      if (!is_new) return variable_operand(it->second);
    } else if (instance.frame != nullptr) {
      return build::address(stack_.frame, instance.frame->place(variable));
    }
    flat_.variables.push_back(variable);
    return variable_operand(place);
  }

  static RegisterId own_register(const Instance& instance, RegisterId id) { return id + instance.registers; }

  // ---- one function ----

  void append(Instance& instance) {
    const Function& function = *instance.function;
    instance.registers = static_cast<std::uint32_t>(flat_.registers.size());
    instance.labels = static_cast<std::uint32_t>(flat_.labels.size());
    flat_.registers.insert(flat_.registers.end(), function.registers.begin(), function.registers.end());
    flat_.labels.insert(flat_.labels.end(), function.labels.begin(), function.labels.end());
    for (std::uint32_t i = 0; i < function.variables.size(); ++i)
      instance.variables.push_back(add_variable(instance, i));
    const bool is_callee = !function.is_entry;
    if (is_callee) {
      instance.end_label = add_label();
      take_register_parameters(instance);
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
    place_label(instance.end_label);
    for (std::size_t i = 0; i < function.returns.size(); ++i) {
      if (function.returns[i].reg != ptx::kNoId)
        give(instance.returns[i], own_register(instance, function.returns[i].reg));
    }
  }

  /// A value goes to a register, or to a variable or frame.
  void give(const Operand& to, RegisterId from) {
    const Type type = flat_.registers[from].type;
    if (to.kind == Operand::Kind::reg) {
      emit(build::instruction(Op::mov, flat_.registers[to.id].type, {to, build::reg(from)}, 1, 0));
    } else if (to.kind == Operand::Kind::address) {
      emit(build::store_local(build::bits_type(ptx::size_of(type)), to, build::reg(from), 0));
    }
  }

  void take_register_parameters(const Instance& instance) {
    const auto& parameters = instance.function->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].reg == ptx::kNoId) continue;
      const RegisterId to = own_register(instance, parameters[i].reg);
      const Type type = flat_.registers[to].type;
      const Operand& from = instance.parameters[i];
      if (from.kind == Operand::Kind::address) {
        emit(build::load_local(build::bits_type(ptx::size_of(type)), to, from, 0));
      } else {
        emit(build::instruction(Op::mov, type, {build::reg(to), from}, 1, 0));
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
      operand.id = add_special(instance.function->other_specials[operand.id]);
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

  bool in_frame(const Operand& operand) const {
    return has_stack() && operand.id == stack_.frame &&
           (operand.kind == Operand::Kind::address || operand.kind == Operand::Kind::symbol);
  }

  /// Names of what lies in a frame become addresses in local memory.
  void reach_frame(Instruction& instruction) {
    for (Operand& operand : instruction.operands) {
      if (!in_frame(operand)) continue;
      if (operand.kind == Operand::Kind::address) {
        if (instruction.space == Space::param) instruction.space = Space::local;
        continue;
      }
      const RegisterId value = add_register("%address", Type::u64);
      emit(build::instruction(Op::add, Type::u64,
                              {build::reg(value), build::reg(stack_.frame),
                               build::integer(static_cast<std::uint64_t>(operand.integer))},
                              1, instruction.line));
      operand = build::reg(value);
    }
  }

  // ---- one instruction ----

  void append_instruction(Instance& instance, Instruction instruction) {
    if (flat_.body.size() > kLargestBody) {
      refuse(instruction, "functions that together are too large");
      return;
    }
    if (instruction.predicate != ptx::kNoId) instruction.predicate += instance.registers;
    if (instruction.op == Op::call) {
      append_call(instance, instruction);
      return;
    }
    for (Operand& operand : instruction.operands) rename(instance, operand);
    if (instruction.op == Op::ret && instance.end_label != ptx::kNoId) {
      branch(instruction, instance.end_label, instruction.predicate_negated);
      return;
    }
    reach_frame(instruction);
    const bool allocates = instruction.op == Op::alloca_ || instruction.op == Op::stacksave ||
                           instruction.op == Op::stackrestore;
    if (allocates) {
      when(instruction, [&] { append_allocation(instruction); });
      return;
    }
    emit(std::move(instruction));
  }

  void branch(const Instruction& from, std::uint32_t label, bool negated) {
    Instruction jump = build::instruction(Op::bra, Type::none, {build::label(label)}, 0, from.line);
    jump.predicate = from.predicate;
    jump.predicate_negated = negated;
    emit(std::move(jump));
  }

  /// What `body` appends runs under the instruction's predicate.
  template <typename Body>
  void when(const Instruction& instruction, const Body& body) {
    const bool is_conditional = instruction.predicate != ptx::kNoId;
    const std::uint32_t after = is_conditional ? add_label() : ptx::kNoId;
    if (is_conditional) branch(instruction, after, !instruction.predicate_negated);
    body();
    if (is_conditional) place_label(after);
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
      when(call, [&] { emit(build::instruction(Op::trap, Type::none, {}, 0, call.line)); });
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
      when(call, [&] {
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
    if (!has_stack()) {
      refuse(call, "functions nested too deeply");
      return;
    }
    when(call, [&] { append_stack_call(call, targets); });
  }

  /// A variable that a call names is a place in memory.
  static void as_place(Operand& operand) {
    if (operand.kind == Operand::Kind::symbol) operand.kind = Operand::Kind::address;
  }

  /// vprintf, malloc and their like: registers in and out.
  void append_device_call(Instruction call, const Function& callee) {
    if (call.operands[0].elements.size() != callee.returns.size() ||
        call.operands[2].elements.size() != callee.parameters.size()) {
      refuse(call, "`" + callee.name + "`");
      return;
    }
    when(call, [&] {
      Instruction made = call;
      made.predicate = ptx::kNoId;
      for (std::size_t k = 0; k < callee.parameters.size(); ++k) {
        Operand& argument = made.operands[2].elements[k];
        as_place(argument);
        if (argument.kind != Operand::Kind::address) continue;
        const Type type = callee.parameters[k].type;
        const RegisterId value = add_register("%argument", build::bits_type(ptx::size_of(type)));
        copy_in(argument, value, ptx::size_of(type), call.line);
        argument = build::reg(value);
      }
      std::vector<std::pair<Operand, RegisterId>> results;
      for (std::size_t k = 0; k < callee.returns.size(); ++k) {
        Operand& result = made.operands[0].elements[k];
        as_place(result);
        if (result.kind != Operand::Kind::address) continue;
        const RegisterId value =
            add_register("%result", build::bits_type(ptx::size_of(callee.returns[k].type)));
        results.emplace_back(result, value);
        result = build::reg(value);
      }
      made.operands[1] = Operand{};
      made.operands[1].kind = Operand::Kind::symbol;
      made.operands[1].symbol_kind = Operand::SymbolKind::function;
      made.operands[1].symbol = static_cast<std::uint32_t>(&callee - module_.functions.data());
      emit(std::move(made));
      for (const auto& [place, value] : results) copy_out(place, value, call.line);
    });
  }

  Instruction reach(Op op, const Operand& place, RegisterId value, std::size_t bytes,
                    std::uint32_t line) const {
    const Type type = build::bits_type(bytes);
    Instruction made = op == Op::ld ? build::load_local(type, value, place, line)
                                    : build::store_local(type, place, build::reg(value), line);
    if (!in_frame(place)) made.space = Space::param;
    return made;
  }
  void copy_in(const Operand& from, RegisterId to, std::size_t bytes, std::uint32_t line) {
    emit(reach(Op::ld, from, to, bytes, line));
  }
  void copy_out(const Operand& to, RegisterId from, std::uint32_t line) {
    emit(reach(Op::st, to, from, ptx::size_of(flat_.registers[from].type), line));
  }

  // ---- the stack ----

  bool has_stack() const { return stack_.frame != ptx::kNoId; }

  void begin_stack() {
    stack_.frame = add_register("%frame", Type::u64);
    stack_.top = add_register("%top", Type::u64);
    stack_.next = add_register("%next", Type::u64);
    ptx::Variable memory;
    memory.name = "stack";
    memory.space = Space::local;
    memory.type = Type::b8;
    memory.alignment = 16;
    memory.is_array = true;
    memory.size = kStackBytes;
    flat_.variables.push_back(memory);
    emit(build::instruction(Op::mov, Type::u64, {build::reg(stack_.frame), stack_symbol(0)}, 1, 0));
    emit(build::instruction(Op::mov, Type::u64, {build::reg(stack_.top), build::reg(stack_.frame)}, 1, 0));
  }

  static Operand stack_symbol(std::uint64_t offset) {
    Operand operand = variable_operand(0);
    operand.kind = Operand::Kind::symbol;
    operand.integer = static_cast<std::int64_t>(offset);
    return operand;
  }

  /// Ends the thread if the next frame might not fit.
  void check_stack(std::uint32_t line) {
    const RegisterId end = add_register("%end", Type::u64);
    const RegisterId over = add_register("%over", Type::pred);
    emit(build::instruction(Op::mov, Type::u64, {build::reg(end), stack_symbol(kStackBytes - kStackReserve)},
                            1, line));
    Instruction test = build::instruction(
        Op::setp, Type::u64, {build::reg(over), build::reg(stack_.top), build::reg(end)}, 1, line);
    test.compare = ptx::Compare::gt;
    emit(std::move(test));
    Instruction stop = build::instruction(Op::trap, Type::none, {}, 0, line);
    stop.spelling = kStackOverflow;
    stop.predicate = over;
    emit(std::move(stop));
  }

  void append_on_stack(std::uint32_t index) {
    const Function& function = module_.functions[index];
    const Parameters layout(function.parameters, function.returns);
    Frame frame = layout.frame;
    place_label(entries_.at(index));
    const std::uint32_t sizing = next();
    emit(build::instruction(Op::add, Type::u64,
                            {build::reg(stack_.top), build::reg(stack_.frame), build::integer(0)}, 1,
                            function.line));
    check_stack(function.line);
    Instance instance;
    instance.function = &function;
    instance.frame = &frame;
    for (const std::uint64_t offset : layout.given)
      instance.parameters.push_back(build::address(stack_.frame, offset));
    for (const std::uint64_t offset : layout.returned)
      instance.returns.push_back(build::address(stack_.frame, offset));
    append(instance);
    flat_.body[sizing].operands[2] = build::integer(align_up(frame.bytes, kFrameHeader));
    Instruction leave =
        build::instruction(Op::bra, Type::none, {build::label(return_label())}, 0, function.line);
    emit(std::move(leave));
  }

  std::uint32_t return_label() {
    if (return_label_ == ptx::kNoId) return_label_ = add_label();
    return return_label_;
  }

  std::uint32_t entry_label(std::uint32_t index) {
    const auto [it, is_new] = entries_.try_emplace(index, 0);
    if (is_new) {
      it->second = add_label();
      waiting_.push_back(index);
    }
    return it->second;
  }

  void append_stack_call(const Instruction& call, const std::vector<std::uint32_t>& targets) {
    const std::uint32_t line = call.line;
    const Function& like = module_.functions[targets.front()];
    const Parameters layout(like.parameters, like.returns);
    StackCall mark;
    mark.begin = next();
    emit(build::instruction(Op::add, Type::u64,
                            {build::reg(stack_.next), build::reg(stack_.top), build::integer(0)}, 1, line));
    for (std::size_t k = 0; k < like.parameters.size(); ++k) {
      Operand argument = call.operands[2].elements[k];
      as_place(argument);
      pass(argument, build::address(stack_.next, layout.given[k]), like.parameters[k], line);
    }
    const std::uint32_t after = add_label();
    emit(
        build::store_local(Type::u32, build::address(stack_.next, 0), build::integer(resumes_.size()), line));
    resumes_.push_back(after);
    mark.leave = next();
    emit(
        build::instruction(Op::mov, Type::u64, {build::reg(stack_.frame), build::reg(stack_.next)}, 1, line));
    if (is_indirect(call)) {
      choose(call, targets);
    } else {
      emit(build::instruction(Op::bra, Type::none, {build::label(entry_label(targets.front()))}, 0, line));
    }
    mark.resume = next();
    place_label(after);
    // At least one instruction stands here, whatever follows.
    emit(build::instruction(Op::mov, Type::u64, {build::reg(stack_.next), build::reg(stack_.next)}, 1, line));
    for (std::size_t k = 0; k < like.returns.size(); ++k) {
      Operand result = call.operands[0].elements[k];
      as_place(result);
      return_value(build::address(stack_.next, layout.returned[k]), result, like.returns[k], line);
    }
    calls_.push_back(mark);
  }

  /// Goes to the target whose number the register holds.
  void choose(const Instruction& call, const std::vector<std::uint32_t>& targets) {
    for (const std::uint32_t target : targets) {
      const RegisterId is_it = add_register("%is_it", Type::pred);
      Instruction test = build::instruction(
          Op::setp, Type::u64,
          {build::reg(is_it), call.operands[1], build::integer(address_of_function(target))}, 1, call.line);
      test.compare = ptx::Compare::eq;
      emit(std::move(test));
      Instruction jump =
          build::instruction(Op::bra, Type::none, {build::label(entry_label(target))}, 0, call.line);
      jump.predicate = is_it;
      emit(std::move(jump));
    }
    emit(build::instruction(Op::trap, Type::none, {}, 0, call.line));
  }

  /// Pieces of a variable, the largest first.
  template <typename Piece>
  static void for_each_piece(std::uint64_t bytes, std::uint64_t alignment, const Piece& piece) {
    for (std::uint64_t done = 0; done < bytes;) {
      std::uint64_t size = 8;
      while (size > 1 && (size > alignment || done + size > bytes)) size /= 2;
      piece(done, size);
      done += size;
    }
  }
  static std::uint64_t size_in_memory(const ptx::Variable& variable) {
    return std::max<std::uint64_t>(variable.size, std::max<std::uint64_t>(1, ptx::size_of(variable.type)));
  }
  static std::uint64_t alignment_of(const ptx::Variable& variable) {
    return std::max<std::uint64_t>({variable.alignment, ptx::size_of(variable.type), 1});
  }

  void pass(const Operand& from, const Operand& to, const ptx::Variable& parameter, std::uint32_t line) {
    if (from.kind != Operand::Kind::address) {
      emit(build::store_local(build::bits_type(ptx::size_of(parameter.type)), to, from, line));
      return;
    }
    move(from, to, parameter, line);
  }
  void return_value(const Operand& from, const Operand& to, const ptx::Variable& returned,
                    std::uint32_t line) {
    if (to.kind == Operand::Kind::reg) {
      emit(build::load_local(build::bits_type(ptx::size_of(returned.type)), to.id, from, line));
    } else if (to.kind == Operand::Kind::address) {
      move(from, to, returned, line);
    }
  }
  void move(const Operand& from, const Operand& to, const ptx::Variable& variable, std::uint32_t line) {
    for_each_piece(size_in_memory(variable), alignment_of(variable),
                   [&](std::uint64_t offset, std::uint64_t size) {
                     const RegisterId piece = add_register("%piece", build::bits_type(size));
                     Operand source = from;
                     Operand target = to;
                     source.integer += static_cast<std::int64_t>(offset);
                     target.integer += static_cast<std::int64_t>(offset);
                     emit(local_or_param(Op::ld, source, piece, size, line));
                     emit(local_or_param(Op::st, target, piece, size, line));
                   });
  }
  Instruction local_or_param(Op op, const Operand& place, RegisterId value, std::size_t bytes,
                             std::uint32_t line) const {
    Instruction made = reach(op, place, value, bytes, line);
    if (place.id == stack_.next) made.space = Space::local;
    return made;
  }

  /// Where every function on the stack ends: back to the caller that its frame names.
  void emit_returns() {
    place_label(return_label_);
    const RegisterId where = add_register("%where", Type::u32);
    emit(build::load_local(Type::u32, where, build::address(stack_.frame, 0), 0));
    Operand targets;
    targets.kind = Operand::Kind::list;
    for (const std::uint32_t label : resumes_) targets.elements.push_back(build::label(label));
    emit(build::instruction(Op::brx, Type::none, {build::reg(where), targets}, 0, 0));
  }

  void append_allocation(const Instruction& i) {
    if (i.op == Op::stacksave) {
      emit(build::instruction(Op::mov, Type::u64, {i.operands[0], build::reg(stack_.top)}, 1, i.line));
      return;
    }
    if (i.op == Op::stackrestore) {
      emit(build::instruction(Op::mov, Type::u64, {build::reg(stack_.top), i.operands[0]}, 1, i.line));
      return;
    }
    const std::uint64_t alignment = std::max<std::uint64_t>(
        16, i.operands.size() > 2 ? static_cast<std::uint64_t>(i.operands[2].integer) : 8);
    const RegisterId aligned = add_register("%aligned", Type::u64);
    emit(build::instruction(Op::add, Type::u64,
                            {build::reg(aligned), build::reg(stack_.top), build::integer(alignment - 1)}, 1,
                            i.line));
    emit(build::instruction(Op::and_, Type::b64,
                            {build::reg(aligned), build::reg(aligned), build::integer(~(alignment - 1))}, 1,
                            i.line));
    const RegisterId size = add_register("%size", Type::u64);
    emit(build::instruction(Op::mov, Type::u64, {build::reg(size), i.operands[1]}, 1, i.line));
    // A size that would wrap is more than there is.
    emit(build::instruction(Op::min, Type::u64,
                            {build::reg(size), build::reg(size), build::integer(kStackBytes)}, 1, i.line));
    emit(build::instruction(Op::add, Type::u64,
                            {build::reg(stack_.top), build::reg(aligned), build::reg(size)}, 1, i.line));
    check_stack(i.line);
    emit(build::instruction(Op::mov, Type::u64, {i.operands[0], build::reg(aligned)}, 1, i.line));
  }

  const ptx::Module& module_;
  Function flat_;
  FunctionSet on_stack_;
  std::map<std::pair<const Function*, std::uint32_t>, std::uint32_t> shared_;
  std::vector<const Function*> open_;
  std::optional<CallRefusal> refusal_;
  StackRegisters stack_;
  std::vector<StackCall> calls_;
  std::map<std::uint32_t, std::uint32_t> entries_;  // labels of functions on the stack
  std::vector<std::uint32_t> waiting_;              // of them, those still to be appended
  std::vector<std::uint32_t> resumes_;              // labels after calls, by what frames hold
  std::uint32_t return_label_ = ptx::kNoId;
};

}  // namespace

bool has_calls(const Function& function) {
  return std::any_of(function.body.begin(), function.body.end(), [](const Instruction& i) {
    return i.op == Op::call || i.op == Op::alloca_ || i.op == Op::stacksave || i.op == Op::stackrestore;
  });
}

std::variant<Function, CallRefusal> flatten(const ptx::Module& module, const Function& entry) {
  return Flattener(module, entry).run(entry);
}

}  // namespace tare::cpu::analysis
