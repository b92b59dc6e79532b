// From an entry to an object file. Private to the code generator; no LLVM in this header.
#pragma once

#include <variant>
#include <vector>

#include "cpu/codegen/kernel.hpp"
#include "cpu/codegen/layout.hpp"

namespace tare::cpu::codegen {

/// The name of the one function that an object defines.
inline constexpr char kEntryPoint[] = "tare_run_blocks";

struct GeneratedObject {
  std::uint64_t frame_bytes_per_thread = 0;
  std::vector<char> object;
};

std::variant<GeneratedObject, CompileError> generate(const ptx::Module& module, const ptx::Function& entry,
                                                     const KernelLayout& layout,
                                                     const CompileOptions& options);

}  // namespace tare::cpu::codegen
