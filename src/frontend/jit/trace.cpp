// The checks on what is recorded: a value is used only in its own trace, and only inside the block of the
// kernel that it was made in.
#include "frontend/jit/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "tare/error.hpp"

namespace tare::detail {
namespace {

thread_local Trace* current_trace = nullptr;

std::uint32_t next_serial() {
  static std::atomic<std::uint32_t> serial{0};
  return ++serial;
}

std::string line_of(const Where& where) {
  return fmt::format("{}:{}", where.file_name(), where.line());
}

constexpr const char* kSigns[] = {"+",  "-",  "*",  "/",  "%", "&",  "|", "^",
                                  "<<", ">>", "==", "!=", "<", "<=", ">", ">="};
constexpr const char* kUnarySigns[] = {"-", "~", "!"};
constexpr const char* kSpecials[] = {"thread_index().x", "thread_index().y", "thread_index().z",
                                     "block_index().x",  "block_index().y",  "block_index().z",
                                     "block_size().x",   "block_size().y",   "block_size().z",
                                     "grid_size().x",    "grid_size().y",    "grid_size().z"};

double float_of(Scalar type, std::uint64_t bits) {
  return type == Scalar::f32 ? double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))}
                             : std::bit_cast<double>(bits);
}

std::string constant_text(const TracedNode& node) {
  switch (node.type) {
    case Scalar::boolean:
      return node.value != 0 ? "true" : "false";
    case Scalar::f32:
    case Scalar::f64:
      return fmt::format("{}", float_of(node.type, node.value));
    case Scalar::i8:
      return fmt::format("{}", static_cast<std::int8_t>(node.value));
    case Scalar::i16:
      return fmt::format("{}", static_cast<std::int16_t>(node.value));
    case Scalar::i32:
      return fmt::format("{}", static_cast<std::int32_t>(node.value));
    case Scalar::i64:
      return fmt::format("{}", static_cast<std::int64_t>(node.value));
    default:
      return fmt::format("{}", node.value);
  }
}

/// The memory that a pointer was made from.
Node root_of(const TracedProgram& program, Node pointer) {
  while (program.at(pointer).op == Op::element) pointer = program.at(pointer).operands[0];
  return pointer;
}

}  // namespace

Trace::Trace(std::string name, std::span<const JitParameter> parameters, const Where& where)
    : outer_(current_trace), serial_(next_serial()), where_(where) {
  program_.name = std::move(name);
  program_.parameters.assign(parameters.begin(), parameters.end());
  open_scope();
  current_trace = this;
}

Trace::~Trace() {
  current_trace = outer_;
}

Trace& Trace::current() {
  if (current_trace == nullptr)
    throw Error(
        ErrorKind::argument, "a kernel's value was used outside of the kernel",
        "what tare::jit's lambda computes exists on the device alone; capture plain numbers, and make "
        "kernel values inside the lambda");
  return *current_trace;
}

void Trace::fail(const std::string& message, const std::string& hint, const Where* where) const {
  std::string place = fmt::format("in the kernel `{}` made at {}", program_.name, line_of(where_));
  if (where != nullptr)
    place = line_of(*where) + ", " + place;
  else if (!blocks_.empty())
    place += ", in the block at " + line_of(blocks_.back().where);
  throw Error(ErrorKind::argument, place + ": " + message, hint);
}

void Trace::check(Node node) const {
  if (static_cast<std::uint64_t>(node) >> 32 != serial_)
    fail("a value of another kernel, or of an earlier trace, was used",
         "make kernel values inside the lambda; do not keep them outside of it");
  const TracedNode& used = program_.at(node);
  if (closed_[used.scope])
    fail(fmt::format(
             "`{}` was made inside a block that has ended (the body of an if_, for_ or while_), where a "
             "thread may not have been",
             describe(node)),
         "keep it in a variable made before the block: auto x = tare::var(0.0f);");
}

std::string Trace::describe(Node node, int depth) const {
  const TracedNode& n = program_.at(node);
  if (depth == 0) return n.op == Op::constant ? constant_text(n) : "...";
  const auto operand = [&](std::size_t i) { return describe(n.operands[i], depth - 1); };
  switch (n.op) {
    case Op::constant:
      return constant_text(n);
    case Op::unary:
      return kUnarySigns[n.detail] + operand(0);
    case Op::logical:
      return fmt::format("({} {} {})", operand(0), n.detail != 0 ? "&&" : "||", operand(1));
    case Op::binary:
      return fmt::format("({} {} {})", operand(0), kSigns[n.detail], operand(1));
    case Op::convert:
    case Op::bit_cast:
      return describe(n.operands[0], depth);
    case Op::select:
      return fmt::format("select({}, {}, {})", operand(0), operand(1), operand(2));
    case Op::special:
      return kSpecials[n.detail];
    case Op::scalar_parameter:
    case Op::array_parameter:
      return fmt::format("argument {}", n.value + 1);
    case Op::size_parameter:
      return fmt::format("argument {}.size()", n.value + 1);
    case Op::local_memory:
      return "a variable";
    case Op::shared_memory:
    case Op::dynamic_shared_memory:
      return "a shared array";
    case Op::constant_memory:
      return "a constant array";
    case Op::element:
      return fmt::format("{}[{}]", operand(0), operand(1));
    case Op::load:
      return describe(n.operands[0], depth);
    case Op::atomic:
      return fmt::format("an atomic operation on {}", operand(0));
    case Op::math:
      return fmt::format("{}({}{})", program_.math[n.value], operand(0),
                         n.operand_count > 1 ? ", " + operand(1) : "");
    case Op::instruction:
      return program_.instructions[n.value].text;
    default:
      return "...";
  }
}

