// A block with barriers: each thread runs from where it stands to the next barrier or its end, and keeps
// what it still needs in a frame. While all threads stand at the same place, a loop of that place's own
// runs them; otherwise each is sent where its state says.
#include <algorithm>

#include "cpu/analysis/liveness.hpp"
#include "cpu/codegen/instructions.hpp"
#include "cpu/codegen/kernel_builder.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::Value;
using ptx::Instruction;

/// Larger kernels get no loops of their own per barrier: code that is reachable from several is copied.
constexpr std::size_t kLargestTightKernel = 4000;

class RegionBuilder {
 public:
  RegionBuilder(Emitter& emitter, const KernelPlan& plan, bool tight)
      : e_(emitter), b_(emitter.b), plan_(plan), tight_(tight) {
    sites_ = find_sites(e_, site_instructions_);
    for (const std::uint32_t instruction : site_instructions_) resume_.push_back(instruction);
    resume_[0] = 0;
    for (std::size_t k = 1; k < resume_.size(); ++k) ++resume_[k];
    live_ = analysis::live_on_entry(e_.entry(), plan.flow);
    lay_out_frame();
    if (tight_ && copied_instructions() > kLargestTightKernel) tight_ = false;
  }

  std::uint64_t bytes_per_thread() const { return frame_bytes_; }

  void build() {
    build_block_loop(e_, [&] { build_block(); });
  }

 private:
  struct FrameSlot {
    ptx::RegisterId id;
    std::uint64_t offset;  // per thread: the array starts at offset * threads
  };

  // ---- the frame ----

  std::size_t site_count() const { return sites_.size(); }

  const analysis::RegisterSet& live_at(std::uint32_t site) const {
    return live_[plan_.flow.block_of[resume_[site]]];
  }

  void lay_out_frame() {
    std::vector<ptx::RegisterId> kept;
    for (ptx::RegisterId id = 0; id < e_.entry().registers.size(); ++id) {
      if (!plan_.shapes.registers[id].is_varying()) continue;
      bool live = false;
      for (std::uint32_t k = 1; k < site_count(); ++k) live = live || live_at(k)[id];
      if (live) kept.push_back(id);
    }
    const auto bytes = [&](ptx::RegisterId id) {
      return std::max<std::uint64_t>(1, ptx::size_of(e_.entry().registers[id].type));
    };
    std::stable_sort(kept.begin(), kept.end(), [&](auto a, auto c) { return bytes(a) > bytes(c); });
    std::uint64_t end = 0;
    bool states_placed = false;
    const auto place_states = [&] {
      states_offset_ = end;
      arguments_offset_ = end + 4;
      end += has_arguments() ? 8 : 4;
      states_placed = true;
    };
    // Widest first, so that every array is aligned.
    for (const ptx::RegisterId id : kept) {
      if (bytes(id) < 4 && !states_placed) place_states();
      slots_.push_back({id, end});
      end += bytes(id);
    }
    if (!states_placed) place_states();
    frame_bytes_ = (end + 15) / 16 * 16;
  }

  bool has_arguments() const {
    return std::any_of(sites_.begin(), sites_.end(),
                       [](const BarrierSite& s) { return s.kind != BarrierSite::block; });
  }

  static bool is_reduction(const BarrierSite& site) { return site.kind >= BarrierSite::count; }

  Value* array(std::uint64_t offset) {
    return b_.CreateGEP(b_.getInt8Ty(), frames_, b_.CreateMul(threads_wide_, e_.i64(offset)));
  }
  Value* place(std::uint64_t offset, llvm::Type* type) {
    const std::uint64_t bytes = type->isIntegerTy(1) ? 1 : width_of(type) / 8;
    return b_.CreateGEP(b_.getInt8Ty(), array(offset),
                        b_.CreateMul(e_.around.thread_in_block_wide, e_.i64(bytes)));
  }
  void store_word(std::uint64_t offset, Value* value) {
    e_.mark(b_.CreateAlignedStore(value, place(offset, b_.getInt32Ty()), llvm::Align(4)));
  }
  Value* load_word(std::uint64_t offset) {
    return e_.mark(b_.CreateAlignedLoad(b_.getInt32Ty(), place(offset, b_.getInt32Ty()), llvm::Align(4)));
  }

  void spill(std::uint32_t site) {
    for (const FrameSlot& slot : slots_) {
      if (!live_at(site)[slot.id]) continue;
      Value* value = e_.read_register(slot.id);
      llvm::Type* type = value->getType();
      if (type->isIntegerTy(1)) value = b_.CreateZExt(value, b_.getInt8Ty());
      e_.mark(b_.CreateAlignedStore(value, place(slot.offset, type), alignment(type)));
    }
  }

