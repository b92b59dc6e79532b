// Control flow of a PTX function body: its basic blocks, and what each instruction reads and writes.
// Shared by the analyses and by the emission of code; no LLVM.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::analysis {

/// Instructions [first, last) of Function::body, entered at `first` only.
struct Block {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::vector<std::uint32_t> successors;  // block indices; a return or exit has none
};

struct Flow {
  std::vector<Block> blocks;            // in text order; block 0 is the entry
  std::vector<std::uint32_t> block_of;  // by instruction index, body.size() included (a final empty block)
};

/// A block ends after every branch, return, exit, trap and stop, and before every label.
Flow build_flow(const ptx::Function& function);

/// Where a thread stops until others have come as far: barriers of the block, operations of the warp
/// (shfl, vote, ...) and places where a loop lets others run. bar.arrive is none of them.
bool stops(const ptx::Instruction& instruction);
/// Such a place that a thread may also pass without stopping.
bool may_pass(const ptx::Instruction& instruction);
/// bar.arrive, barrier.arrive.
bool is_arrival(const ptx::Instruction& instruction);
/// Ends the thread: exit, ret, trap or brkpt (in an entry function).
bool ends_thread(const ptx::Instruction& instruction);
/// Whether the instruction has a suffix that has no field of its own.
bool has_suffix(const ptx::Instruction& instruction, const char* suffix);
/// Does more than write registers: st, atom, fences, barriers, calls and their like.
bool has_effects(const ptx::Instruction& instruction);
/// bar.red: a barrier that also counts predicates.
bool reduces(const ptx::Instruction& instruction);
/// How many leading operands the instruction writes.
std::size_t destinations(const ptx::Instruction& instruction);

using RegisterVisitor = std::function<void(ptx::RegisterId)>;
/// Registers the instruction writes (under its predicate, if it has one).
void for_each_write(const ptx::Instruction& instruction, const RegisterVisitor& visit);
/// Registers the instruction reads, its predicate and address bases included.
void for_each_read(const ptx::Instruction& instruction, const RegisterVisitor& visit);

}  // namespace tare::cpu::analysis
