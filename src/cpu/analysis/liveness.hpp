// Which registers hold a value that may still be read: what a thread has to keep across a barrier.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/analysis/flow.hpp"

namespace tare::cpu::analysis {

/// A set of registers, by id.
using RegisterSet = std::vector<bool>;

/// Registers live on entry to each block, by block index.
std::vector<RegisterSet> live_on_entry(const ptx::Function& function, const Flow& flow);

}  // namespace tare::cpu::analysis
