// Loops that may wait for another thread: whose end depends on memory that others write. Each gets a
// place where its thread lets others of its block, and other blocks, run.
#pragma once

#include <vector>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::analysis {

/// Puts an Op::yield_ at the head of every such loop. An atomic operation, a volatile, relaxed or acquire
/// load, and where the loop also has a fence or a nanosleep any load, count as such memory.
void insert_yields(ptx::Function& function);

/// By instruction: whether it is in such a loop.
std::vector<bool> inside_waiting_loops(const ptx::Function& function);

}  // namespace tare::cpu::analysis
