// The checks on what is recorded: a value is used only in its own trace, and only inside the block of the
// kernel that it was made in.
#include "frontend/jit/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "frontend/jit/ir_types.hpp"
#include "frontend/jit/symbols.hpp"
#include "tare/error.hpp"

namespace tare::detail {
namespace {

thread_local Trace* current_trace = nullptr;

/// The kernel that this thread traced last: what is used outside of any was most likely made there.
struct Ended {
  std::string name;
  Where where;
};
thread_local std::optional<Ended> last_ended;

/// Of blocks inside of each other. Each of them takes several frames of the host's stack.
constexpr std::size_t kDeepestBlocks = 500;

std::uint32_t next_serial() {
  static std::atomic<std::uint32_t> serial{0};
  return ++serial;
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
    case Scalar::f16:
      return fmt::format("{}", static_cast<float>(half::from_bits(static_cast<std::uint16_t>(node.value))));
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

}  // namespace

std::string line_of(const Where& where) {
  return fmt::format("{}:{}", where.file_name(), where.line());
}

Trace::Trace(std::string name, std::span<const JitParameter> parameters, const Where& where)
    : outer_(current_trace), kernel_(this), serial_(next_serial()), where_(where) {
  program_.name = std::move(name);
  program_.parameters.assign(parameters.begin(), parameters.end());
  open_scope(where);
  current_trace = this;
}

Trace::Trace(Trace& caller, std::string name, std::vector<TracedNode> arguments, std::optional<Scalar> result)
    : outer_(&caller),
      kernel_(caller.kernel_),
      serial_(next_serial()),
      where_(caller.where_),
      line_(caller.line_) {
  program_.name = std::move(name);
  program_.is_function = true;
  program_.arguments = std::move(arguments);
  program_.result = result;
  open_scope(where_);
  current_trace = this;
}

Trace::~Trace() {
  current_trace = outer_;
  if (kernel_ == this) last_ended = {std::move(program_.name), where_};
}

Trace& Trace::current(const Where* where) {
  if (current_trace != nullptr) return *current_trace;
  std::string message = "a kernel's value was used outside of the kernel";
  if (where != nullptr) message = line_of(*where) + ": " + message;
  if (where == nullptr && last_ended)
    message += fmt::format(" (the kernel that was traced last is `{}` made at {})", last_ended->name,
                           line_of(last_ended->where));
  throw Error(ErrorKind::argument, message,
              "what tare::jit's lambda computes exists on the device alone; capture plain numbers, and make "
              "kernel values inside the lambda");
}

void Trace::fail(const std::string& message, const std::string& hint, bool is_exact) const {
  std::string place = fmt::format("in the kernel `{}` made at {}", kernel_->program_.name, line_of(where_));
  if (program_.is_function) place = fmt::format("in the function `{}`, ", program_.name) + place;
  if (line_) place = line_of(*line_) + (is_exact ? ", " : " or just after it, ") + place;
  throw Error(ErrorKind::argument, place + ": " + message, hint);
}

void Trace::check(Node node) const {
  const std::uint64_t made_by = static_cast<std::uint64_t>(node) >> 32;
  for (const Trace* caller = this; caller != kernel_ && made_by != serial_; caller = caller->outer_)
    if (caller->outer_->serial_ == made_by)
      fail(fmt::format("`{}` belongs to the function's caller", caller->outer_->describe(node)),
           "a tare::function is recorded once for all of its calls: pass what it uses as an argument");
  if (made_by != serial_)
    fail("a value of another kernel, or of an earlier trace, was used",
         "make kernel values inside the lambda; do not keep them outside of it");
  const TracedNode& used = program_.at(node);
  if (const Scope& scope = scopes_[used.scope]; scope.is_closed)
    fail(fmt::format("`{}` was made inside a block that has ended (the body of the if_, for_ or while_ at "
                     "{}), where a thread may not have been",
                     describe(node), line_of(scope.where)),
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
      return n.value == 1 ? "a variable" : "a local array";
    case Op::shared_memory:
    case Op::dynamic_shared_memory:
      return "a shared array";
    case Op::constant_memory:
      return "a constant array";
    case Op::element:
      return fmt::format("{}[{}]", operand(0), operand(1));
    case Op::load:
      return describe(n.operands[0], depth);
    case Op::function_parameter:
      return fmt::format("argument {}", n.value + 1);
    case Op::call:
      return fmt::format("{}(...)", kernel_->program_.functions[program_.calls[n.value].function].name);
    case Op::atomic:
      return fmt::format("an atomic operation on {}", operand(0));
    case Op::math:
      return fmt::format("{}({}{})", program_.math[n.value].function, operand(0),
                         n.operand_count > 1 ? ", " + operand(1) : "");
    case Op::instruction:
      return program_.instructions[n.value].text;
    default:
      return "...";
  }
}

void Trace::open_scope(const Where& where) {
  at_.push_back(static_cast<std::uint32_t>(scopes_.size()));
  scopes_.push_back({where});
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
  if (blocks_.size() >= kDeepestBlocks) {
    line_ = where;
    fail(fmt::format(
             "if_, for_, while_ or select are inside of each other {} deep: does a C++ function call itself?",
             kDeepestBlocks),
         "what a lambda calls is called while tracing, without knowing a device's values, so such a function "
         "never ends: write the loop with tare::while_",
         true);
  }
  const Node mark = add({.op = op}, operands);
  open_scope(where);
  blocks_.push_back({op, number_of(mark), at_.back(), where});
}

void Trace::mark_loop(Op op, std::initializer_list<Node> operands) {
  add({.op = op, .value = blocks_.back().begin}, operands);
}

Node Trace::end(Op op) {
  const Block block = blocks_.back();
  scopes_[block.scope].is_closed = true;
  blocks_.pop_back();
  at_.pop_back();
  return add({.op = op, .value = block.begin});
}

void Trace::abandon() {
  if (!abandoned_) abandoned_ = blocks_.back().where;
  scopes_[blocks_.back().scope].is_closed = true;
  blocks_.pop_back();
  at_.pop_back();
}

void Trace::finish() {
  if (!abandoned_) return;
  line_ = abandoned_;
  fail(
      "an exception left the block that begins here, and was caught in the lambda: only a part of the "
      "block is recorded",
      "catch it inside of the block's body, or let it leave the whole lambda", true);
}

void Trace::reopen_if(Node end, const Where& where) {
  check(end);
  if (number_of(end) + 1 != program_.nodes.size() || at(end).op != Op::end_if)
    fail("else_ does not follow its if_ at once", "write tare::if_(...).else_(...) in one expression", true);
  TracedNode& mark = program_.nodes.back();
  mark.op = Op::begin_else;
  open_scope(where);
  blocks_.push_back({Op::begin_else, static_cast<std::uint32_t>(mark.value), at_.back(), where});
}

void Trace::in_loop(Op op) {
  const auto loop = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                 [](const Block& block) { return block.op == Op::begin_loop; });
  if (loop == blocks_.rend())
    fail(op == Op::leave_loop ? "tare::break_() is in no loop" : "tare::continue_() is in no loop",
         "they belong in the body of tare::for_ or tare::while_; tare::return_() leaves the kernel", true);
  add({.op = op, .value = loop->begin});
}

void Trace::take_shared(Scalar type, std::size_t count) {
  constexpr std::uint64_t kMost = 48 * 1024;  // of every device: more is only there as dynamic memory
  const std::uint64_t before = kernel_->shared_bytes_, size = bytes_of(type);
  if (count <= (kMost - before) / size) {
    kernel_->shared_bytes_ = before + count * size;
    return;
  }
  const std::string others = before == 0 ? ""
                                         : fmt::format(", {} with the {} bytes of the kernel's others",
                                                       before + count * size, before);
  fail(fmt::format("a tare::shared_array of {} bytes{}: there are at most {} (48 KiB) in a kernel",
                   count * size, others, kMost),
       "use tare::dynamic_shared_array, whose bytes the launch gives: {grid, block, stream, bytes}", true);
}

void Trace::need_dynamic_shared(Scalar type, Node count) {
  const auto elements = known(count);
  if (!elements || *elements < 0 || is_never_reached()) return;
  std::uint64_t& needed = kernel_->program_.dynamic_shared_bytes;
  needed = std::max(needed, static_cast<std::uint64_t>(*elements) * bytes_of(type));
}

std::optional<std::int64_t> Trace::known(Node node) const {
  if (static_cast<std::uint64_t>(node) >> 32 != serial_) return std::nullopt;
  const TracedNode& n = at(node);
  if (n.is_pointer || n.type == Scalar::f16 || is_float(n.type)) return std::nullopt;
  std::optional<std::int64_t> value;
  if (n.op == Op::constant)
    value = static_cast<std::int64_t>(n.value);
  else if (n.op == Op::convert && n.type != Scalar::boolean)
    value = known(n.operands[0]);
  if (!value || bytes_of(n.type) == 8) return value;
  const unsigned rest = 64 - 8 * bytes_of(n.type);
  const std::uint64_t high = static_cast<std::uint64_t>(*value) << rest;
  return is_signed(n.type) ? static_cast<std::int64_t>(high) >> rest
                           : static_cast<std::int64_t>(high >> rest);
}

bool Trace::is_never_reached() const {
  return std::ranges::any_of(blocks_, [&](const Block& block) {
    if (block.op == Op::begin_loop) return false;
    const auto condition = known(program_.nodes[block.begin].operands[0]);
    return condition && (*condition != 0) == (block.op == Op::begin_else);
  });
}

void Trace::add_loads(const std::vector<Node>& nodes, std::vector<Node>& loads) const {
  for (const Node node : nodes) {
    if (at(node).op == Op::load || at(node).op == Op::call) loads.push_back(node);
    if (at(node).op == Op::logical) add_loads(program_.guarded[at(node).value], loads);
  }
}

bool Trace::may_change(const TracedNode& node, const TracedNode& load) const {
  const bool is_call_with_effects = node.op == Op::call && program_.calls[node.value].effects;
  if (load.op == Op::call)
    return program_.calls[load.value].reads &&
           (node.op == Op::store || node.op == Op::atomic || is_call_with_effects ||
            (node.op == Op::instruction && program_.instructions[node.value].touches_memory));
  const Node read = load.operands[0];
  const Space space = at(read).space;
  if (is_call_with_effects) {
    // A variable cannot be passed, so that a function writes to no other memory of the thread's than arrays.
    const auto& arguments = program_.calls[node.value].arguments;
    return space != Space::constant &&
           (space != Space::local || std::any_of(arguments.begin(), arguments.end(), [&](Node argument) {
              return at(argument).is_pointer && at(argument).space == Space::local;
            }));
  }
  if (node.op == Op::store || node.op == Op::atomic) {
    const Node written = node.operands[0];
    if (at(written).space != space) return false;
    const auto is_given = [&](Node pointer) {
      return at(root_of(program_, pointer)).op == Op::function_parameter;
    };
    return space != Space::local || root_of(program_, written) == root_of(program_, read) ||
           (is_given(written) && is_given(read));
  }
  return node.op == Op::instruction && program_.instructions[node.value].touches_memory &&
         space != Space::local && space != Space::constant;
}

std::uint32_t Trace::number_of_function(const FunctionToCall& function, std::span<const Node> arguments) {
  std::vector<TracedNode> parameters;
  std::vector<Space> spaces;
  for (const Node argument : arguments) {
    const TracedNode& given = at(argument);
    spaces.push_back(given.is_pointer ? given.space : Space::generic);
    parameters.push_back({.op = Op::function_parameter,
                          .type = given.type,
                          .is_pointer = given.is_pointer,
                          .space = given.space,
                          .value = parameters.size()});
  }
  for (const Recorded& known : kernel_->recorded_) {
    if (known.function != function.name || *known.types != function.types || known.spaces != spaces) continue;
    if (known.number) return *known.number;
    fail(fmt::format("the function `{}` calls itself", *function.name),
         "recursion has no end while it is traced: use a loop, or a plain C++ function with a count that is "
         "known while tracing");
  }
  if (const std::string fault = fault_in_name(*function.name); !fault.empty())
    fail(fmt::format("`{}` cannot be a function's name", *function.name), fault);
  const std::string symbol =
      fmt::format("{}_{}_{}", kernel_->program_.name, *function.name, kernel_->recorded_.size());
  Recorded& recorded = kernel_->recorded_.emplace_back(Recorded{function.name, &function.types, spaces, {}});
  const std::uint64_t shared_before = kernel_->shared_bytes_;
  Trace body(*this, symbol, std::move(parameters),
             function.result != nullptr ? std::optional(*function.result) : std::nullopt);
  try {
    function.record();
    body.finish();
  } catch (...) {
    recorded.function.reset();  // somebody may catch this and go on
    kernel_->shared_bytes_ = shared_before;
    throw;
  }
  kernel_->program_.functions.push_back(std::move(body.program_));
  recorded.number = static_cast<std::uint32_t>(kernel_->program_.functions.size() - 1);
  return *recorded.number;
}

Node Trace::call(const FunctionToCall& function, std::span<const Node> arguments) {
  for (const Node argument : arguments) check(argument);
  TracedCall call{number_of_function(function, arguments), {arguments.begin(), arguments.end()}};
  const TracedProgram& called = kernel_->program_.functions[call.function];
  for (const TracedNode& node : called.nodes) {
    const bool writes = node.op == Op::store || node.op == Op::atomic;
    if (writes && called.at(root_of(called, node.operands[0])).op == Op::local_memory) continue;
    const bool leaves = node.op >= Op::begin_if && node.op <= Op::leave_kernel;
    call.effects |= has_effect(called, node) && !leaves;
    call.reads |= node.is_pointer && node.op != Op::local_memory && node.space != Space::constant;
    call.reads |= node.op == Op::call && called.calls[node.value].reads;
  }
  TracedNode node{.op = Op::call};
  if (function.result != nullptr) node.type = *function.result;
  program_.calls.push_back(std::move(call));
  node.value = program_.calls.size() - 1;
  return add(node);
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
    return at(load).op == Op::call || at(root_of(program_, at(load).operands[0])).op != Op::local_memory;
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
