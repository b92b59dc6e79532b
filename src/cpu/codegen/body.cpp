// Branches, returns, traps and predicates: the control flow of one thread.
#include "cpu/codegen/body.hpp"

#include "cpu/analysis/call_stack.hpp"
#include "cpu/codegen/instructions.hpp"
#include "cpu/codegen/loops.hpp"

namespace tare::cpu::codegen {
namespace {

using analysis::Block;
using analysis::Flow;
using llvm::BasicBlock;
using llvm::Value;
using ptx::Instruction;
using ptx::Op;

/// Rounds of a waiting loop after which a thread lets others run: many enough that a short contest is
/// settled without stopping.
constexpr std::uint32_t kPatience = 64;

class Walk {
 public:
  Walk(Emitter& emitter, const Body& body)
      : e_(emitter), body_(body), blocks_(body.flow.blocks.size(), nullptr) {}

  std::vector<BasicBlock*> run(const std::vector<std::uint32_t>& starts) {
    std::vector<bool> reached(blocks_.size(), false);
    for (const std::uint32_t start : starts) {
      const std::vector<bool> more = reachable_blocks(e_.entry(), body_.flow, start);
      for (std::size_t i = 0; i < more.size(); ++i) reached[i] = reached[i] || more[i];
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      if (reached[i]) blocks_[i] = e_.new_block("b");
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      if (reached[i]) emit_block(static_cast<std::uint32_t>(i));
    }
    std::vector<BasicBlock*> entries;
    for (const std::uint32_t start : starts) entries.push_back(blocks_[body_.flow.block_of[start]]);
    return entries;
  }

 private:
  BasicBlock* at(std::uint32_t instruction) { return blocks_[body_.flow.block_of[instruction]]; }

  void emit_block(std::uint32_t index) {
    const Block& block = body_.flow.blocks[index];
    e_.b.SetInsertPoint(blocks_[index]);
    const auto end = static_cast<std::uint32_t>(e_.entry().body.size());
    if (block.first == end) {
      body_.on_exit();
      return;
    }
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      if (!body_.skip[i]) emit(i);
    }
    if (e_.b.GetInsertBlock()->getTerminator() == nullptr) e_.b.CreateBr(at(block.last));
  }

  void emit(std::uint32_t index) {
    const Instruction& instruction = e_.entry().body[index];
    if (ends_path(instruction)) {
      emit_transfer(index);
    } else if (instruction.predicate == ptx::kNoId) {
      emit_instruction(e_, instruction);
    } else if (is_selectable(instruction)) {
      e_.set_predicate(e_.read_predicate(instruction.predicate, instruction.predicate_negated));
      emit_instruction(e_, instruction);
      e_.set_predicate(nullptr);
    } else {
      BasicBlock* then = e_.new_block("then");
      BasicBlock* next = e_.new_block("next");
      e_.b.CreateCondBr(e_.read_predicate(instruction.predicate, instruction.predicate_negated), then, next);
      e_.b.SetInsertPoint(then);
      emit_instruction(e_, instruction);
      e_.b.CreateBr(next);
      e_.b.SetInsertPoint(next);
    }
  }

  static bool ends_path(const Instruction& instruction) {
    return instruction.op == Op::bra || instruction.op == Op::brx || analysis::ends_thread(instruction) ||
           analysis::stops(instruction);
  }

  /// The last instruction of a block: goes elsewhere, or on if its predicate is false.
  void emit_transfer(std::uint32_t index) {
    const Instruction& instruction = e_.entry().body[index];
    for (const auto& decided : body_.decided) {
      if (decided.instruction != index) continue;
      if (decided.taken) emit_jump(index);
      return;
    }
    if (instruction.op == Op::yield_) {
      emit_yield(index);
      return;
    }
    if (instruction.predicate == ptx::kNoId) {
      emit_jump(index);
      return;
    }
    Value* taken = e_.read_predicate(instruction.predicate, instruction.predicate_negated);
    if (instruction.op == Op::bra) {
      mark_loop(e_.b.CreateCondBr(taken, target(instruction.operands[0]), at(index + 1)), index);
      return;
    }
    BasicBlock* leave = e_.new_block("leave");
    e_.b.CreateCondBr(taken, leave, at(index + 1));
    e_.b.SetInsertPoint(leave);
    emit_jump(index);
  }

  /// The thread goes on for as many rounds of the loop as its patience lasts.
  void emit_yield(std::uint32_t index) {
    auto& b = e_.b;
    llvm::AllocaInst* rounds = e_.rounds();
    Value* next = b.CreateAdd(b.CreateLoad(b.getInt32Ty(), rounds), e_.i32(1));
    b.CreateStore(next, rounds);
    BasicBlock* leave = e_.new_block("leave");
    b.CreateCondBr(b.CreateICmpUGE(next, e_.i32(kPatience)), leave, at(index + 1));
    b.SetInsertPoint(leave);
    body_.on_stop(index);
  }

  /// A thread's own loop stays as it is: vectors are for threads.
  void mark_loop(llvm::BranchInst* branch, std::uint32_t index) {
    const ptx::Operand& label = e_.entry().body[index].operands[0];
    if (e_.entry().labels[label.id].target <= index) forbid_vectors(branch);
  }

  BasicBlock* target(const ptx::Operand& label) { return at(e_.entry().labels[label.id].target); }

  void emit_jump(std::uint32_t index) {
    const Instruction& instruction = e_.entry().body[index];
    switch (instruction.op) {
      case Op::bra:
        mark_loop(e_.b.CreateBr(target(instruction.operands[0])), index);
        break;
      case Op::brx: {
        const auto& labels = instruction.operands[1].elements;
        Value* choice = e_.read(instruction.operands[0], ptx::Type::u32);
        llvm::SwitchInst* jump = e_.b.CreateSwitch(choice, target(labels.back()));
        for (std::uint32_t k = 0; k + 1 < labels.size(); ++k) jump->addCase(e_.i32(k), target(labels[k]));
        break;
      }
      case Op::brkpt:
      case Op::trap:
        e_.emit_fault(instruction.spelling == analysis::kStackOverflow ? Fault::stack_overflow : Fault::trap,
                      e_.i32(instruction.line));
        break;
      case Op::exit:
      case Op::ret:
        body_.on_exit();
        break;
      default:
        body_.on_stop(index);
        break;
    }
  }

  Emitter& e_;
  const Body& body_;
  std::vector<BasicBlock*> blocks_;
};

}  // namespace

std::vector<bool> reachable_blocks(const ptx::Function& function, const Flow& flow, std::uint32_t start) {
  std::vector<bool> reached(flow.blocks.size(), false);
  std::vector<std::uint32_t> open{flow.block_of[start]};
  while (!open.empty()) {
    const std::uint32_t index = open.back();
    open.pop_back();
    if (reached[index]) continue;
    reached[index] = true;
    const Block& block = flow.blocks[index];
    if (block.first == block.last) continue;
    const Instruction& last = function.body[block.last - 1];
    if (analysis::stops(last) && !analysis::may_pass(last)) continue;
    open.insert(open.end(), block.successors.begin(), block.successors.end());
  }
  return reached;
}

std::vector<BasicBlock*> emit_body(Emitter& e, const Body& body, const std::vector<std::uint32_t>& starts) {
  return Walk(e, body).run(starts);
}

}  // namespace tare::cpu::codegen
