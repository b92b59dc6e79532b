// Builds the function that runs blocks of a kernel, in one of two ways. Private to the code generator.
#pragma once

#include <vector>

#include "cpu/codegen/barrier.hpp"
#include "cpu/codegen/body.hpp"
#include "cpu/codegen/emitter.hpp"
#include "cpu/codegen/loops.hpp"

namespace tare::cpu::codegen {

struct KernelPlan {
  analysis::Flow flow;
  analysis::Shapes shapes;
  analysis::Guards guards;
  bool specialise = true;  // worth a second copy of the body, for rows that need no checks
};

/// Barrier-free: for every row of threads a vectorisable loop around the body (tier fast).
void build_thread_loops(Emitter& e, const KernelPlan& plan);

/// Any kernel: threads that stop and go on from there (tier general). `tight`: loops of their own for
/// blocks whose threads all stand at the same place. Returns the bytes of state per thread.
std::uint64_t build_regions(Emitter& e, const KernelPlan& plan, bool tight);

/// The loop over blocks [first, last), around `block`. Returns 0 from the function at its end.
void build_block_loop(Emitter& e, const std::function<void()>& block);

}  // namespace tare::cpu::codegen
