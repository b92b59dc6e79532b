#include "cpu/analysis/call_stack.hpp"

#include <algorithm>

#include "cpu/analysis/call_graph.hpp"

namespace tare::cpu::analysis {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::RegisterId;
using ptx::Space;
using ptx::Type;

constexpr std::uint64_t kAllocationAlignment = 16;

/// Pieces of a variable, the largest first.
template <typename Piece>
void for_each_piece(std::uint64_t bytes, std::uint64_t alignment, const Piece& piece) {
  for (std::uint64_t done = 0; done < bytes;) {
    std::uint64_t size = 8;
    while (size > 1 && (size > alignment || done + size > bytes)) size /= 2;
    piece(done, size);
    done += size;
  }
}

Operand stack_bytes() {
  Operand operand;
  operand.kind = Operand::Kind::special;
  operand.special = ptx::Special::stack_bytes;
  return operand;
}

}  // namespace

void CallStack::begin() {
  registers_.frame = flat_.add_register("%frame", Type::u64);
  registers_.top = flat_.add_register("%top", Type::u64);
  registers_.next = flat_.add_register("%next", Type::u64);
  ptx::Variable memory;
  memory.name = "stack";
  memory.space = Space::local;
  memory.type = Type::b8;
  memory.alignment = 16;
  memory.is_array = true;
  flat_.function.stack = static_cast<std::uint32_t>(flat_.function.variables.size());
  flat_.function.variables.push_back(memory);
  flat_.emit(build::instruction(Op::mov, Type::u64, {build::reg(registers_.frame), base()}, 1, 0));
  flat_.emit(build::instruction(Op::mov, Type::u64,
                                {build::reg(registers_.top), build::reg(registers_.frame)}, 1, 0));
}

Operand CallStack::base() const {
  Operand operand = variable_operand(flat_.function.stack);
  operand.kind = Operand::Kind::symbol;
  return operand;
}

/// Ends the thread if its stack's top is beyond the stack's end.
void CallStack::check_room(std::uint32_t line) {
  const RegisterId end = flat_.add_register("%end", Type::u64);
  const RegisterId bytes = flat_.add_register("%bytes", Type::u64);
  const RegisterId over = flat_.add_register("%over", Type::pred);
  flat_.emit(build::instruction(Op::mov, Type::u64, {build::reg(end), base()}, 1, line));
  flat_.emit(build::instruction(Op::mov, Type::u64, {build::reg(bytes), stack_bytes()}, 1, line));
  flat_.emit(
      build::instruction(Op::add, Type::u64, {build::reg(end), build::reg(end), build::reg(bytes)}, 1, line));
  Instruction test = build::instruction(
      Op::setp, Type::u64, {build::reg(over), build::reg(registers_.top), build::reg(end)}, 1, line);
  test.compare = ptx::Compare::gt;
  flat_.emit(std::move(test));
  Instruction stop = build::instruction(Op::trap, Type::none, {}, 0, line);
  stop.spelling = kStackOverflow;
  stop.predicate = over;
  flat_.emit(std::move(stop));
}

// ---- frames ----

bool CallStack::in_frame(const Operand& operand) const {
  return in_use() && operand.id == registers_.frame &&
         (operand.kind == Operand::Kind::address || operand.kind == Operand::Kind::symbol);
}

void CallStack::reach_frame(Instruction& instruction) {
  for (Operand& operand : instruction.operands) {
    if (!in_frame(operand)) continue;
    if (operand.kind == Operand::Kind::address) {
      if (instruction.space == Space::param) instruction.space = Space::local;
      continue;
    }
    const RegisterId value = flat_.add_register("%address", Type::u64);
    flat_.emit(build::instruction(Op::add, Type::u64,
                                  {build::reg(value), build::reg(registers_.frame),
                                   build::integer(static_cast<std::uint64_t>(operand.integer))},
                                  1, instruction.line));
    operand = build::reg(value);
  }
}

Instruction CallStack::access(Op op, const Operand& place, RegisterId value, std::size_t bytes,
                              std::uint32_t line) const {
  const Type type = build::bits_type(bytes);
  Instruction made = op == Op::ld ? build::load_local(type, value, place, line)
                                  : build::store_local(type, place, build::reg(value), line);
  const bool in_next_frame = in_use() && place.id == registers_.next;
  if (!in_frame(place) && !in_next_frame) made.space = Space::param;
  return made;
}

