// A block whose threads wait for each other: each runs from where it stands to the next place where it
// stops or to its end, and keeps what it still needs in a frame. While all threads stand at the same place,
// a loop of that place's own runs them; otherwise each is sent where its state says.
#include <algorithm>

#include "cpu/analysis/liveness.hpp"
#include "cpu/codegen/instructions.hpp"
#include "cpu/codegen/kernel_builder.hpp"
#include "cpu/codegen/sites.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::Value;
using ptx::Instruction;

/// Larger kernels get no loops of their own per site: code that is reachable from several is copied.
constexpr std::size_t kLargestTightKernel = 4000;
/// Nor do kernels with more sites: LLVM's time for a chain of loops grows faster than the chain.
constexpr std::size_t kMostTightSites = 128;

class RegionBuilder {
 public:
  RegionBuilder(Emitter& emitter, const KernelPlan& plan, bool tight)
      : e_(emitter), b_(emitter.b), plan_(plan), tight_(tight) {
    sites_ = find_sites(e_, site_instructions_);
    has_requests_ =
        std::any_of(sites_.begin() + 1, sites_.end(), [&](const SitePlan& s) { return s.has_request; });
    for (const std::uint32_t instruction : site_instructions_) resume_.push_back(instruction);
    resume_[0] = 0;
    for (std::size_t k = 1; k < resume_.size(); ++k) ++resume_[k];
    live_ = analysis::live_on_entry(e_.entry(), plan.flow);
    lay_out_frame();
    if (site_count() > kMostTightSites) tight_ = false;
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
    // Requests come first: they are the most aligned.
    std::uint64_t end = has_requests_ ? sizeof(Request) : 0;
    bool states_placed = false;
    const auto place_states = [&] {
      states_offset_ = end;
      end += 4;
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

  Value* array(std::uint64_t offset) {
    return b_.CreateGEP(b_.getInt8Ty(), frames_, b_.CreateMul(threads_wide_, e_.i64(offset)));
  }
  Value* place(std::uint64_t offset, llvm::Type* type) {
    const std::uint64_t bytes = type->isIntegerTy(1) ? 1 : width_of(type) / 8;
    return b_.CreateGEP(b_.getInt8Ty(), array(offset), b_.CreateMul(thread_, e_.i64(bytes)));
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
    if (has_requests_) take_result(e_, e_.entry().body[site_instructions_[site]], request());
  }

  /// This thread's.
  Value* request() {
    return b_.CreateGEP(b_.getInt8Ty(), frames_, b_.CreateMul(thread_, e_.i64(sizeof(Request))));
  }

  /// The running thread's index for its frame. With requests it is opaque: loops over many sites have more
  /// addresses than LLVM's strength reduction can weigh in reasonable time.
  void begin_thread() {
    thread_ = e_.around.thread_in_block_wide;
    if (has_requests_) thread_ = b_.CreateFreeze(thread_);
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
      if (analysis::stops(last)) add(site_of(block.last - 1));
      if (analysis::ends_thread(last)) add(0);
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
    body.on_stop = [&, finish](std::uint32_t instruction) {
      const std::uint32_t site = site_of(instruction);
      if (has_requests_) give_request(e_, e_.entry().body[instruction], request());
      spill(site);
      finish(site | kWaiting);
    };
    std::vector<std::uint32_t> starts;
    for (const std::uint32_t site : from) starts.push_back(resume_[site]);
    return emit_body(e_, body, starts);
  }

  // ---- loops over the threads of a block ----

  /// The block's extent in one dimension, read anew: were it one value for the loops of all sites, LLVM
  /// would weigh the bound of each against the bounds of all before it, in time that is cubic in the sites.
  Value* bound(unsigned dimension) {
    return b_.CreateLoad(b_.getInt32Ty(),
                         b_.CreateConstGEP1_64(b_.getInt8Ty(), e_.around.context,
                                               offsetof(LaunchContext, block) + 4 * dimension),
                         true);
  }

  void for_each_row(const std::function<void()>& row) {
    CountedLoop planes(e_, e_.i32(0), bound(2));
    CountedLoop rows(e_, e_.i32(0), bound(1));
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
    const bool known = next.size() == 1 && (next[0] == 0 || sites_[next[0]].is_plain);
    reset_tally();
    for_each_row([&] {
      fix_row(e_, plan_.shapes, e_.i32(0));
      const std::vector<Value*> row = e_.take_fixed();
      Value* threads = b_.CreateZExt(bound(0), b_.getInt64Ty());
      CountedLoop loop(e_, e_.i64(0), threads, CountedLoop::Kind::parallel);
      set_thread(e_, loop.index(), e_.around.tid[1], e_.around.tid[2]);
      begin_thread();
      advance_row(e_, plan_.shapes, row, loop.index());
      BasicBlock* before = b_.GetInsertBlock();
      BasicBlock* after = e_.new_block("arrived");
      const auto entries = emit_thread({site}, after);
      b_.SetInsertPoint(before);
      e_.clear_slots();
      reload(site);
      b_.CreateBr(entries[0]);
      b_.SetInsertPoint(after);
      e_.gather_misaligned();
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
    b_.CreateCondBr(b_.CreateAnd(b_.CreateICmpEQ(any, all), is_steady()), together, release_);
    b_.SetInsertPoint(together);
    llvm::SwitchInst* where = b_.CreateSwitch(any, release_);
    for (std::uint32_t k = 1; k < site_count(); ++k) {
      if (sites_[k].is_plain) where->addCase(e_.i32(k | kWaiting), tight_entries_[k]);
    }
  }

  /// Threads stand at different places, or at one where they learn something: those that may go on are
  /// told so.
  void build_release() {
    b_.SetInsertPoint(release_);
    Value* requests = has_requests_ ? frames_ : llvm::ConstantPointerNull::get(b_.getPtrTy());
    Value* released = e_.call_runtime(
        "tare_release_waiting", b_.getInt32Ty(),
        {array(states_offset_), requests, threads_, site_table(), e_.around.scratch, culprit_}, false);
    llvm::SwitchInst* outcome = b_.CreateSwitch(released, scattered_);
    const auto on = [&](Release what, BasicBlock* block) {
      outcome->addCase(e_.i32(static_cast<std::uint32_t>(what)), block);
    };
    on(Release::finished, block_done_);
    BasicBlock* stuck = e_.new_block("stuck");
    on(Release::stuck, stuck);
    if (tight_) {
      BasicBlock* together = e_.new_block("together");
      on(Release::together, together);
      b_.SetInsertPoint(together);
      BasicBlock* tight = e_.new_block("tight");
      b_.CreateCondBr(is_steady(), tight, scattered_);
      b_.SetInsertPoint(tight);
      Value* state = b_.CreateAlignedLoad(b_.getInt32Ty(), array(states_offset_), llvm::Align(4));
      llvm::SwitchInst* where = b_.CreateSwitch(state, scattered_);
      for (std::uint32_t k = 1; k < site_count(); ++k) where->addCase(e_.i32(k), tight_entries_[k]);
    }
    if (has_yields()) {
      BasicBlock* yielded = e_.new_block("yielded");
      on(Release::yielded, yielded);
      b_.SetInsertPoint(yielded);
      e_.stop_if_misaligned();
      b_.CreateStore(e_.around.block_index, scratch_field(offsetof(Scratch, stopped_block)));
      b_.CreateStore(e_.i32(1), scratch_field(offsetof(Scratch, resume)));
      b_.CreateRet(e_.i32(static_cast<std::uint32_t>(Fault::yielded)));
    }
    b_.SetInsertPoint(stuck);
    Value* thread = b_.CreateLoad(b_.getInt32Ty(), culprit_);
    Value* line = b_.CreateLoad(b_.getInt32Ty(), b_.CreateConstGEP1_64(b_.getInt32Ty(), culprit_, 1));
    Value* row = b_.CreateUDiv(thread, e_.around.ntid[0]);
    e_.around.tid = {b_.CreateURem(thread, e_.around.ntid[0]), b_.CreateURem(row, e_.around.ntid[1]),
                     b_.CreateUDiv(row, e_.around.ntid[1])};
    e_.emit_fault(Fault::barrier_never_completes, line);
  }

  bool has_yields() const {
    return std::any_of(sites_.begin() + 1, sites_.end(),
                       [](const SitePlan& s) { return s.site.kind == Site::yield; });
  }

  Value* scratch_field(std::size_t offset) {
    return b_.CreateConstGEP1_64(b_.getInt8Ty(), e_.around.scratch, offset);
  }

  /// Every thread that may run is sent to where it stands.
  void build_scattered() {
    b_.SetInsertPoint(scattered_);
    reset_tally();
    for_each_row([&] {
      CountedLoop loop(e_, e_.i64(0), b_.CreateZExt(e_.around.ntid[0], b_.getInt64Ty()),
                       CountedLoop::Kind::scalar);
      set_thread(e_, loop.index(), e_.around.tid[1], e_.around.tid[2]);
      begin_thread();
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
      e_.gather_misaligned();
      store_word(states_offset_, b_.CreateLoad(b_.getInt32Ty(), next_));
      tally();
      loop.close();
      e_.clear_fixed();
    });
    b_.CreateBr(settle_);
  }

  /// Whether build_check() found that the tight loops may be entered; not so in a block that was resumed.
  Value* is_steady() { return b_.CreateLoad(b_.getInt1Ty(), steady_); }

  /// Whether no index of the block wraps, so that steps are what the tight loops take them for.
  void build_check(BasicBlock* steady, BasicBlock* otherwise) {
    b_.CreateStore(b_.getTrue(), steady_);
    for_each_row([&] {
      fix_row(e_, plan_.shapes, e_.i32(0));
      Value* last = b_.CreateSub(b_.CreateZExt(e_.around.ntid[0], b_.getInt64Ty()), e_.i64(1));
      Value* holds = is_steady();
      for (const analysis::NoWrap& assumption : plan_.shapes.assumptions) {
        holds = b_.CreateAnd(holds, does_not_wrap(e_, plan_.shapes, assumption, last));
      }
      b_.CreateStore(holds, steady_);
      e_.clear_fixed();
    });
    b_.CreateCondBr(is_steady(), steady, otherwise);
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
    b_.CreateStore(b_.getInt1(plan_.shapes.assumptions.empty()), steady_);
    culprit_ = e_.stack(llvm::ArrayType::get(b_.getInt32Ty(), 2), "culprit");
    settle_ = e_.new_block("settle");
    release_ = e_.new_block("release");
    scattered_ = e_.new_block("scattered");
    block_done_ = e_.new_block("block_done");
    BasicBlock* from_start = e_.new_block("from_start");
    if (has_yields()) {
      BasicBlock* resumed = e_.new_block("resumed");
      BasicBlock* anew = e_.new_block("anew");
      Value* resume = b_.CreateLoad(b_.getInt32Ty(), scratch_field(offsetof(Scratch, resume)));
      b_.CreateCondBr(b_.CreateICmpNE(resume, e_.i32(0)), resumed, anew);
      b_.SetInsertPoint(resumed);
      b_.CreateStore(e_.i32(0), scratch_field(offsetof(Scratch, resume)));
      b_.CreateBr(scattered_);
      b_.SetInsertPoint(anew);
    }
    if (std::any_of(e_.entry().body.begin(), e_.entry().body.end(), analysis::is_arrival)) {
      b_.CreateMemSet(scratch_field(offsetof(Scratch, arrived)), b_.getInt8(0), sizeof(Scratch::arrived),
                      llvm::MaybeAlign(4));
    }
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
    for (const SitePlan& plan : sites_) words.insert(words.end(), {plan.site.kind, plan.site.line});
    llvm::Constant* data = llvm::ConstantDataArray::get(e_.context(), words);
    table_ = new llvm::GlobalVariable(*e_.function()->getParent(), data->getType(), true,
                                      llvm::GlobalValue::PrivateLinkage, data, "sites");
    return table_;
  }

  Emitter& e_;
  llvm::IRBuilder<>& b_;
  const KernelPlan& plan_;
  bool tight_;
  std::vector<SitePlan> sites_;
  bool has_requests_ = false;
  std::vector<std::uint32_t> site_instructions_;
  std::vector<std::uint32_t> resume_;
  std::vector<analysis::RegisterSet> live_;
  std::vector<FrameSlot> slots_;
  std::uint64_t states_offset_ = 0, frame_bytes_ = 0;
  Value* threads_ = nullptr;
  Value* thread_ = nullptr;  // i64
  Value* threads_wide_ = nullptr;
  Value* frames_ = nullptr;
  llvm::GlobalVariable* table_ = nullptr;
  AllocaInst *next_ = nullptr, *any_ = nullptr, *all_ = nullptr, *steady_ = nullptr, *culprit_ = nullptr;
  std::vector<BasicBlock*> tight_entries_;
  BasicBlock *settle_ = nullptr, *release_ = nullptr, *scattered_ = nullptr, *block_done_ = nullptr;
};

}  // namespace

std::uint64_t build_regions(Emitter& e, const KernelPlan& plan, bool tight) {
  RegionBuilder builder(e, plan, tight);
  builder.build();
  return builder.bytes_per_thread();
}

}  // namespace tare::cpu::codegen
