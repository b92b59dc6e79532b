// A thread's way through the kernel, from its entry or from a barrier to the next barrier or its end.
// Private to the code generator.
#pragma once

#include <functional>
#include <vector>

#include "cpu/analysis/flow.hpp"
#include "cpu/analysis/guard.hpp"
#include "cpu/codegen/emitter.hpp"

namespace tare::cpu::codegen {

struct Body {
  const analysis::Flow& flow;
  /// Instructions whose registers are fixed already.
  const std::vector<bool>& skip;
  /// Branches that go one way only here.
  std::vector<analysis::Guards::Decided> decided = {};
  /// Emitted where the thread ends or waits; each must end the basic block.
  std::function<void()> on_exit = {};
  std::function<void(std::uint32_t instruction)> on_stop = {};
};

/// Blocks that a thread entering at `start` may run before it waits or ends.
std::vector<bool> reachable_blocks(const ptx::Function& function, const analysis::Flow& flow,
                                   std::uint32_t start);

/// Emits what runs from each of `starts` (instruction indices that begin a block) on, and returns the
/// basic blocks to enter at, in the same order. The builder's place is left undefined.
std::vector<llvm::BasicBlock*> emit_body(Emitter& e, const Body& body,
                                         const std::vector<std::uint32_t>& starts);

}  // namespace tare::cpu::codegen