// ---- functions ----

std::optional<std::uint32_t> CallStack::take_waiting() {
  if (waiting_.empty()) return std::nullopt;
  const std::uint32_t index = waiting_.back();
  waiting_.pop_back();
  return index;
}

std::uint32_t CallStack::entry_label(std::uint32_t index) {
  const auto [it, is_new] = entries_.try_emplace(index, 0);
  if (is_new) {
    it->second = flat_.add_label();
    waiting_.push_back(index);
  }
  return it->second;
}

std::uint32_t CallStack::return_label() {
  if (return_label_ == ptx::kNoId) return_label_ = flat_.add_label();
  return return_label_;
}

std::uint32_t CallStack::enter(std::uint32_t index) {
  const std::uint32_t line = module_.functions[index].line;
  flat_.place_label(entries_.at(index));
  const std::uint32_t entered = flat_.next();
  flat_.emit(build::instruction(Op::add, Type::u64,
                                {build::reg(registers_.top), build::reg(registers_.frame), build::integer(0)},
                                1, line));
  check_room(line);
  return entered;
}

void CallStack::leave(std::uint32_t entered, const Frame& frame, std::uint32_t line) {
  flat_.function.body[entered].operands[2] = build::integer(align_up(frame.bytes, kFrameHeader));
  flat_.emit(build::instruction(Op::bra, Type::none, {build::label(return_label())}, 0, line));
}

// ---- calls ----

void CallStack::append_call(const Instruction& call, const std::vector<std::uint32_t>& targets) {
  const std::uint32_t line = call.line;
  const Function& like = module_.functions[targets.front()];
  const FrameParameters layout(like.parameters, like.returns);
  StackCall mark;
  mark.passed_bytes = layout.frame.bytes;
  mark.begin = flat_.next();
  flat_.emit(build::instruction(Op::add, Type::u64,
                                {build::reg(registers_.next), build::reg(registers_.top), build::integer(0)},
                                1, line));
  for (std::size_t k = 0; k < like.parameters.size(); ++k) {
    Operand argument = call.operands[2].elements[k];
    as_place(argument);
    pass(argument, build::address(registers_.next, layout.given[k]), like.parameters[k], line);
  }
  const std::uint32_t after = flat_.add_label();
  flat_.emit(build::store_local(Type::u32, build::address(registers_.next, 0),
                                build::integer(resumes_.size()), line));
  resumes_.push_back(after);
  mark.leave = flat_.next();
  flat_.emit(build::instruction(Op::mov, Type::u64,
                                {build::reg(registers_.frame), build::reg(registers_.next)}, 1, line));
  if (is_indirect(call)) {
    choose(call, targets);
  } else {
    const Operand entry = build::label(entry_label(targets.front()));
    flat_.emit(build::instruction(Op::bra, Type::none, {entry}, 0, line));
  }
  mark.resume = flat_.next();
  flat_.place_label(after);
  // At least one instruction stands here, whatever follows.
  flat_.emit(build::instruction(Op::mov, Type::u64,
                                {build::reg(registers_.next), build::reg(registers_.next)}, 1, line));
  for (std::size_t k = 0; k < like.returns.size(); ++k) {
    Operand result = call.operands[0].elements[k];
    as_place(result);
    take_result(build::address(registers_.next, layout.returned[k]), result, like.returns[k], line);
  }
  calls_.push_back(mark);
}

/// Goes to the target whose number the register holds.
void CallStack::choose(const Instruction& call, const std::vector<std::uint32_t>& targets) {
  for (const std::uint32_t target : targets) {
    const RegisterId is_it = flat_.add_register("%is_it", Type::pred);
    Instruction test = build::instruction(
        Op::setp, Type::u64,
        {build::reg(is_it), call.operands[1], build::integer(address_of_function(target))}, 1, call.line);
    test.compare = ptx::Compare::eq;
    flat_.emit(std::move(test));
    Instruction jump =
        build::instruction(Op::bra, Type::none, {build::label(entry_label(target))}, 0, call.line);
    jump.predicate = is_it;
    flat_.emit(std::move(jump));
  }
  flat_.emit(build::instruction(Op::trap, Type::none, {}, 0, call.line));
}

