#include "frontend/jit/program.hpp"

#include <algorithm>

namespace tare::detail {

bool has_effect(const TracedProgram& program, const TracedNode& node) {
  const bool is_mark = node.op >= Op::begin_if && node.op <= Op::leave_kernel;
  return is_mark || node.op == Op::store || node.op == Op::atomic || node.op == Op::assert_failed ||
         node.op == Op::print || (node.op == Op::call && program.calls[node.value].effects) ||
         (node.op == Op::instruction && program.instructions[node.value].effects);
}

Node root_of(const TracedProgram& program, Node pointer) {
  while (program.at(pointer).op == Op::element) pointer = program.at(pointer).operands[0];
  return pointer;
}

std::vector<Node> dependencies(const TracedProgram& program, const TracedNode& node) {
  if (node.op == Op::print) return program.prints[node.value].arguments;
  if (node.op == Op::call) return program.calls[node.value].arguments;
  if (node.op != Op::logical) return {node.operands.begin(), node.operands.begin() + node.operand_count};
  std::vector<Node> needed{node.operands[0]};
  const std::vector<Node>& guarded = program.guarded[node.value];
  for (const Node inside : guarded)
    for (const Node operand : dependencies(program, program.at(inside)))
      if (!std::binary_search(guarded.begin(), guarded.end(), operand)) needed.push_back(operand);
  return needed;
}

}  // namespace tare::detail
