// The identity of a compiled kernel: a hash over everything its machine code depends on. No LLVM.
#pragma once

#include <string>

#include "cpu/codegen/kernel.hpp"
#include "cpu/codegen/object_cache.hpp"

namespace tare::cpu::codegen {

/// Over the entry with its device functions, the module variables it can refer to, the options that
/// matter, the processor, and the version of this code generator.
ObjectKey fingerprint(const ptx::Module& module, const ptx::Function& entry, const CompileOptions& options,
                      const std::string& processor);

}  // namespace tare::cpu::codegen
