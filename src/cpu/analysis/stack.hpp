// Calls that need a stack: their place in the flat body is held by two marks until it is known which
// registers live across them.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::analysis {

/// The registers that every function on the stack shares: where the running function's frame begins, where
/// the stack ends, and where the next frame will begin.
struct StackRegisters {
  ptx::RegisterId frame = ptx::kNoId, top = ptx::kNoId, next = ptx::kNoId;
};

/// One call: instructions of the flat body, in text order.
struct StackCall {
  std::uint32_t begin = 0;         // `next = top + saved bytes`, the bytes still 0
  std::uint32_t leave = 0;         // registers are saved before it
  std::uint32_t resume = 0;        // registers are restored before it; a label leads here
  std::uint64_t passed_bytes = 0;  // of the callee's frame: its header, parameters and results
};

/// Emits the saving and restoring of the registers that live across each call. A branch to a callee must
/// follow each `leave`; for what lives across it, it is passed over. Returns the most bytes that a call
/// writes above the stack's top before its callee has checked that there is room.
std::uint64_t save_registers(ptx::Function& flat, const StackRegisters& stack,
                             const std::vector<StackCall>& calls);

}  // namespace tare::cpu::analysis
