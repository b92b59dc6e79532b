// What the emission of every instruction shares: registers, operands, the thread's surroundings and the
// LLVM builder. Private to the code generator.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <string>
#include <vector>

#include "cpu/codegen/kernel.hpp"
#include "cpu/codegen/layout.hpp"

namespace tare::cpu::codegen {

/// Width of a scalar type in bits.
inline unsigned width_of(const llvm::Type* type) {
  return static_cast<unsigned>(type->getScalarSizeInBits());
}

/// The values that a thread finds around it. Pointers are LLVM pointers; `*_address` are the same as i64.
struct Surroundings {
  llvm::Value* context = nullptr;
  llvm::Value* scratch = nullptr;
  llvm::Value* base = nullptr;  // every global and generic access is an offset from it
  llvm::Value* params = nullptr;
  llvm::Value* shared = nullptr;
  llvm::Value* local = nullptr;  // of this thread
  llvm::Value* params_address = nullptr;
  llvm::Value* globals_address = nullptr;
  llvm::Value* constants_address = nullptr;
  llvm::Value* shared_address = nullptr;
  llvm::Value* local_address = nullptr;
  llvm::Value* local_bytes = nullptr;  // of a thread, its stack included; i64
  llvm::Value* dynamic_shared_bytes = nullptr;
  llvm::Value* stack_bytes = nullptr;  // i64
  llvm::Value* grid_id = nullptr;
  llvm::Value* workspace_address = nullptr;
  llvm::Value* worker = nullptr;
  llvm::Value* workers = nullptr;
  llvm::Value* resident_warps = nullptr;
  llvm::Value* shared_unit = nullptr;
  std::array<llvm::Value*, 3> tid{}, ntid{}, ctaid{}, nctaid{};  // i32
  llvm::Value* block_index = nullptr;                            // i64, of the grid, x fastest
  llvm::Value* thread_in_block = nullptr;                        // i32, x fastest
  llvm::Value* thread_in_block_wide = nullptr;                   // the same as i64
};

/// A refusal: what, and on which PTX line.
struct Refusal {
  std::uint32_t line = 0;
  std::string what;
};

class Emitter {
 public:
  Emitter(llvm::Function* function, const ptx::Module& module, const ptx::Function& entry,
          const KernelLayout& layout);

  llvm::IRBuilder<> b;
  Surroundings around;

  llvm::Function* function() const { return function_; }
  llvm::LLVMContext& context() const { return function_->getContext(); }
  const ptx::Module& module() const { return module_; }
  const ptx::Function& entry() const { return entry_; }
  const KernelLayout& layout() const { return layout_; }

  // Types
  llvm::Type* type(ptx::Type type);
  static bool is_signed(ptx::Type type);
  static bool is_float(ptx::Type type);  // f32 or f64
  llvm::ConstantInt* i32(std::uint32_t value) { return b.getInt32(value); }
  llvm::ConstantInt* i64(std::uint64_t value) { return b.getInt64(value); }
  llvm::Value* constant_like(llvm::Value* value, std::uint64_t constant) {
    return llvm::ConstantInt::get(value->getType(), constant);
  }

  // Operands
  llvm::Value* read(const ptx::Operand& operand, ptx::Type type);
  llvm::Value* read_register(ptx::RegisterId id);
  llvm::Value* read_predicate(ptx::RegisterId id, bool negated);
  /// Writes under the current predicate. A value narrower than the register is extended, by sign if asked.
  void write(const ptx::Operand& operand, llvm::Value* value, bool sign_extend = false);
  void write_register(ptx::RegisterId id, llvm::Value* value);
  /// Reinterprets, truncates or zero-extends to a type.
  llvm::Value* adapt(llvm::Value* value, llvm::Type* type, bool sign_extend = false);
  /// A variable's address as seen in its own space, and that space.
  llvm::Value* address_of(const ptx::Operand& operand);
  ptx::Space space_of(const ptx::Operand& operand) const;
  llvm::Value* special(ptx::Special special);
  llvm::Value* named_special(std::uint32_t index);

