// A block without barriers: loops over z, y and x around the body. Where a row provably passes its
// bounds check and wraps no index, the x loop runs over just the threads that pass, without the check
// and with constant steps; any other row runs the body as it is written.
#include <llvm/IR/Intrinsics.h>

#include "cpu/codegen/kernel_builder.hpp"

namespace tare::cpu::codegen {
namespace {

using analysis::Bound;
using llvm::BasicBlock;
using llvm::Value;
using ptx::Compare;

class RowBuilder {
 public:
  RowBuilder(Emitter& emitter, const KernelPlan& plan) : e_(emitter), b_(emitter.b), plan_(plan) {}

  void build() {
    threads_ = b_.CreateZExt(e_.around.ntid[0], b_.getInt64Ty());
    if (!plan_.specialise || (plan_.guards.bounds.empty() && plan_.shapes.assumptions.empty())) {
      build_fast(e_.i64(0), threads_, plan_.specialise);
      return;
    }
    BasicBlock* slow = e_.new_block("slow");
    BasicBlock* done = e_.new_block("row_done");
    find_range(slow, done);
    build_fast(first_, last_, true);
    b_.CreateBr(done);
    b_.SetInsertPoint(slow);
    build_slow();
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }

 private:
  static bool is_signed(const Bound& bound) { return Emitter::is_signed(bound.type); }

  /// Sets [first_, last_) to the threads that pass every bound, or leaves for `slow` or `done`.
  void find_range(BasicBlock* slow, BasicBlock* done) {
    fix_row(e_, plan_.shapes, e_.i32(0));
    Value* holds = b_.getTrue();
    Value* last_thread = b_.CreateSub(threads_, e_.i64(1));
    first_ = e_.i64(0);
    last_ = threads_;
    bool moves_start = false;
    for (const Bound& bound : plan_.guards.bounds) {
      if (bound.moving == nullptr) {
        Value* passes = e_.read(*bound.bound, ptx::Type::pred);
        if (!bound.polarity) passes = b_.CreateNot(passes);
        last_ = e_.select(passes, last_, e_.i64(0));
        continue;
      }
      const analysis::NoWrap assumption{bound.moving->id, is_signed(bound)};
      holds = b_.CreateAnd(holds, does_not_wrap(e_, plan_.shapes, assumption, last_thread));
      moves_start = clamp(bound) || moves_start;
    }
    // A bound that itself rests on an assumption is known only where that holds for the whole row.
    const std::vector<bool> behind = behind_bounds();
    for (const analysis::NoWrap& assumption : plan_.shapes.assumptions) {
      if (behind[assumption.id])
        holds = b_.CreateAnd(holds, does_not_wrap(e_, plan_.shapes, assumption, last_thread));
    }
    BasicBlock* ranged = e_.new_block("ranged");
    BasicBlock* checked = e_.new_block("checked");
    BasicBlock* fast = e_.new_block("fast");
    b_.CreateCondBr(holds, ranged, slow);
    b_.SetInsertPoint(ranged);
    b_.CreateCondBr(b_.CreateICmpULT(first_, last_), checked, done);
    b_.SetInsertPoint(checked);
    if (moves_start) fix_row(e_, plan_.shapes, b_.CreateTrunc(first_, b_.getInt32Ty()));
    row_ = e_.take_fixed();
    Value* further = b_.CreateSub(b_.CreateSub(last_, first_), e_.i64(1));
    Value* steady = b_.getTrue();
    for (const analysis::NoWrap& assumption : plan_.shapes.assumptions) {
      steady = b_.CreateAnd(steady, does_not_wrap(e_, plan_.shapes, assumption, further));
    }
    b_.CreateCondBr(steady, fast, slow);
    b_.SetInsertPoint(fast);
  }

  /// The registers of which the bounds' operands are made.
  std::vector<bool> behind_bounds() const {
    const auto& entry = e_.entry();
    std::vector<bool> wanted(entry.registers.size(), false);
    std::vector<bool> behind(entry.registers.size(), false);
    for (const Bound& bound : plan_.guards.bounds) {
      for (const ptx::Operand* operand : {bound.moving, bound.bound}) {
        if (operand != nullptr && operand->kind == ptx::Operand::Kind::reg) wanted[operand->id] = true;
      }
    }
    // What is computed per row has one definition, before its uses.
    for (std::size_t i = entry.body.size(); i-- > 0;) {
      if (!plan_.shapes.in_row[i]) continue;
      bool leads = false;
      analysis::for_each_write(entry.body[i], [&](ptx::RegisterId id) { leads = leads || wanted[id]; });
      if (!leads) continue;
      analysis::for_each_read(entry.body[i], [&](ptx::RegisterId id) { wanted[id] = behind[id] = true; });
    }
    return behind;
  }