void CallStack::pass(const Operand& from, const Operand& to, const ptx::Variable& parameter,
                     std::uint32_t line) {
  if (from.kind == Operand::Kind::address) return move(from, to, parameter, line);
  flat_.emit(build::store_local(build::bits_type(ptx::size_of(parameter.type)), to, from, line));
}

void CallStack::take_result(const Operand& from, const Operand& to, const ptx::Variable& returned,
                            std::uint32_t line) {
  if (to.kind == Operand::Kind::reg) {
    flat_.emit(build::load_local(build::bits_type(ptx::size_of(returned.type)), to.id, from, line));
  } else if (to.kind == Operand::Kind::address) {
    move(from, to, returned, line);
  }
}

void CallStack::move(const Operand& from, const Operand& to, const ptx::Variable& variable,
                     std::uint32_t line) {
  for_each_piece(size_in_frame(variable), alignment_in_frame(variable),
                 [&](std::uint64_t offset, std::uint64_t size) {
                   const RegisterId piece = flat_.add_register("%piece", build::bits_type(size));
                   Operand source = from;
                   Operand target = to;
                   source.integer += static_cast<std::int64_t>(offset);
                   target.integer += static_cast<std::int64_t>(offset);
                   flat_.emit(access(Op::ld, source, piece, size, line));
                   flat_.emit(access(Op::st, target, piece, size, line));
                 });
}

// ---- allocation ----

void CallStack::append_allocation(const Instruction& i) {
  if (i.op == Op::stacksave) {
    flat_.emit(
        build::instruction(Op::mov, Type::u64, {i.operands[0], build::reg(registers_.top)}, 1, i.line));
    return;
  }
  if (i.op == Op::stackrestore) {
    flat_.emit(
        build::instruction(Op::mov, Type::u64, {build::reg(registers_.top), i.operands[0]}, 1, i.line));
    return;
  }
  const std::uint64_t alignment =
      std::max(kAllocationAlignment,
               i.operands.size() > 2 ? static_cast<std::uint64_t>(i.operands[2].integer) : std::uint64_t{0});
  const RegisterId aligned = flat_.add_register("%aligned", Type::u64);
  flat_.emit(build::instruction(
      Op::add, Type::u64, {build::reg(aligned), build::reg(registers_.top), build::integer(alignment - 1)}, 1,
      i.line));
  flat_.emit(build::instruction(Op::and_, Type::b64,
                                {build::reg(aligned), build::reg(aligned), build::integer(~(alignment - 1))},
                                1, i.line));
  const RegisterId size = flat_.add_register("%size", Type::u64);
  const RegisterId most = flat_.add_register("%most", Type::u64);
  flat_.emit(build::instruction(Op::mov, Type::u64, {build::reg(size), i.operands[1]}, 1, i.line));
  // A size that would wrap is more than there is.
  flat_.emit(build::instruction(Op::mov, Type::u64, {build::reg(most), stack_bytes()}, 1, i.line));
  flat_.emit(build::instruction(Op::add, Type::u64, {build::reg(most), build::reg(most), build::integer(1)},
                                1, i.line));
  flat_.emit(build::instruction(Op::min, Type::u64, {build::reg(size), build::reg(size), build::reg(most)}, 1,
                                i.line));
  flat_.emit(build::instruction(
      Op::add, Type::u64, {build::reg(registers_.top), build::reg(aligned), build::reg(size)}, 1, i.line));
  check_room(i.line);
  flat_.emit(build::instruction(Op::mov, Type::u64, {i.operands[0], build::reg(aligned)}, 1, i.line));
}

// ---- the end ----

/// Where every function on the stack ends: back to the caller that its frame names.
void CallStack::emit_returns() {
  flat_.place_label(return_label_);
  const RegisterId where = flat_.add_register("%where", Type::u32);
  flat_.emit(build::load_local(Type::u32, where, place(0), 0));
  Operand targets;
  targets.kind = Operand::Kind::list;
  for (const std::uint32_t label : resumes_) targets.elements.push_back(build::label(label));
  flat_.emit(build::instruction(Op::brx, Type::none, {build::reg(where), targets}, 0, 0));
}

void CallStack::finish() {
  if (!in_use()) return;
  if (return_label_ != ptx::kNoId) emit_returns();
  flat_.function.variables[flat_.function.stack].size = save_registers(flat_.function, registers_, calls_);
}

}  // namespace tare::cpu::analysis
