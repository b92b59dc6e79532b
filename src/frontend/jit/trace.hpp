// Tracing: the calling thread's current trace, and what the recorded nodes are checked for.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "frontend/jit/program.hpp"

namespace tare::detail {

/// "file.cpp:3".
std::string line_of(const Where& where);

/// While alive, what the calling thread evaluates over symbolic values is recorded here. Traces nest.
class Trace {
 public:
  Trace(std::string name, std::span<const JitParameter> parameters, const Where& where);
  /// Of a function that the calling thread's trace calls.
  Trace(Trace& caller, std::string name, std::vector<TracedNode> arguments, std::optional<Scalar> result);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// The calling thread's; throws Error(argument), with `where` if that is given, where there is none.
  static Trace& current(const Where* where = nullptr);

  /// What comes next is on this line or after it.
  void at_line(const Where& where) { line_ = where; }
  /// The last line that is known.
  const Where& line() const { return line_ ? *line_ : where_; }

  /// Throws Error(argument) unless the node can be used here.
  void check(Node node) const;
  Node add(TracedNode node, std::initializer_list<Node> operands = {});
  void begin(Op op, std::initializer_list<Node> operands, const Where& where);
  Node end(Op op);
  /// A mark of the block that is open, a loop.
  void mark_loop(Op op, std::initializer_list<Node> operands);
  /// Of the block that is open, which an exception has left: what it has is not all of it.
  void abandon();
  void reopen_if(Node end, const Where& where);
  /// A mark inside the innermost loop, or Error(argument).
  void in_loop(Op op);
  /// Adds to the kernel's shared arrays, or throws Error(argument) where they would be too large.
  void take_shared(Scalar type, std::size_t count);
  /// The kernel needs so many elements of dynamic shared memory, where the count is known.
  void need_dynamic_shared(Scalar type, Node count);
  /// The integer's value where it is known now: a constant, or converted from one.
  std::optional<std::int64_t> known(Node node) const;
  /// Can it be told now that no thread comes to where the kernel is being traced?
  bool is_never_reached() const;
  /// What `b` was made from after `since` (null: ever), in order and `b` last, where some of it reads an
  /// array, so that it has to be evaluated under a guard; empty where nothing does. Throws Error(argument)
  /// where evaluating it now might not give what it gave.
  std::vector<Node> to_guard(const char* operation, Node a, Node b, const Node* since) const;

  /// The call of a function, whose body is traced first where the kernel has not called it yet with
  /// arguments of these types.
  Node call(const FunctionToCall& function, std::span<const Node> arguments);

  /// Throws as check().
  const TracedNode& used(Node node) const {
    check(node);
    return program_.at(node);
  }
  TracedProgram& program() { return program_; }
  /// At the end of what is traced. Throws Error(argument) where a block was left by an exception.
  void finish();
  /// With the line that is known, or where `is_exact` is false the last one that was.
  [[noreturn]] void fail(const std::string& message, const std::string& hint, bool is_exact = false) const;
  /// The expression as the kernel has it, as far as it fits in a line: "(argument 1[...] + 1)".
  std::string describe(Node node, int depth = 3) const;

 private:
  struct Block {
    Op op;
    std::uint32_t begin, scope;
    Where where;
  };
  struct Scope {
    Where where;
    bool is_closed = false;
  };
  void open_scope(const Where& where);
  const TracedNode& at(Node node) const { return program_.at(node); }
  /// The loads among the nodes, also those that they guard themselves.
  void add_loads(const std::vector<Node>& nodes, std::vector<Node>& loads) const;
  /// Could the node change what the load, or the call, reads?
  bool may_change(const TracedNode& node, const TracedNode& load) const;

  /// A function that this kernel has: which one, for which arguments.
  struct Recorded {
    std::shared_ptr<const std::string> function;
    const std::type_info* types;
    std::vector<Space> spaces;            // of the arguments; generic where one is no pointer
    std::optional<std::uint32_t> number;  // unset while it is being traced
  };
  std::uint32_t number_of_function(const FunctionToCall& function, std::span<const Node> arguments);

  Trace* const outer_;
  Trace* const kernel_;  // itself, or the trace of the kernel that calls this function
  const std::uint32_t serial_;
  const Where where_;
  TracedProgram program_;
  std::deque<Recorded> recorded_;  // of a kernel
  std::vector<Block> blocks_;
  std::optional<Where> abandoned_;  // the block that was left first
  std::vector<Scope> scopes_;
  std::vector<std::uint32_t> at_;   // the scopes that are open, outermost first
  std::optional<Where> line_;       // the last one that is known
  std::uint64_t shared_bytes_ = 0;  // of a kernel: its shared arrays, and its functions'
};

}  // namespace tare::detail
