// Natural loops from the backward edges of the text, and within each the registers that hold what came
// from memory: a branch on one of them may be the end of a wait.
#include "cpu/analysis/spin.hpp"

#include <algorithm>
#include <set>

#include "cpu/analysis/flow.hpp"
#include "cpu/analysis/insert.hpp"

namespace tare::cpu::analysis {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Op;
using Loop = std::set<std::uint32_t>;  // block indices

/// The blocks from which `latch` is reached without passing `head`.
Loop loop_of(const std::vector<std::vector<std::uint32_t>>& predecessors, std::uint32_t head,
             std::uint32_t latch) {
  Loop loop{head};
  std::vector<std::uint32_t> open{latch};
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    if (!loop.insert(block).second) continue;
    open.insert(open.end(), predecessors[block].begin(), predecessors[block].end());
  }
  return loop;
}

bool reads_memory(const Instruction& instruction, bool is_weak_enough) {
  if (instruction.op == Op::atom) return true;
  if (instruction.op != Op::ld || instruction.space == ptx::Space::param ||
      instruction.space == ptx::Space::constant || instruction.space == ptx::Space::local) {
    return false;
  }
  return is_weak_enough || instruction.has(ptx::Modifier::volatile_) || has_suffix(instruction, "relaxed") ||
         has_suffix(instruction, "acquire") || has_suffix(instruction, "mmio") ||
         has_suffix(instruction, "cv");
}

bool waits(const Function& function, const Flow& flow, const Loop& loop) {
  std::vector<const Instruction*> body;
  for (const std::uint32_t block : loop) {
    for (std::uint32_t i = flow.blocks[block].first; i < flow.blocks[block].last; ++i)
      body.push_back(&function.body[i]);
  }
  const bool has_fence = std::any_of(body.begin(), body.end(), [](const Instruction* i) {
    return i->op == Op::membar || i->op == Op::fence || i->op == Op::nanosleep;
  });
  std::vector<bool> foreign(function.registers.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction* instruction : body) {
      bool is_foreign = reads_memory(*instruction, has_fence);
      for_each_read(*instruction, [&](ptx::RegisterId id) { is_foreign = is_foreign || foreign[id]; });
      if (!is_foreign) continue;
      for_each_write(*instruction, [&](ptx::RegisterId id) {
        changed = changed || !foreign[id];
        foreign[id] = true;
      });
    }
  }
  return std::any_of(body.begin(), body.end(), [&](const Instruction* i) -> bool {
    if (i->op == Op::brx) return foreign[i->operands[0].id];
    return (i->op == Op::bra || ends_thread(*i)) && i->predicate != ptx::kNoId && foreign[i->predicate];
  });
}

/// Heads of the loops that wait, as instruction indices, and which instructions are in one.
struct WaitingLoops {
  std::set<std::uint32_t> heads;
  std::vector<bool> inside;
};

WaitingLoops find_waiting_loops(const Function& function) {
  WaitingLoops found{{}, std::vector<bool>(function.body.size(), false)};
  const bool has_any = std::any_of(function.body.begin(), function.body.end(),
                                   [](const Instruction& i) { return reads_memory(i, true); });
  if (!has_any) return found;
  const Flow flow = build_flow(function);
  std::vector<std::vector<std::uint32_t>> predecessors(flow.blocks.size());
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    for (const std::uint32_t successor : flow.blocks[b].successors) predecessors[successor].push_back(b);
  }
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    for (const std::uint32_t head : flow.blocks[b].successors) {
      if (head > b) continue;
      const Loop loop = loop_of(predecessors, head, b);
      if (!waits(function, flow, loop)) continue;
      found.heads.insert(flow.blocks[head].first);
      for (const std::uint32_t block : loop) {
        for (std::uint32_t i = flow.blocks[block].first; i < flow.blocks[block].last; ++i)
          found.inside[i] = true;
      }
    }
  }
  return found;
}

}  // namespace

std::vector<bool> inside_waiting_loops(const Function& function) {
  return find_waiting_loops(function).inside;
}

void insert_yields(Function& function) {
  std::map<std::uint32_t, Instruction> yields;
  for (const std::uint32_t place : find_waiting_loops(function).heads) {
    Instruction yield;
    yield.op = Op::yield_;
    yield.spelling = "waiting loop";
    yield.line = function.body[place].line;
    yields.emplace(place, std::move(yield));
  }
  insert_before(function, std::move(yields));
}

}  // namespace tare::cpu::analysis
