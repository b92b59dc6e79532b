// Loops are emitted already rotated, with everything that does not change before them: what the
// vectoriser wants to find.
#include "cpu/codegen/loops.hpp"

#include <llvm/IR/Intrinsics.h>

#include "cpu/codegen/instructions.hpp"

namespace tare::cpu::codegen {

using llvm::BasicBlock;
using llvm::MDNode;
using llvm::Metadata;
using llvm::Value;

namespace {

/// Two vectors at a time: as many elements as a row of a 16 x 16 block has, with eight to a vector.
constexpr std::uint32_t kInterleave = 2;

MDNode* integer_hint(llvm::LLVMContext& context, const char* name, std::uint32_t value) {
  llvm::Type* word = llvm::Type::getInt32Ty(context);
  return MDNode::get(context, {llvm::MDString::get(context, name),
                               llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(word, value))});
}

MDNode* boolean_hint(llvm::LLVMContext& context, const char* name, bool value) {
  return MDNode::get(context, {llvm::MDString::get(context, name),
                               llvm::ConstantAsMetadata::get(llvm::ConstantInt::getBool(context, value))});
}

MDNode* loop_metadata(llvm::LLVMContext& context, std::initializer_list<Metadata*> hints) {
  llvm::SmallVector<Metadata*, 4> operands{nullptr};
  operands.append(hints);
  MDNode* node = MDNode::getDistinct(context, operands);
  node->replaceOperandWith(0, node);
  return node;
}

}  // namespace

void forbid_vectors(llvm::BranchInst* back) {
  llvm::LLVMContext& context = back->getContext();
  MDNode* off = boolean_hint(context, "llvm.loop.vectorize.enable", false);
  back->setMetadata(llvm::LLVMContext::MD_loop, loop_metadata(context, {off}));
}

CountedLoop::CountedLoop(Emitter& e, Value* first, Value* last, Kind kind) : e_(e), kind_(kind), last_(last) {
  BasicBlock* before = e.b.GetInsertBlock();
  head_ = e.new_block("loop");
  latch_ = e.new_block("latch");
  after_ = e.new_block("after");
  e.b.CreateCondBr(e.b.CreateICmpULT(first, last), head_, after_);
  e.b.SetInsertPoint(head_);
  index_ = e.b.CreatePHI(first->getType(), 2);
  index_->addIncoming(first, before);
  if (kind_ == Kind::parallel) {
    group_ = MDNode::getDistinct(e.context(), {});
    e.set_access_group(group_);
  }
}

void CountedLoop::close() {
  auto& b = e_.b;
  if (b.GetInsertBlock()->getTerminator() == nullptr) b.CreateBr(latch_);
  b.SetInsertPoint(latch_);
  Value* next = b.CreateAdd(index_, e_.constant_like(index_, 1), "", true, true);
  index_->addIncoming(next, latch_);
  llvm::BranchInst* back = b.CreateCondBr(b.CreateICmpULT(next, last_), head_, after_);
  llvm::LLVMContext& context = e_.context();
  if (kind_ == Kind::parallel) {
    MDNode* parallel =
        MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.parallel_accesses"), group_});
    MDNode* interleave = integer_hint(context, "llvm.loop.interleave.count", kInterleave);
    back->setMetadata(llvm::LLVMContext::MD_loop, loop_metadata(context, {parallel, interleave}));
    e_.set_access_group(nullptr);
  } else {
    forbid_vectors(back);
  }
  b.SetInsertPoint(after_);
}

void load_surroundings(Emitter& e) {
  auto& b = e.b;
  Surroundings& a = e.around;
  a.context = e.function()->getArg(0);
  a.scratch = e.function()->getArg(1);
  MDNode* none = MDNode::get(e.context(), {});
  const auto load = [&](Value* from, std::size_t offset, llvm::Type* type) {
    llvm::LoadInst* value = b.CreateLoad(type, b.CreateConstGEP1_64(b.getInt8Ty(), from, offset));
    value->setMetadata(llvm::LLVMContext::MD_invariant_load, none);
    return value;
  };
  llvm::Type* pointer = b.getPtrTy();
  llvm::Type* word = b.getInt32Ty();
  llvm::Type* address = b.getInt64Ty();
  a.base = load(a.context, offsetof(LaunchContext, base), pointer);
  a.params = load(a.context, offsetof(LaunchContext, params), pointer);
  a.params_address = load(a.context, offsetof(LaunchContext, params), address);
  a.globals_address = load(a.context, offsetof(LaunchContext, globals), address);
  a.constants_address = load(a.context, offsetof(LaunchContext, constants), address);
  a.dynamic_shared_bytes = load(a.context, offsetof(LaunchContext, dynamic_shared_bytes), word);
  a.workspace_address = load(a.context, offsetof(LaunchContext, grid_workspace), address);
  a.stack_bytes = load(a.context, offsetof(LaunchContext, stack_bytes), address);
  a.grid_id = load(a.context, offsetof(LaunchContext, grid_id), word);
  a.workers = load(a.context, offsetof(LaunchContext, workers), word);
  a.resident_warps = load(a.context, offsetof(LaunchContext, resident_warps), word);
  a.shared_unit = load(a.context, offsetof(LaunchContext, shared_unit), word);
  for (std::size_t i = 0; i < 3; ++i) {
    a.nctaid[i] = load(a.context, offsetof(LaunchContext, grid) + 4 * i, word);
    a.ntid[i] = load(a.context, offsetof(LaunchContext, block) + 4 * i, word);
  }
  a.shared = load(a.scratch, offsetof(Scratch, shared), pointer);
  a.shared_address = load(a.scratch, offsetof(Scratch, shared), address);
  a.local = load(a.scratch, offsetof(Scratch, local), pointer);
  a.worker = load(a.scratch, offsetof(Scratch, worker), word);
}

