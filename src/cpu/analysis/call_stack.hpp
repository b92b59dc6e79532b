// The stack in local memory of functions that cannot be put in place of their calls: those that may call
// themselves, those only known at run time, and those that allocate. Each is appended once, and reached by
// branches; a frame holds what it was given, its variables, and where it returns to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "cpu/analysis/flat_body.hpp"
#include "cpu/analysis/frame.hpp"
#include "cpu/analysis/stack.hpp"

namespace tare::cpu::analysis {

/// How a trap is spelt that ends a thread whose stack is full.
inline constexpr char kStackOverflow[] = "stack overflow";

class CallStack {
 public:
  /// Nothing is emitted, and nothing but in_use() may be asked, before begin().
  CallStack(const ptx::Module& module, FlatBody& flat) : module_(module), flat_(flat) {}

  /// Ahead of the kernel's own instructions.
  void begin();
  bool in_use() const { return registers_.frame != ptx::kNoId; }

  // ---- frames ----

  /// A place in the running function's frame.
  ptx::Operand place(std::uint64_t offset) const { return build::address(registers_.frame, offset); }
  bool in_frame(const ptx::Operand& operand) const;
  /// Names of what lies in a frame become addresses in local memory.
  void reach_frame(ptx::Instruction& instruction);
  /// A load or store of `bytes` bytes of a variable, in a frame or not.
  ptx::Instruction access(ptx::Op op, const ptx::Operand& place, ptx::RegisterId value, std::size_t bytes,
                          std::uint32_t line) const;

  // ---- functions ----

  /// A function that is called and has not been appended yet.
  std::optional<std::uint32_t> take_waiting();
  bool has_functions() const { return !entries_.empty(); }
  /// Where a function on the stack begins; returns the instruction that leave() completes.
  std::uint32_t enter(std::uint32_t index);
  /// Where it ends, `frame` being all that it has.
  void leave(std::uint32_t entered, const Frame& frame, std::uint32_t line);

  // ---- instructions ----

  /// All `targets` take and give the same.
  void append_call(const ptx::Instruction& call, const std::vector<std::uint32_t>& targets);
  /// alloca, stacksave, stackrestore.
  void append_allocation(const ptx::Instruction& instruction);

  /// The way back to the callers, the registers that live across calls, and the stack's variable.
  void finish();

 private:
  ptx::Operand base() const;
  void check_room(std::uint32_t line);
  std::uint32_t entry_label(std::uint32_t index);
  std::uint32_t return_label();
  void choose(const ptx::Instruction& call, const std::vector<std::uint32_t>& targets);
  void emit_returns();
  void pass(const ptx::Operand& from, const ptx::Operand& to, const ptx::Variable& parameter,
            std::uint32_t line);
  void take_result(const ptx::Operand& from, const ptx::Operand& to, const ptx::Variable& returned,
                   std::uint32_t line);
  void move(const ptx::Operand& from, const ptx::Operand& to, const ptx::Variable& variable,
            std::uint32_t line);

  const ptx::Module& module_;
  FlatBody& flat_;
  StackRegisters registers_;
  std::vector<StackCall> calls_;
  std::map<std::uint32_t, std::uint32_t> entries_;  // labels of the functions
  std::vector<std::uint32_t> waiting_;              // of them, those still to be appended
  std::vector<std::uint32_t> resumes_;              // labels after calls, by what frames hold
  std::uint32_t return_label_ = ptx::kNoId;
};

/// A variable that a call names is a place in memory.
inline void as_place(ptx::Operand& operand) {
  if (operand.kind == ptx::Operand::Kind::symbol) operand.kind = ptx::Operand::Kind::address;
}

}  // namespace tare::cpu::analysis
