// A traced kernel as data: its nodes in the order in which they were evaluated, control flow among them as
// marks that nest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tare/jit.hpp"

namespace tare::detail {

enum class Op : std::uint8_t {
  constant,
  unary,
  binary,
  logical,
  convert,
  bit_cast,
  select,
  special,
  scalar_parameter,
  array_parameter,
  size_parameter,
  function_parameter,
  call,
  local_memory,
  shared_memory,
  dynamic_shared_memory,
  constant_memory,
  element,
  load,
  store,
  atomic,
  begin_if,
  begin_else,
  end_if,
  begin_loop,
  loop_condition,
  loop_step,
  end_loop,
  leave_loop,
  continue_loop,
  leave_function,
  leave_kernel,
  math,
  instruction,
  assert_failed,
  print
};

/// PTX's state spaces by LLVM's numbers.
enum class Space : std::uint8_t { generic = 0, global = 1, shared = 3, constant = 4, local = 5 };

inline constexpr std::size_t kMostOperands = 4;

struct TracedNode {
  Op op;
  std::uint8_t detail = 0;  // Unary, Binary, Special or Atomic; logical: 1 for &&
  Scalar type{};            // of the result; of a pointer: what it points to
  Scalar operand_type{};    // unary, binary: of the operands; convert: what from
  bool is_pointer = false;
  Space space = Space::generic;  // of a pointer
  std::uint8_t operand_count = 0;
  std::uint32_t scope = 0;  // the block of the kernel that it is in
  std::array<Node, kMostOperands> operands{};
  std::uint64_t value = 0;  // constant: bits; parameter: index; memory: count; the rest: index into a table
};

struct TracedPrint {
  std::string format;
  std::vector<Scalar> types;  // as C passes them: int, unsigned, 64-bit or double
  std::vector<Node> arguments;
  Where where;
};

struct TracedAssertion {
  std::string message;
  Where where;
};

struct TracedMath {
  std::string function;  // "sin"
  Where where;
};

struct TracedTable {
  std::vector<std::byte> bytes;
  Where where;
};

struct TracedCall {
  std::uint32_t function = 0;  // of the kernel's
  std::vector<Node> arguments;
  bool effects = false;  // does it more than read?
  bool reads = false;    // does it read what others may write to?
};

/// The node's place in its program.
inline std::uint32_t number_of(Node node) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(node));
}

/// A kernel, or a function that it calls.
struct TracedProgram {
  std::string name;
  std::vector<JitParameter> parameters;
  std::vector<TracedProgram> functions;    // of a kernel, each before those that call it
  std::uint64_t dynamic_shared_bytes = 0;  // of a kernel: needed as far as that is known

  bool is_function = false;
  std::vector<TracedNode> arguments;  // of a function: the nodes that stand for what it is given
  std::optional<Scalar> result;       // of a function
  std::vector<TracedNode> nodes;
  std::vector<Instruction> instructions;
  std::vector<TracedMath> math;
  std::vector<TracedCall> calls;
  std::vector<TracedPrint> prints;
  std::vector<TracedAssertion> assertions;
  std::vector<TracedTable> tables;
  std::vector<Where> half_atomics;
  /// What is evaluated only where the left side of && or || does not decide: the right side last.
  std::vector<std::vector<Node>> guarded;

  const TracedNode& at(Node node) const { return nodes[number_of(node)]; }
};

/// Does evaluating it change or mark anything, so that it has to stay where it is? (A load does not.)
bool has_effect(const TracedProgram& program, const TracedNode& node);

/// The memory that a pointer was made from.
Node root_of(const TracedProgram& program, Node pointer);

/// What has to be evaluated before the node, where it is: for && and ||, not what they evaluate themselves.
std::vector<Node> dependencies(const TracedProgram& program, const TracedNode& node);

}  // namespace tare::detail
