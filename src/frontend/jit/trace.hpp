// Tracing: the calling thread's current trace, and what the recorded nodes are checked for.
#pragma once

#include <string>
#include <vector>

#include "frontend/jit/program.hpp"

namespace tare::detail {

/// While alive, what the calling thread evaluates over symbolic values is recorded here. Traces nest.
class Trace {
 public:
  Trace(std::string name, std::span<const JitParameter> parameters, const Where& where);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// The calling thread's; throws Error(argument) where there is none.
  static Trace& current();

  /// Throws Error(argument) unless the node can be used here.
  void check(Node node) const;
  Node add(TracedNode node, std::initializer_list<Node> operands = {});
  void begin(Op op, std::initializer_list<Node> operands, const Where& where);
  Node end(Op op);
  /// A mark of the block that is open, a loop.
  void mark_loop(Op op, std::initializer_list<Node> operands);
  void reopen_if(Node end);
  /// A mark inside the innermost loop, or Error(argument).
  void in_loop(Op op, const Where& where);
  /// Throws Error(argument) unless `b` can be evaluated whatever `a` is.
  void check_both_sides(const char* operation, Node a, Node b) const;

  const TracedNode& at(Node node) const { return program_.at(node); }
  TracedProgram& program() { return program_; }
  [[noreturn]] void fail(const std::string& message, const std::string& hint,
                         const Where* where = nullptr) const;
  /// The expression as the kernel has it, as far as it fits in a line: "(argument 1[...] + 1)".
  std::string describe(Node node, int depth = 3) const;

 private:
  struct Block {
    Op op;
    std::uint32_t begin, scope;
    Where where;
  };
  void open_scope();

  Trace* const outer_;
  const std::uint32_t serial_;
  const Where where_;
  TracedProgram program_;
  std::vector<Block> blocks_;
  std::vector<bool> closed_;       // by scope
  std::vector<std::uint32_t> at_;  // the scopes that are open, outermost first
};

}  // namespace tare::detail
