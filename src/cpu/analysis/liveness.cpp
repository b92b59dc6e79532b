// The backward data-flow problem over basic blocks, iterated to its fixed point. A write under a
// predicate does not end a register's life: the old value may survive it.
#include "cpu/analysis/liveness.hpp"

namespace tare::cpu::analysis {

std::vector<RegisterSet> live_on_entry(const ptx::Function& function, const Flow& flow) {
  const std::size_t registers = function.registers.size();
  const std::size_t count = flow.blocks.size();
  std::vector<RegisterSet> read_first(count, RegisterSet(registers, false));
  std::vector<RegisterSet> written(count, RegisterSet(registers, false));
  for (std::size_t b = 0; b < count; ++b) {
    for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].last; ++i) {
      const ptx::Instruction& instruction = function.body[i];
      for_each_read(instruction, [&](ptx::RegisterId id) {
        if (!written[b][id]) read_first[b][id] = true;
      });
      if (instruction.predicate == ptx::kNoId) {
        for_each_write(instruction, [&](ptx::RegisterId id) { written[b][id] = true; });
      }
    }
  }
  std::vector<RegisterSet> live = read_first;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = count; b-- > 0;) {
      for (const std::uint32_t successor : flow.blocks[b].successors) {
        for (std::size_t id = 0; id < registers; ++id) {
          if (live[successor][id] && !written[b][id] && !live[b][id]) {
            live[b][id] = true;
            changed = true;
          }
        }
      }
    }
  }
  return live;
}

}  // namespace tare::cpu::analysis
