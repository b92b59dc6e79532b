// Where the variables of one kernel live: shared and local offsets. The module's own segments are laid
// out once for all kernels, by layout_module(). No LLVM.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::codegen {

struct KernelLayout {
  std::unordered_map<std::uint32_t, std::uint64_t> module_shared;       // by index into Module::variables
  std::unordered_map<std::uint32_t, std::uint64_t> function_variables;  // by index into Function::variables
  /// By index into Function::variables: a .param variable of a call, used by name only in a kernel without
  /// barriers, so that it need not be in memory.
  std::vector<bool> is_transient;
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t dynamic_shared_offset = 0;  // where every unsized extern array starts
  std::uint64_t local_bytes_per_thread = 0;
  bool has_stack = false;  // LaunchContext::stack_bytes follow, which local_bytes_per_thread is without
};

/// The entry must already hold the device functions that it calls (see analysis/inline.hpp).
KernelLayout layout_kernel(const ptx::Module& module, const ptx::Function& entry);

}  // namespace tare::cpu::codegen