  void reload(std::uint32_t site) {
    if (site == 0) return;
    for (const FrameSlot& slot : slots_) {
      if (!live_at(site)[slot.id]) continue;
      llvm::Type* type = e_.type(e_.entry().registers[slot.id].type);
      llvm::Type* stored = type->isIntegerTy(1) ? b_.getInt8Ty() : type;
      Value* value = e_.mark(b_.CreateAlignedLoad(stored, place(slot.offset, type), alignment(type)));
      if (type->isIntegerTy(1)) value = b_.CreateTrunc(value, type);
      b_.CreateStore(value, e_.slot(slot.id));
    }
    if (!is_reduction(sites_[site])) return;
    const Instruction& barrier = e_.entry().body[site_instructions_[site]];
    Value* result = load_word(arguments_offset_);
    const ptx::RegisterId id = barrier.operands[0].id;
    e_.write_register(
        id, e_.entry().registers[id].type == ptx::Type::pred ? b_.CreateICmpNE(result, e_.i32(0)) : result);
  }

  static llvm::Align alignment(llvm::Type* type) {
    return llvm::Align(type->isIntegerTy(1) ? 1 : width_of(type) / 8);
  }

  // ---- one thread ----

  std::uint32_t site_of(std::uint32_t instruction) const {
    for (std::uint32_t k = 1; k < site_instructions_.size(); ++k) {
      if (site_instructions_[k] == instruction) return k;
    }
    return 0;
  }

  /// What the barrier has to know of this thread: a count, a lane mask or a predicate.
  void store_argument(std::uint32_t site) {
    if (!has_arguments()) return;
    const Instruction& barrier = e_.entry().body[site_instructions_[site]];
    const auto& operands = barrier.operands;
    Value* value = e_.i32(0xffffffffu);
    switch (sites_[site].kind) {
      case BarrierSite::counted:
        value = e_.read(operands[1], ptx::Type::u32);
        break;
      case BarrierSite::warp:
        value = e_.read(operands[0], ptx::Type::u32);
        break;
      case BarrierSite::block:
        break;
      default:
        value = b_.CreateZExt(e_.read(operands.back(), ptx::Type::pred), b_.getInt32Ty());
        break;
    }
    store_word(arguments_offset_, value);
  }

  /// Which states threads can be in after running on from `site`: sites, and the end as 0.
  std::vector<std::uint32_t> outcomes(std::uint32_t site) const {
    const std::vector<bool> reached = reachable_blocks(e_.entry(), plan_.flow, resume_[site]);
    std::vector<std::uint32_t> result;
    const auto add = [&](std::uint32_t outcome) {
      if (std::find(result.begin(), result.end(), outcome) == result.end()) result.push_back(outcome);
    };
    for (std::size_t i = 0; i < reached.size(); ++i) {
      if (!reached[i]) continue;
      const analysis::Block& block = plan_.flow.blocks[i];
      if (block.first == block.last) {
        add(0);
        continue;
      }
      const Instruction& last = e_.entry().body[block.last - 1];
      if (analysis::is_barrier(last)) add(site_of(block.last - 1));
      if (last.op == ptx::Op::ret || last.op == ptx::Op::exit) add(0);
    }
    return result;
  }

  std::size_t copied_instructions() const {
    std::size_t count = 0;
    for (std::uint32_t k = 0; k < site_count(); ++k) {
      const std::vector<bool> reached = reachable_blocks(e_.entry(), plan_.flow, resume_[k]);
      for (std::size_t i = 0; i < reached.size(); ++i) {
        if (reached[i]) count += plan_.flow.blocks[i].last - plan_.flow.blocks[i].first;
      }
    }
    return count;
  }

  /// The thread runs from one of `from` on; its next state lands in next_, then it goes to `done`.
  std::vector<BasicBlock*> emit_thread(const std::vector<std::uint32_t>& from, BasicBlock* done) {
    Body body{plan_.flow, plan_.shapes.in_row};
    const auto finish = [&](std::uint32_t state) {
      b_.CreateStore(e_.i32(state), next_);
      b_.CreateBr(done);
    };
    body.on_exit = [&, finish] { finish(kExited); };
    body.on_barrier = [&, finish](std::uint32_t instruction) {
      const std::uint32_t site = site_of(instruction);
      store_argument(site);
      spill(site);
      finish(site | kWaiting);
    };
    std::vector<std::uint32_t> starts;
    for (const std::uint32_t site : from) starts.push_back(resume_[site]);
    return emit_body(e_, body, starts);
  }

