// Instructions put into a body whose labels are indices.
#pragma once

#include <cstdint>
#include <map>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::analysis {

/// Puts each instruction in front of the one at its index; a branch to that one reaches it first.
void insert_before(ptx::Function& function, std::map<std::uint32_t, ptx::Instruction> instructions);

}  // namespace tare::cpu::analysis
