// One function per instruction family. Each emits one unpredicated instruction and returns false if this
// form of it is not supported. Private to the code generator.
#pragma once

#include "cpu/analysis/flow.hpp"
#include "cpu/codegen/emitter.hpp"

namespace tare::cpu::codegen {

bool emit_integer(Emitter& e, const ptx::Instruction& instruction);  // add .. mad, carries, shifts, logic
bool emit_packed_integer(Emitter& e, const ptx::Instruction& instruction);  // u16x2 and s16x2
bool emit_video(Emitter& e, const ptx::Instruction& instruction);
bool emit_bits(Emitter& e, const ptx::Instruction& instruction);         // bfe, lop3, prmt, shf, dp4a, ...
bool emit_floating(Emitter& e, const ptx::Instruction& instruction);     // f32 and f64 arithmetic
bool emit_half(Emitter& e, const ptx::Instruction& instruction);         // f16 and bf16, packed or not
bool emit_approximate(Emitter& e, const ptx::Instruction& instruction);  // .approx functions
bool emit_compare(Emitter& e, const ptx::Instruction& instruction);      // setp, set, selp, slct, testp
bool emit_convert(Emitter& e, const ptx::Instruction& instruction);      // cvt
bool emit_memory(Emitter& e, const ptx::Instruction& instruction);  // ld, st, atom, red, fences, cvta, mov

bool emit_atomic(Emitter& e, const ptx::Instruction& instruction);       // atom, red
bool emit_device_call(Emitter& e, const ptx::Instruction& instruction);  // vprintf, malloc, free, assert
bool emit_arrival(Emitter& e, const ptx::Instruction& instruction);      // bar.arrive

/// Emits an instruction that is not a branch, an exit or a barrier; a form that is not supported is
/// refused by its spelling and line.
void emit_instruction(Emitter& e, const ptx::Instruction& instruction);
/// May run under a select instead of a branch: cheap, and no memory access.
bool is_selectable(const ptx::Instruction& instruction);

// Shared between the families that access memory.
/// Where an address operand (plus `offset` bytes) leads, in an access of `bytes` that others may see; at
/// `offset` 0 it stops where it is misaligned.
llvm::Value* pointer_of(Emitter& e, const ptx::Instruction& instruction, const ptx::Operand& address,
                        std::uint64_t offset, std::uint64_t bytes);
llvm::Value* shared_bytes(Emitter& e);  // of the block, i64

// Shared between the floating-point families.
llvm::Value* sum_f64(Emitter& e, llvm::Value* a, llvm::Value* c);  // as add.rn.f64 has it, NaNs included
// f32, sign kept; also where `tiny`, if given, says so.
llvm::Value* flush_subnormal(Emitter& e, llvm::Value* value, llvm::Value* tiny = nullptr);
llvm::Value* canonical_nan(Emitter& e, llvm::Value* value);       // f32: every NaN is 0x7fffffff
llvm::Value* quiet(Emitter& e, llvm::Value* value);               // f64: sets the quiet bit
llvm::Value* saturate(Emitter& e, llvm::Value* value);            // [+0, 1], NaN to +0
llvm::Value* half_to_single(Emitter& e, llvm::Value* bits);       // f16 bits in an i32 to f32, exactly
llvm::Value* read_bits(Emitter& e, const ptx::Operand& operand);  // a register as an integer
using analysis::has_suffix;

}  // namespace tare::cpu::codegen
