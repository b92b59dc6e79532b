// Programs of before Volta, and some since, let the threads of a warp exchange values through volatile shared
// memory without a barrier. PTX promises them nothing, but a GPU runs a warp that has not diverged in step.
#pragma once

#include "cpu/ptx/module.hpp"

namespace tare::cpu::analysis {

/// Lets the lanes of a warp come together (an activemask whose result nobody reads) between volatile accesses
/// to shared memory, of which one is a store: what lanes that came together store before, all of them read
/// after. Loops that wait (spin.hpp) are left as they are.
void insert_warp_steps(ptx::Function& function);

}  // namespace tare::cpu::analysis
