#include "cpu/analysis/warp_steps.hpp"

#include <set>

#include "cpu/analysis/build.hpp"
#include "cpu/analysis/flow.hpp"
#include "cpu/analysis/insert.hpp"
#include "cpu/analysis/spin.hpp"

namespace tare::cpu::analysis {
namespace {

using ptx::Instruction;
using ptx::Op;

bool is_volatile_shared(const Instruction& instruction) {
  return (instruction.op == Op::ld || instruction.op == Op::st) && instruction.space == ptx::Space::shared &&
         instruction.has(ptx::Modifier::volatile_);
}

}  // namespace

void insert_warp_steps(ptx::Function& function) {
  bool has_load = false, has_store = false;
  for (const Instruction& instruction : function.body) {
    if (!is_volatile_shared(instruction)) continue;
    (instruction.op == Op::ld ? has_load : has_store) = true;
  }
  if (!has_load || !has_store) return;
  std::set<std::uint32_t> targets;
  for (const ptx::Label& label : function.labels) targets.insert(label.target);
  const auto ignored = static_cast<ptx::RegisterId>(function.registers.size());
  function.registers.push_back({"%together", ptx::Type::b32});
  // A loop that waits has lanes that do not, and others must get their turn between its rounds.
  const std::vector<bool> waits = inside_waiting_loops(function);
  std::map<std::uint32_t, Instruction> steps;
  bool only_loads = false;  // since the last step, in straight text
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const Instruction& instruction = function.body[i];
    if (targets.contains(i)) only_loads = false;
    if (is_volatile_shared(instruction) && !waits[i]) {
      const bool is_load = instruction.op == Op::ld;
      if (!only_loads || !is_load) {
        Instruction step =
            build::instruction(Op::activemask, ptx::Type::b32, {build::reg(ignored)}, 1, instruction.line);
        step.spelling = instruction.spelling;  // what a message is to name
        step.predicate = instruction.predicate;
        step.predicate_negated = instruction.predicate_negated;
        steps.emplace(i, std::move(step));
      }
      only_loads = is_load;
    } else if (stops(instruction) || instruction.op == Op::bra || instruction.op == Op::brx ||
               ends_thread(instruction)) {
      only_loads = false;
    }
  }
  insert_before(function, std::move(steps));
}

}  // namespace tare::cpu::analysis