  // ---- loops over the threads of a block ----

  void for_each_row(const std::function<void()>& row) {
    CountedLoop planes(e_, e_.i32(0), e_.around.ntid[2]);
    CountedLoop rows(e_, e_.i32(0), e_.around.ntid[1]);
    set_thread(e_, e_.i64(0), rows.index(), planes.index());
    row();
    rows.close();
    planes.close();
  }

  void reset_tally() {
    b_.CreateStore(e_.i32(0), any_);
    b_.CreateStore(e_.i32(0xffffffffu), all_);
  }
  void tally() {
    Value* next = b_.CreateLoad(b_.getInt32Ty(), next_);
    b_.CreateStore(b_.CreateOr(b_.CreateLoad(b_.getInt32Ty(), any_), next), any_);
    b_.CreateStore(b_.CreateAnd(b_.CreateLoad(b_.getInt32Ty(), all_), next), all_);
  }

  /// All threads stand at `site`. One outcome: straight on to it; several: see where they have got to.
  void build_tight(std::uint32_t site) {
    b_.SetInsertPoint(tight_entries_[site]);
    const std::vector<std::uint32_t> next = outcomes(site);
    const bool known = next.size() == 1 && !(next[0] != 0 && is_reduction(sites_[next[0]]));
    reset_tally();
    for_each_row([&] {
      fix_row(e_, plan_.shapes, e_.i32(0));
      const std::vector<Value*> row = e_.take_fixed();
      Value* threads = b_.CreateZExt(e_.around.ntid[0], b_.getInt64Ty());
      CountedLoop loop(e_, e_.i64(0), threads, CountedLoop::Kind::parallel);
      set_thread(e_, loop.index(), e_.around.tid[1], e_.around.tid[2]);
      advance_row(e_, plan_.shapes, row, loop.index());
      BasicBlock* before = b_.GetInsertBlock();
      BasicBlock* after = e_.new_block("arrived");
      const auto entries = emit_thread({site}, after);
      b_.SetInsertPoint(before);
      e_.clear_slots();
      reload(site);
      b_.CreateBr(entries[0]);
      b_.SetInsertPoint(after);
      if (!known) {
        store_word(states_offset_, b_.CreateLoad(b_.getInt32Ty(), next_));
        tally();
      }
      loop.close();
      e_.clear_fixed();
    });
    if (known) {
      b_.CreateBr(next[0] == 0 ? block_done_ : tight_entries_[next[0]]);
    } else {
      b_.CreateBr(settle_);
    }
  }

  /// The threads have stopped, their states stored: all at one place, or not.
  void build_settle() {
    b_.SetInsertPoint(settle_);
    Value* any = b_.CreateLoad(b_.getInt32Ty(), any_);
    Value* all = b_.CreateLoad(b_.getInt32Ty(), all_);
    if (!tight_) {
      b_.CreateBr(release_);
      return;
    }
    BasicBlock* together = e_.new_block("together");
    b_.CreateCondBr(b_.CreateICmpEQ(any, all), together, release_);
    b_.SetInsertPoint(together);
    llvm::SwitchInst* where = b_.CreateSwitch(any, block_done_);
    for (std::uint32_t k = 1; k < site_count(); ++k) {
      if (!is_reduction(sites_[k])) {
        where->addCase(e_.i32(k | kWaiting), tight_entries_[k]);
        continue;
      }
      BasicBlock* reduce = e_.new_block("reduce");
      where->addCase(e_.i32(k | kWaiting), reduce);
      b_.SetInsertPoint(reduce);
      call_release();
      b_.CreateBr(tight_entries_[k]);
    }
  }

  Value* call_release() {
    Value* arguments =
        has_arguments() ? array(arguments_offset_) : llvm::ConstantPointerNull::get(b_.getPtrTy());
    return e_.call_runtime("tare_release_waiting", b_.getInt32Ty(),
                           {array(states_offset_), arguments, threads_, site_table(), culprit_}, false);
  }

