// What the lanes of a warp get from each other. Follows the PTX ISA, 9.7.13. No LLVM.
#pragma once

#include <array>

#include "cpu/codegen/barrier.hpp"

namespace tare::cpu::codegen {

using LaneValues = std::array<std::uint64_t, kWarpSize>;

/// Computes a warp operation for the lanes of `group`, whose requests are at requests[lane]: results
/// replace the values. `given` holds what each lane that stands at the same instruction gave, with whatever
/// mask, and 0 for every other lane: that is what an H200 shuffles.
void resolve_warp_operation(std::uint32_t kind, std::uint32_t group, const LaneValues& given,
                            Request* requests);

}  // namespace tare::cpu::codegen
