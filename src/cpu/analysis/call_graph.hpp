// Which functions a kernel may call, and which of them cannot be put in place of their calls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::analysis {

/// The number that stands for a function's address in registers and in memory; 0 is none's.
inline std::uint64_t address_of_function(std::uint32_t index) {
  return (std::uint64_t{index} + 1) * 16;
}

/// The function itself, where `index` names an alias of it.
std::uint32_t resolve_alias(const ptx::Module& module, std::uint32_t index);

/// Indices into Module::functions.
using FunctionSet = std::vector<bool>;

/// A call of a function that is only known at run time.
bool is_indirect(const ptx::Instruction& call);

/// Where an indirect call may lead: the targets that it lists, or every function with a body whose address
/// the module takes and that has as many parameters and results.
std::vector<std::uint32_t> targets_of(const ptx::Module& module, const ptx::Function& caller,
                                      const ptx::Instruction& call);

/// Functions that `entry` reaches and that run on a stack: those that may call themselves, those that are
/// called indirectly, and those that allocate on it.
FunctionSet functions_on_stack(const ptx::Module& module, const ptx::Function& entry);

}  // namespace tare::cpu::analysis