  /// Threads stand at different places: those whose barrier is complete go on.
  void build_release() {
    b_.SetInsertPoint(release_);
    llvm::SwitchInst* outcome = b_.CreateSwitch(call_release(), scattered_);
    outcome->addCase(e_.i32(static_cast<std::uint32_t>(Release::finished)), block_done_);
    BasicBlock* stuck = e_.new_block("stuck");
    outcome->addCase(e_.i32(static_cast<std::uint32_t>(Release::stuck)), stuck);
    b_.SetInsertPoint(stuck);
    Value* thread = b_.CreateLoad(b_.getInt32Ty(), culprit_);
    Value* line = b_.CreateLoad(b_.getInt32Ty(), b_.CreateConstGEP1_64(b_.getInt32Ty(), culprit_, 1));
    Value* row = b_.CreateUDiv(thread, e_.around.ntid[0]);
    e_.around.tid = {b_.CreateURem(thread, e_.around.ntid[0]), b_.CreateURem(row, e_.around.ntid[1]),
                     b_.CreateUDiv(row, e_.around.ntid[1])};
    e_.emit_fault(Fault::barrier_never_completes, line);
  }

  /// Every thread that may run is sent to where it stands.
  void build_scattered() {
    b_.SetInsertPoint(scattered_);
    reset_tally();
    for_each_row([&] {
      CountedLoop loop(e_, e_.i64(0), b_.CreateZExt(e_.around.ntid[0], b_.getInt64Ty()),
                       CountedLoop::Kind::scalar);
      set_thread(e_, loop.index(), e_.around.tid[1], e_.around.tid[2]);
      Value* state = load_word(states_offset_);
      b_.CreateStore(state, next_);
      BasicBlock* runs = e_.new_block("runs");
      BasicBlock* after = e_.new_block("arrived");
      b_.CreateCondBr(b_.CreateICmpSLT(state, e_.i32(0)), after, runs);
      b_.SetInsertPoint(runs);
      fix_row(e_, plan_.shapes, e_.around.tid[0]);
      BasicBlock* before = b_.GetInsertBlock();
      std::vector<std::uint32_t> all;
      for (std::uint32_t k = 0; k < site_count(); ++k) all.push_back(k);
      const auto entries = emit_thread(all, after);
      b_.SetInsertPoint(before);
      e_.clear_slots();
      BasicBlock* nowhere = e_.new_block("nowhere");
      llvm::SwitchInst* where = b_.CreateSwitch(state, nowhere);
      for (std::uint32_t k = 0; k < site_count(); ++k) {
        BasicBlock* resume = e_.new_block("resume");
        where->addCase(e_.i32(k), resume);
        b_.SetInsertPoint(resume);
        reload(k);
        b_.CreateBr(entries[k]);
      }
      b_.SetInsertPoint(nowhere);
      b_.CreateUnreachable();
      b_.SetInsertPoint(after);
      store_word(states_offset_, b_.CreateLoad(b_.getInt32Ty(), next_));
      tally();
      loop.close();
      e_.clear_fixed();
    });
    b_.CreateBr(settle_);
  }

  /// Whether no index of the block wraps, so that steps are what the tight loops take them for.
  void build_check(BasicBlock* steady, BasicBlock* otherwise) {
    b_.CreateStore(b_.getTrue(), steady_);
    for_each_row([&] {
      fix_row(e_, plan_.shapes, e_.i32(0));
      Value* last = b_.CreateSub(b_.CreateZExt(e_.around.ntid[0], b_.getInt64Ty()), e_.i64(1));
      Value* holds = b_.CreateLoad(b_.getInt1Ty(), steady_);
      for (const analysis::NoWrap& assumption : plan_.shapes.assumptions) {
        holds = b_.CreateAnd(holds, does_not_wrap(e_, plan_.shapes, assumption, last));
      }
      b_.CreateStore(holds, steady_);
      e_.clear_fixed();
    });
    b_.CreateCondBr(b_.CreateLoad(b_.getInt1Ty(), steady_), steady, otherwise);
  }

  void build_block() {
    threads_ = b_.CreateMul(b_.CreateMul(e_.around.ntid[0], e_.around.ntid[1]), e_.around.ntid[2]);
    threads_wide_ = b_.CreateZExt(threads_, b_.getInt64Ty());
    frames_ = b_.CreateLoad(
        b_.getPtrTy(), b_.CreateConstGEP1_64(b_.getInt8Ty(), e_.around.scratch, offsetof(Scratch, frames)));
    next_ = e_.stack(b_.getInt32Ty(), "next");
    any_ = e_.stack(b_.getInt32Ty(), "any");
    all_ = e_.stack(b_.getInt32Ty(), "all");
    steady_ = e_.stack(b_.getInt1Ty(), "steady");
    culprit_ = e_.stack(llvm::ArrayType::get(b_.getInt32Ty(), 2), "culprit");
    settle_ = e_.new_block("settle");
    release_ = e_.new_block("release");
    scattered_ = e_.new_block("scattered");
    block_done_ = e_.new_block("block_done");
    BasicBlock* from_start = e_.new_block("from_start");
    if (tight_) {
      for (std::uint32_t k = 0; k < site_count(); ++k) tight_entries_.push_back(e_.new_block("together"));
      if (plan_.shapes.assumptions.empty()) {
        b_.CreateBr(tight_entries_[0]);
      } else {
        build_check(tight_entries_[0], from_start);
      }
      for (std::uint32_t k = 0; k < site_count(); ++k) build_tight(k);
    } else {
      b_.CreateBr(from_start);
    }
    b_.SetInsertPoint(from_start);
    b_.CreateMemSet(array(states_offset_), b_.getInt8(0), b_.CreateMul(threads_wide_, e_.i64(4)),
                    llvm::MaybeAlign(4));
    b_.CreateBr(scattered_);
    build_settle();
    build_release();
    build_scattered();
    b_.SetInsertPoint(block_done_);
  }