void set_thread(Emitter& e, Value* x, Value* y, Value* z) {
  auto& b = e.b;
  Surroundings& a = e.around;
  a.tid = {b.CreateTrunc(x, b.getInt32Ty()), y, z};
  Value* row = b.CreateMul(b.CreateAdd(b.CreateMul(z, a.ntid[1]), y), a.ntid[0]);
  a.thread_in_block_wide = b.CreateAdd(b.CreateZExt(row, b.getInt64Ty()), x);
  a.thread_in_block = b.CreateTrunc(a.thread_in_block_wide, b.getInt32Ty());
  const std::uint64_t local_bytes = e.layout().local_bytes_per_thread;
  a.local_bytes = e.i64(local_bytes);
  if (local_bytes == 0 && !e.layout().has_stack) {
    a.local_address = e.i64(0);
    return;
  }
  llvm::Value* pointer =
      b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_64(b.getInt8Ty(), a.scratch, offsetof(Scratch, local)));
  llvm::cast<llvm::LoadInst>(pointer)->setMetadata(llvm::LLVMContext::MD_invariant_load,
                                                   MDNode::get(e.context(), {}));
  if (e.layout().has_stack) a.local_bytes = b.CreateAdd(a.local_bytes, a.stack_bytes);
  Value* offset = b.CreateMul(a.thread_in_block_wide, a.local_bytes);
  a.local = b.CreateGEP(b.getInt8Ty(), pointer, offset);
  a.local_address = b.CreatePtrToInt(a.local, b.getInt64Ty());
}

void fix_row(Emitter& e, const analysis::Shapes& shapes, Value* tid_x) {
  Value* before = e.around.tid[0];
  e.around.tid[0] = tid_x;
  e.set_writes_fix(true);
  e.clear_fixed();
  for (std::size_t i = 0; i < shapes.in_row.size(); ++i) {
    if (shapes.in_row[i]) emit_instruction(e, e.entry().body[i]);
  }
  e.set_writes_fix(false);
  e.around.tid[0] = before;
}

void advance_row(Emitter& e, const analysis::Shapes& shapes, const std::vector<Value*>& first, Value* index) {
  e.restore_fixed(first);
  for (ptx::RegisterId id = 0; id < first.size(); ++id) {
    if (first[id] == nullptr || !shapes.registers[id].is_affine()) continue;
    llvm::Type* type = first[id]->getType();
    Value* distance = e.b.CreateMul(
        e.b.CreateZExtOrTrunc(index, type),
        llvm::ConstantInt::get(type, static_cast<std::uint64_t>(shapes.registers[id].step), true));
    e.fix(id, e.b.CreateAdd(first[id], distance));
  }
  for (const analysis::NoWrap& assumption : shapes.assumptions) {
    Value* start = first[assumption.id];
    if (!assumption.is_signed || assumption.keeps_sign || width_of(start->getType()) != 32) continue;
    const auto step = static_cast<std::uint64_t>(shapes.registers[assumption.id].step);
    Value* wide = e.b.CreateSExt(start, e.b.getInt64Ty());
    e.fix_extended(assumption.id, e.b.CreateAdd(wide, e.b.CreateMul(index, e.i64(step))));
  }
}

Value* does_not_wrap(Emitter& e, const analysis::Shapes& shapes, const analysis::NoWrap& assumption,
                     Value* last) {
  auto& b = e.b;
  Value* start = e.fixed(assumption.id);
  const auto step = static_cast<std::uint64_t>(shapes.registers[assumption.id].step);
  if (assumption.keeps_sign) {
    // The whole row is too short to come round to the same sign again.
    llvm::Type* type = start->getType();
    Value* end =
        b.CreateAdd(start, b.CreateMul(b.CreateZExtOrTrunc(last, type),
                                       llvm::ConstantInt::get(type, static_cast<std::uint64_t>(step), true)));
    return b.CreateICmpSGE(b.CreateXor(start, end), llvm::ConstantInt::get(type, 0));
  }
  if (start->getType()->isIntegerTy(64)) {
    // Blocks are small, so only the first and the last value can be on different sides of the wrap.
    Value* end = b.CreateAdd(start, b.CreateMul(last, e.i64(step)));
    return assumption.is_signed ? b.CreateICmpSGE(end, start) : b.CreateICmpUGE(end, start);
  }
  llvm::Type* word = start->getType();
  Value* wide =
      assumption.is_signed ? b.CreateSExt(start, b.getInt64Ty()) : b.CreateZExt(start, b.getInt64Ty());
  Value* end = b.CreateAdd(wide, b.CreateMul(last, e.i64(step)));
  Value* cut = b.CreateTrunc(end, word);
  Value* again = assumption.is_signed ? b.CreateSExt(cut, b.getInt64Ty()) : b.CreateZExt(cut, b.getInt64Ty());
  return b.CreateICmpEQ(again, end);
}

}  // namespace tare::cpu::codegen
