// The flat function while it grows: instructions at its end, and names that no text has.
#pragma once

#include <cstdint>
#include <string>

#include "cpu/analysis/build.hpp"
#include "cpu/ptx/module.hpp"

namespace tare::cpu::analysis {

class FlatBody {
 public:
  /// All of the entry but its registers, variables, labels and instructions.
  explicit FlatBody(const ptx::Function& entry);

  ptx::Function function;

  std::uint32_t next() const { return static_cast<std::uint32_t>(function.body.size()); }
  void emit(ptx::Instruction instruction) { function.body.push_back(std::move(instruction)); }
  ptx::Type type_of(ptx::RegisterId id) const { return function.registers[id].type; }

  ptx::RegisterId add_register(const char* name, ptx::Type type);
  std::uint32_t add_label();
  void place_label(std::uint32_t label) { function.labels[label].target = next(); }
  /// The index of a special register that is known by its name.
  std::uint32_t add_special(const std::string& name);

  /// A jump under the predicate of `from`.
  void branch(const ptx::Instruction& from, std::uint32_t label, bool negated);

  /// What `append` emits runs under the instruction's predicate.
  template <typename Append>
  void when(const ptx::Instruction& instruction, const Append& append) {
    const bool is_conditional = instruction.predicate != ptx::kNoId;
    const std::uint32_t after = is_conditional ? add_label() : ptx::kNoId;
    if (is_conditional) branch(instruction, after, !instruction.predicate_negated);
    append();
    if (is_conditional) place_label(after);
  }
};

/// The place of a variable of the flat function.
ptx::Operand variable_operand(std::uint32_t index);

}  // namespace tare::cpu::analysis
