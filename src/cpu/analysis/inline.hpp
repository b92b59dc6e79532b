// Device functions put in place of their calls, so that every later pass sees one flat body. What cannot be
// put in place follows the kernel's own text and is reached by branches and a stack in local memory.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::analysis {

/// A call that leads nowhere: of a function without a body, or of none that fits.
struct CallRefusal {
  std::uint32_t line = 0;
  std::string what;  // "call.uni of `vprintf`"
};

bool has_calls(const ptx::Function& function);

/// The entry with all its calls replaced, but for those of functions that the device brings along (vprintf,
/// malloc, ...), whose arguments are registers afterwards. Lines stay those of the text.
std::variant<ptx::Function, CallRefusal> flatten(const ptx::Module& module, const ptx::Function& entry);

}  // namespace tare::cpu::analysis