  // Registers. A fixed register is a value of its own; any other lives in a stack slot.
  void fix(ptx::RegisterId id, llvm::Value* value) { fixed_[id] = value; }
  llvm::Value* fixed(ptx::RegisterId id) const { return fixed_[id]; }
  /// A fixed 32-bit register's value extended by its sign, where it is known to be affine: for shared
  /// addresses.
  void fix_extended(ptx::RegisterId id, llvm::Value* value) { extended_[id] = value; }
  void clear_fixed() {
    std::fill(fixed_.begin(), fixed_.end(), nullptr);
    std::fill(extended_.begin(), extended_.end(), nullptr);
  }
  std::vector<llvm::Value*> take_fixed() const { return fixed_; }
  void restore_fixed(std::vector<llvm::Value*> fixed) { fixed_ = std::move(fixed); }
  /// While set, every written register becomes fixed: the values of a row.
  void set_writes_fix(bool on) { writes_fix_ = on; }
  llvm::AllocaInst* slot(ptx::RegisterId id);
  /// Zero in all slots: what a thread finds in registers it never wrote.
  void clear_slots();
  llvm::AllocaInst* carry();
  /// How often the thread has been around waiting loops since it last stopped.
  llvm::AllocaInst* rounds();
  /// The place of a .param variable that need not be in memory.
  llvm::AllocaInst* transient(std::uint32_t variable);

  void set_predicate(llvm::Value* predicate) { predicate_ = predicate; }

  // Memory
  /// Marks a load or store as independent of those of other threads.
  template <typename Access>
  Access* mark(Access* access) {
    if (access_group_ != nullptr) access->setMetadata(llvm::LLVMContext::MD_access_group, access_group_);
    return access;
  }
  void set_access_group(llvm::MDNode* group) { access_group_ = group; }

  // Helpers that instruction families share
  llvm::Value* call_runtime(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments,
                            bool pure = true);
  llvm::Value* unary(llvm::Intrinsic::ID id, llvm::Value* value) { return b.CreateUnaryIntrinsic(id, value); }
  llvm::Value* select(llvm::Value* c, llvm::Value* a, llvm::Value* other) {
    return b.CreateSelect(c, a, other);
  }
  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(context(), name, function_);
  }
  /// An access of `bytes`, a power of two, must begin at a multiple of them. Offsets are from bases with the
  /// alignment of any access. A plain access is let go on, and the block fails at its end: a branch per
  /// access would keep threads from becoming vectors, while the low bits of most addresses are a row's.
  void require_alignment(llvm::Value* offset, std::uint64_t bytes);
  /// The same for an access that another thread may see: stops before it, with its line.
  void require_alignment_now(llvm::Value* offset, std::uint64_t bytes, std::uint32_t line);
  /// Where a thread stops or ends: what it did counts for its block.
  void gather_misaligned();
  /// Where all threads have been gathered: fails the block if one of them was misaligned.
  void stop_if_misaligned();
  /// A slot in the function's entry block.
  llvm::AllocaInst* stack(llvm::Type* type, const char* name);
  /// Writes block, thread and line to the scratch and returns from the function.
  void emit_fault(Fault fault, llvm::Value* line);

  void refuse(std::uint32_t line, std::string what);
  /// Adds the line to a refusal that was made without knowing it.
  void complete_refusal(std::uint32_t line, const std::string& spelling) {
    refusal_ = Refusal{line, spelling + " with " + refusal_->what};
  }
  const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  llvm::Value* read_real(const ptx::Operand& operand, ptx::Type type);
  void stop_if(llvm::Value* is_misaligned, std::uint32_t line);

  llvm::Function* function_;
  const ptx::Module& module_;
  const ptx::Function& entry_;
  const KernelLayout& layout_;
  std::vector<llvm::AllocaInst*> slots_;
  std::vector<llvm::Value*> fixed_;
  std::vector<llvm::Value*> extended_;
  llvm::AllocaInst *carry_ = nullptr, *rounds_ = nullptr;
  llvm::AllocaInst *misaligned_ = nullptr, *any_misaligned_ = nullptr;  // bits of the thread's, the block's
  std::vector<llvm::AllocaInst*> transients_;
  llvm::Value* predicate_ = nullptr;
  llvm::MDNode* access_group_ = nullptr;
  bool writes_fix_ = false;
  std::optional<Refusal> refusal_;
};

}  // namespace tare::cpu::codegen
