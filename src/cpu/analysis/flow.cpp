// Basic blocks and register accesses of a PTX body, straight from the operand lists: the destination
// comes first, and the few instructions without one are named here.
#include "cpu/analysis/flow.hpp"

#include <algorithm>

namespace tare::cpu::analysis {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;

bool is_branch(Op op) {
  return op == Op::bra || op == Op::brx;
}

bool ends_block(const Instruction& instruction) {
  return is_branch(instruction.op) || ends_thread(instruction) || stops(instruction);
}

void visit_registers(const Operand& operand, const RegisterVisitor& visit) {
  switch (operand.kind) {
    case Operand::Kind::reg:
      visit(operand.id);
      break;
    case Operand::Kind::address:
      if (operand.id != ptx::kNoId) visit(operand.id);
      break;
    case Operand::Kind::vector:
    case Operand::Kind::list:
      for (const Operand& element : operand.elements) visit_registers(element, visit);
      break;
    default:
      break;
  }
}

void add_targets(const ptx::Function& function, const Operand& operand, std::vector<std::uint32_t>& targets) {
  if (operand.kind == Operand::Kind::label) targets.push_back(function.labels[operand.id].target);
  for (const Operand& element : operand.elements) add_targets(function, element, targets);
}

}  // namespace

bool has_suffix(const Instruction& instruction, const char* suffix) {
  return std::find(instruction.rest.begin(), instruction.rest.end(), suffix) != instruction.rest.end();
}

bool is_arrival(const Instruction& instruction) {
  return (instruction.op == Op::bar || instruction.op == Op::barrier) && has_suffix(instruction, "arrive") &&
         !has_suffix(instruction, "cluster");
}

bool stops(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::bar:
    case Op::barrier:
      return !is_arrival(instruction);
    case Op::activemask:
    case Op::elect:
    case Op::match:
    case Op::redux:
    case Op::shfl:
    case Op::vote:
    case Op::yield_:
      return true;
    default:
      return false;
  }
}

bool may_pass(const Instruction& instruction) {
  return instruction.op == Op::yield_ || instruction.predicate != ptx::kNoId;
}

bool ends_thread(const Instruction& instruction) {
  return instruction.op == Op::exit || instruction.op == Op::ret || instruction.op == Op::trap ||
         instruction.op == Op::brkpt;
}

bool reduces(const Instruction& instruction) {
  return (instruction.op == Op::bar || instruction.op == Op::barrier) && has_suffix(instruction, "red");
}

bool has_effects(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::bra:
    case Op::brx:
    case Op::exit:
    case Op::ret:
      return false;
    case Op::atom:
    case Op::call:
      return true;
    default:
      return instruction.destination_count == 0 || instruction.has(ptx::Modifier::volatile_) ||
             stops(instruction);
  }
}

std::size_t destinations(const Instruction& instruction) {
  if (instruction.op == Op::call) return 1;  // the list of returns
  return reduces(instruction) ? 1 : instruction.destination_count;
}

void for_each_write(const Instruction& instruction, const RegisterVisitor& visit) {
  const std::size_t count = std::min(destinations(instruction), instruction.operands.size());
  for (std::size_t i = 0; i < count; ++i) visit_registers(instruction.operands[i], visit);
}

void for_each_read(const Instruction& instruction, const RegisterVisitor& visit) {
  if (instruction.predicate != ptx::kNoId) visit(instruction.predicate);
  for (std::size_t i = destinations(instruction); i < instruction.operands.size(); ++i) {
    visit_registers(instruction.operands[i], visit);
  }
}

Flow build_flow(const ptx::Function& function) {
  const auto count = static_cast<std::uint32_t>(function.body.size());
  std::vector<bool> leads(count + 1, false);
  leads[0] = true;
  leads[count] = true;
  for (const ptx::Label& label : function.labels) leads[std::min(label.target, count)] = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (ends_block(function.body[i])) leads[i + 1] = true;
  }
  Flow flow;
  flow.block_of.resize(count + 1);
  for (std::uint32_t i = 0; i <= count; ++i) {
    if (leads[i]) {
      if (!flow.blocks.empty()) flow.blocks.back().last = i;
      flow.blocks.push_back({i, i, {}});
    }
    flow.block_of[i] = static_cast<std::uint32_t>(flow.blocks.size() - 1);
  }
  flow.blocks.back().last = count;
  for (Block& block : flow.blocks) {
    if (block.first == count) continue;
    const Instruction& last = function.body[block.last - 1];
    std::vector<std::uint32_t> targets;
    const bool conditional = last.predicate != ptx::kNoId;
    if (is_branch(last.op)) {
      for (const Operand& operand : last.operands) add_targets(function, operand, targets);
      if (conditional) targets.push_back(block.last);
    } else if (!ends_thread(last) || conditional) {
      targets.push_back(block.last);
    }
    for (const std::uint32_t target : targets) {
      const std::uint32_t successor = flow.block_of[std::min(target, count)];
      if (std::find(block.successors.begin(), block.successors.end(), successor) == block.successors.end()) {
        block.successors.push_back(successor);
      }
    }
  }
  return flow;
}

}  // namespace tare::cpu::analysis
