// What the lanes of a warp get from each other. Follows the PTX ISA, 9.7.13. No LLVM.
#pragma once

#include "cpu/codegen/barrier.hpp"

namespace tare::cpu::codegen {

/// Computes a warp operation for the lanes of `group`, whose requests are at requests[lane]: results
/// replace the values.
void resolve_warp_operation(std::uint32_t kind, std::uint32_t group, Request* requests);

}  // namespace tare::cpu::codegen