  Value* site_table() {
    if (table_ != nullptr) return table_;
    std::vector<std::uint32_t> words;
    for (const BarrierSite& site : sites_) words.insert(words.end(), {site.kind, site.id, site.line});
    llvm::Constant* data = llvm::ConstantDataArray::get(e_.context(), words);
    table_ = new llvm::GlobalVariable(*e_.function()->getParent(), data->getType(), true,
                                      llvm::GlobalValue::PrivateLinkage, data, "sites");
    return table_;
  }

  Emitter& e_;
  llvm::IRBuilder<>& b_;
  const KernelPlan& plan_;
  bool tight_;
  std::vector<BarrierSite> sites_;
  std::vector<std::uint32_t> site_instructions_;
  std::vector<std::uint32_t> resume_;
  std::vector<analysis::RegisterSet> live_;
  std::vector<FrameSlot> slots_;
  std::uint64_t states_offset_ = 0, arguments_offset_ = 0, frame_bytes_ = 0;
  Value* threads_ = nullptr;
  Value* threads_wide_ = nullptr;
  Value* frames_ = nullptr;
  llvm::GlobalVariable* table_ = nullptr;
  AllocaInst *next_ = nullptr, *any_ = nullptr, *all_ = nullptr, *steady_ = nullptr, *culprit_ = nullptr;
  std::vector<BasicBlock*> tight_entries_;
  BasicBlock *settle_ = nullptr, *release_ = nullptr, *scattered_ = nullptr, *block_done_ = nullptr;
};

/// The forms that run: bar.sync, barrier.sync (a constant id, any count), bar.red and bar.warp.sync.
bool describe(const Instruction& barrier, BarrierSite& site) {
  const auto& operands = barrier.operands;
  if (has_suffix(barrier, "cluster") || has_suffix(barrier, "arrive") || operands.empty()) return false;
  if (has_suffix(barrier, "warp")) {
    site.kind = BarrierSite::warp;
    return true;
  }
  if (analysis::reduces(barrier)) {
    if (operands.size() != 3 || operands[1].kind != ptx::Operand::Kind::integer) return false;
    site.id = static_cast<std::uint32_t>(operands[1].integer);
    site.kind = has_suffix(barrier, "popc")          ? BarrierSite::count
                : barrier.bool_op == ptx::Bool::and_ ? BarrierSite::all
                                                     : BarrierSite::any;
    return true;
  }
  if (!barrier.has(ptx::Modifier::sync) || operands[0].kind != ptx::Operand::Kind::integer) return false;
  site.id = static_cast<std::uint32_t>(operands[0].integer);
  site.kind = operands.size() > 1 ? BarrierSite::counted : BarrierSite::block;
  return true;
}

}  // namespace

std::vector<BarrierSite> find_sites(Emitter& e, std::vector<std::uint32_t>& instructions) {
  std::vector<BarrierSite> sites(1);
  instructions.assign(1, ptx::kNoId);
  for (std::uint32_t i = 0; i < e.entry().body.size(); ++i) {
    const Instruction& instruction = e.entry().body[i];
    if (!analysis::is_barrier(instruction)) continue;
    BarrierSite site;
    site.line = instruction.line;
    if (!describe(instruction, site) || site.id >= 16) e.refuse(instruction.line, instruction.spelling);
    sites.push_back(site);
    instructions.push_back(i);
  }
  return sites;
}

std::uint64_t build_regions(Emitter& e, const KernelPlan& plan, bool tight) {
  RegionBuilder builder(e, plan, tight);
  builder.build();
  return builder.bytes_per_thread();
}

}  // namespace tare::cpu::codegen