  /// Narrows the range by one bound; true if it may move the start.
  bool clamp(const Bound& bound) {
    Value* start = e_.read(*bound.moving, bound.type);
    Value* limit = e_.read(*bound.bound, bound.type);
    const auto above = [&](Value* x, Value* y) {
      return is_signed(bound) ? b_.CreateICmpSGT(x, y) : b_.CreateICmpUGT(x, y);
    };
    const auto distance = [&](Value* to, Value* from) {
      Value* d = b_.CreateZExt(b_.CreateSub(to, from), b_.getInt64Ty());
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, d, threads_);
    };
    const auto at_most = [&](Value* value) {
      last_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, last_, value);
    };
    const auto at_least = [&](Value* value) {
      first_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, first_, value);
    };
    Value* zero = e_.i64(0);
    Value* one = e_.i64(1);
    const Compare compare = bound.compare;
    if (compare == Compare::lt) at_most(e_.select(above(limit, start), distance(limit, start), zero));
    if (compare == Compare::le || compare == Compare::eq) {
      at_most(e_.select(above(start, limit), zero, b_.CreateAdd(distance(limit, start), one)));
    }
    if (compare == Compare::ge || compare == Compare::eq) {
      at_least(e_.select(above(limit, start), distance(limit, start), zero));
    }
    if (compare == Compare::gt) {
      at_least(e_.select(above(start, limit), zero, b_.CreateAdd(distance(limit, start), one)));
    }
    return compare == Compare::gt || compare == Compare::ge || compare == Compare::eq;
  }

  void emit_thread(const std::vector<bool>& skip, bool decided) {
    BasicBlock* before = b_.GetInsertBlock();
    Body body{plan_.flow, skip};
    if (decided) body.decided = plan_.guards.branches;
    BasicBlock* left = e_.new_block("left");
    body.on_exit = [&] { b_.CreateBr(left); };
    const auto entries = emit_body(e_, body, {0});
    // Only now is it known which registers have slots.
    b_.SetInsertPoint(before);
    e_.clear_slots();
    b_.CreateBr(entries[0]);
    b_.SetInsertPoint(left);
    e_.gather_misaligned();
  }

  void build_fast(Value* first, Value* last, bool stepped) {
    if (row_.empty()) {
      fix_row(e_, plan_.shapes, b_.CreateTrunc(first, b_.getInt32Ty()));
      row_ = e_.take_fixed();
    }
    CountedLoop loop(e_, e_.i64(0), b_.CreateSub(last, first), CountedLoop::Kind::parallel);
    set_thread(e_, b_.CreateAdd(first, loop.index()), e_.around.tid[1], e_.around.tid[2]);
    if (stepped) {
      advance_row(e_, plan_.shapes, row_, loop.index());
    } else {
      fix_row(e_, plan_.shapes, e_.around.tid[0]);
    }
    emit_thread(plan_.shapes.in_row, stepped);
    loop.close();
    e_.clear_fixed();
  }

  void build_slow() {
    CountedLoop loop(e_, e_.i64(0), threads_);
    set_thread(e_, loop.index(), e_.around.tid[1], e_.around.tid[2]);
    fix_row(e_, plan_.shapes, e_.around.tid[0]);
    emit_thread(plan_.shapes.in_row, false);
    loop.close();
    e_.clear_fixed();
  }

  Emitter& e_;
  llvm::IRBuilder<>& b_;
  const KernelPlan& plan_;
  Value* threads_ = nullptr;
  Value* first_ = nullptr;
  Value* last_ = nullptr;
  std::vector<Value*> row_;
};

}  // namespace

void build_block_loop(Emitter& e, const std::function<void()>& block) {
  auto& b = e.b;
  BasicBlock* entry = BasicBlock::Create(e.context(), "entry", e.function());
  BasicBlock* start = e.new_block("start");
  b.SetInsertPoint(entry);
  b.CreateBr(start);
  b.SetInsertPoint(start);
  load_surroundings(e);
  Value* first = e.function()->getArg(2);
  Value* last = e.function()->getArg(3);
  const auto wide = [&](Value* value) { return b.CreateZExt(value, b.getInt64Ty()); };
  Value* width = wide(e.around.nctaid[0]);
  Value* height = wide(e.around.nctaid[1]);
  CountedLoop loop(e, first, last);
  e.around.block_index = loop.index();
  // Blocks are few against threads: their indices may cost a division.
  Value* row = b.CreateUDiv(loop.index(), width);
  Value* x = b.CreateSub(loop.index(), b.CreateMul(row, width));
  Value* z = b.CreateUDiv(row, height);
  Value* y = b.CreateSub(row, b.CreateMul(z, height));
  const auto narrow = [&](Value* value) { return b.CreateTrunc(value, b.getInt32Ty()); };
  e.around.ctaid = {narrow(x), narrow(y), narrow(z)};
  block();
  e.stop_if_misaligned();
  loop.close();
  b.CreateRet(e.i32(0));
}

void build_thread_loops(Emitter& e, const KernelPlan& plan) {
  build_block_loop(e, [&] {
    CountedLoop planes(e, e.i32(0), e.around.ntid[2]);
    CountedLoop rows(e, e.i32(0), e.around.ntid[1]);
    set_thread(e, e.i64(0), rows.index(), planes.index());
    RowBuilder(e, plan).build();
    rows.close();
    planes.close();
  });
}

}  // namespace tare::cpu::codegen
