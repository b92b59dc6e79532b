// Device functions put in place of their calls, so that every later pass sees one flat body.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::analysis {

/// A call that cannot be put in place: recursive, indirect, or of a function without a body.
struct CallRefusal {
  std::uint32_t line = 0;
  std::string what;  // "call.uni of `vprintf`"
};

bool has_calls(const ptx::Function& function);

/// The entry with all its calls replaced. Lines stay those of the text.
std::variant<ptx::Function, CallRefusal> flatten(const ptx::Module& module, const ptx::Function& entry);

}  // namespace tare::cpu::analysis
