// Counted loops, and the values of a row of threads. Shared by the two ways of running a block; private
// to the code generator.
#pragma once

#include "cpu/analysis/guard.hpp"
#include "cpu/analysis/shape.hpp"
#include "cpu/codegen/emitter.hpp"

namespace tare::cpu::codegen {

/// for (index = first; index < last; ++index). The builder stands in the body until close().
class CountedLoop {
 public:
  enum class Kind : std::uint8_t { scalar, parallel };  // parallel: iterations are independent
  CountedLoop(Emitter& e, llvm::Value* first, llvm::Value* last, Kind kind = Kind::scalar);

  llvm::Value* index() const { return index_; }
  /// Where an iteration ends early.
  llvm::BasicBlock* latch() const { return latch_; }
  /// Ends the body; the builder stands after the loop.
  void close();

 private:
  Emitter& e_;
  Kind kind_;
  llvm::Value* last_;
  llvm::BasicBlock* head_;
  llvm::BasicBlock* latch_;
  llvm::BasicBlock* after_;
  llvm::PHINode* index_;
  llvm::MDNode* group_ = nullptr;
};

/// Keeps the vectoriser from a loop, by its backward branch.
void forbid_vectors(llvm::BranchInst* back);

/// Loads what does not change during a launch.
void load_surroundings(Emitter& e);
/// Which thread runs: its indices (x as i64), its number in the block and its local memory.
void set_thread(Emitter& e, llvm::Value* x, llvm::Value* y, llvm::Value* z);

/// Fixes every register of a row as the thread with this tid.x computes it.
void fix_row(Emitter& e, const analysis::Shapes& shapes, llvm::Value* tid_x);
/// From the values of the row's first thread to those of a thread `index` further on.
void advance_row(Emitter& e, const analysis::Shapes& shapes, const std::vector<llvm::Value*>& first,
                 llvm::Value* index);
/// Whether the register does not wrap from its fixed value on over `last` more threads (i64).
llvm::Value* does_not_wrap(Emitter& e, const analysis::Shapes& shapes, const analysis::NoWrap& assumption,
                           llvm::Value* last);

}  // namespace tare::cpu::codegen