void Trace::open_scope() {
  at_.push_back(static_cast<std::uint32_t>(closed_.size()));
  closed_.push_back(false);
}

Node Trace::add(TracedNode node, std::initializer_list<Node> operands) {
  for (const Node operand : operands) {
    check(operand);
    node.operands[node.operand_count++] = operand;
  }
  node.scope = at_.back();
  program_.nodes.push_back(node);
  return static_cast<Node>(std::uint64_t{serial_} << 32 | (program_.nodes.size() - 1));
}

void Trace::begin(Op op, std::initializer_list<Node> operands, const Where& where) {
  const Node mark = add({.op = op}, operands);
  open_scope();
  blocks_.push_back({op, number_of(mark), at_.back(), where});
}

void Trace::mark_loop(Op op, std::initializer_list<Node> operands) {
  add({.op = op, .value = blocks_.back().begin}, operands);
}

Node Trace::end(Op op) {
  const Block block = blocks_.back();
  closed_[block.scope] = true;
  blocks_.pop_back();
  at_.pop_back();
  return add({.op = op, .value = block.begin});
}

void Trace::reopen_if(Node end) {
  check(end);
  if (number_of(end) + 1 != program_.nodes.size() || at(end).op != Op::end_if)
    fail("else_ does not follow its if_ at once", "write tare::if_(...).else_(...) in one expression");
  TracedNode& mark = program_.nodes.back();
  mark.op = Op::begin_else;
  open_scope();
  blocks_.push_back({Op::begin_else, static_cast<std::uint32_t>(mark.value), at_.back(), where_});
}

void Trace::in_loop(Op op, const Where& where) {
  const auto loop = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                 [](const Block& block) { return block.op == Op::begin_loop; });
  if (loop == blocks_.rend())
    fail(op == Op::leave_loop ? "tare::break_() is in no loop" : "tare::continue_() is in no loop",
         "they belong in the body of tare::for_ or tare::while_; tare::return_() leaves the kernel", &where);
  add({.op = op, .value = loop->begin});
}

void Trace::add_loads(const std::vector<Node>& nodes, std::vector<Node>& loads) const {
  for (const Node node : nodes) {
    if (at(node).op == Op::load) loads.push_back(node);
    if (at(node).op == Op::logical) add_loads(program_.guarded[at(node).value], loads);
  }
}

bool Trace::may_change(const TracedNode& node, const TracedNode& load) const {
  const Node read = load.operands[0];
  const Space space = at(read).space;
  if (node.op == Op::store || node.op == Op::atomic) {
    const Node written = node.operands[0];
    if (at(written).space != space) return false;
    return space != Space::local || root_of(program_, written) == root_of(program_, read);
  }
  return node.op == Op::instruction && program_.instructions[node.value].touches_memory &&
         space != Space::local && space != Space::constant;
}

std::vector<Node> Trace::to_guard(const char* operation, Node a, Node b, const Node* since) const {
  check(a);
  check(b);
  const std::uint32_t first = since == nullptr ? 0 : number_of(*since) + 1;
  std::set<Node> found;
  std::vector<Node> to_see{b};
  while (!to_see.empty()) {
    const Node node = to_see.back();
    to_see.pop_back();
    if (number_of(node) < first || !found.insert(node).second) continue;
    for (const Node needed : dependencies(program_, at(node))) to_see.push_back(needed);
  }
  const std::vector<Node> nodes(found.begin(), found.end());
  for (const Node node : nodes)
    if (has_effect(program_, at(node)))
      fail(fmt::format("the right side of {} has `{}`, and would be done whatever the left side is",
                       operation, describe(node)),
           "guard it with tare::if_; where both sides may be evaluated, write & or |");
  std::vector<Node> loads;
  add_loads(nodes, loads);
  const auto of_array = [&](Node load) {
    return at(root_of(program_, at(load).operands[0])).op != Op::local_memory;
  };
  if (std::none_of(loads.begin(), loads.end(), of_array)) return {};
  for (const Node load : loads)
    for (std::size_t i = number_of(load); i < program_.nodes.size(); ++i)
      if (may_change(program_.nodes[i], at(load)))
        fail(fmt::format("the right side of {} has `{}`, which was read before something else was written",
                         operation, describe(load)),
             "guard it with tare::if_; where both sides may be evaluated, write & or |");
  return nodes;
}

}  // namespace tare::detail
