// The functions behind the vocabulary's headers: each records one node in the thread's current trace.
#include <algorithm>

#include "frontend/jit/ir_types.hpp"
#include "frontend/jit/printf_format.hpp"
#include "frontend/jit/symbols.hpp"
#include "frontend/jit/trace.hpp"

namespace tare::detail {
namespace {

Trace& trace() {
  return Trace::current();
}

template <class Enum>
std::uint8_t number(Enum value) {
  return static_cast<std::uint8_t>(value);
}

/// Keeps the thing in the table, and gives its place there.
template <class Thing>
std::uint64_t keep(std::vector<Thing>& table, Thing thing) {
  table.push_back(std::move(thing));
  return table.size() - 1;
}

Node memory(Op op, Scalar type, Space space, std::uint64_t value) {
  return trace().add({.op = op, .type = type, .is_pointer = true, .space = space, .value = value});
}

}  // namespace

void at_line(const Where& where) {
  Trace::current(&where).at_line(where);
}

Node constant(Scalar type, std::uint64_t bits) {
  return trace().add({.op = Op::constant, .type = type, .value = bits});
}

Node unary(Unary operation, Scalar type, Node a) {
  return trace().add({.op = Op::unary, .detail = number(operation), .type = type, .operand_type = type}, {a});
}

Node binary(Binary operation, Scalar type, Node a, Node b) {
  const Scalar result = operation >= Binary::equal ? Scalar::boolean : type;
  return trace().add({.op = Op::binary, .detail = number(operation), .type = result, .operand_type = type},
                     {a, b});
}

Node logical(bool is_and, Node a, Node b, const Node* since) {
  std::vector<Node> guarded = trace().to_guard(is_and ? "&&" : "||", a, b, since);
  if (guarded.empty()) return binary(is_and ? Binary::bit_and : Binary::bit_or, Scalar::boolean, a, b);
  return trace().add({.op = Op::logical,
                      .detail = number(is_and),
                      .type = Scalar::boolean,
                      .value = keep(trace().program().guarded, std::move(guarded))},
                     {a, b});
}

Node convert(Scalar from, Scalar to, Node a) {
  if (from == to) return a;  // long and long long, say
  const bool from_other = from != Scalar::f32 && from != Scalar::f64,
             to_other = to != Scalar::f32 && to != Scalar::f64;
  // By way of float, which has all halves, and all integers that are not beyond them.
  if ((from == Scalar::f16 && to_other) || (to == Scalar::f16 && from_other))
    return convert(Scalar::f32, to, convert(from, Scalar::f32, a));
  return trace().add({.op = Op::convert, .type = to, .operand_type = from}, {a});
}

Node bit_cast(Scalar to, Node a) {
  const Scalar from = trace().used(a).type;
  return trace().add({.op = Op::bit_cast, .type = to, .operand_type = from}, {a});
}

Node select(Scalar type, Node condition, Node yes, Node no) {
  return trace().add({.op = Op::select, .type = type}, {condition, yes, no});
}

Node special(Special which) {
  return trace().add({.op = Op::special, .detail = number(which), .type = Scalar::u32});
}

Node scalar_parameter(std::size_t index) {
  return trace().add(
      {.op = Op::scalar_parameter, .type = trace().program().parameters[index].type, .value = index});
}

Node array_parameter(std::size_t index) {
  return memory(Op::array_parameter, trace().program().parameters[index].type, Space::global, index);
}

Node size_parameter(std::size_t index) {
  return trace().add({.op = Op::size_parameter, .type = Scalar::u64, .value = index});
}

Node local_memory(Scalar type, std::size_t count) {
  constexpr std::size_t kMost = 512 * 1024;  // that a thread has on any device
  if (count > kMost / bytes_of(type))
    trace().fail("a tare::local_array of " + std::to_string(count * bytes_of(type)) +
                     " bytes: a thread has at most " + std::to_string(kMost) + " (512 KiB)",
                 "pass an array of the grid's threads' elements, and let each use its part", true);
  return memory(Op::local_memory, type, Space::local, count);
}

Node shared_memory(Scalar type, std::size_t count) {
  trace().take_shared(type, count);
  return memory(Op::shared_memory, type, Space::shared, count);
}

Node dynamic_shared_memory(Scalar type, Node count) {
  trace().need_dynamic_shared(type, count);
  return memory(Op::dynamic_shared_memory, type, Space::shared, 0);
}

Node constant_memory(Scalar type, std::span<const std::byte> bytes, const Where& where) {
  return memory(Op::constant_memory, type, Space::constant,
                keep(trace().program().tables, TracedTable{{bytes.begin(), bytes.end()}, where}));
}

Node element(Node pointer, Node index) {
  const TracedNode base = trace().used(pointer);
  return trace().add({.op = Op::element, .type = base.type, .is_pointer = true, .space = base.space},
                     {pointer, index});
}

void check_index(Node array, Node index, std::uint64_t extent) {
  const auto known = trace().known(index);
  if (!known || trace().is_never_reached()) return;
  const bool is_signed_index = is_signed(trace().used(index).type);
  if ((*known >= 0 || !is_signed_index) && static_cast<std::uint64_t>(*known) < extent) return;
  const std::string number =
      is_signed_index ? std::to_string(*known) : std::to_string(static_cast<std::uint64_t>(*known));
  const bool is_part = trace().used(array).op == Op::element;
  const std::string whole = trace().describe(root_of(trace().program(), array));
  trace().fail("the index " + number + " is outside of " + whole + ", whose extent " +
                   (is_part ? "there is " : "is ") + std::to_string(extent),
               extent == 1 ? "its only index is 0" : "its indices are 0 to " + std::to_string(extent - 1),
               true);
}

void check_index(Node array, Node index, Node extent) {
  if (const auto known = trace().known(extent)) check_index(array, index, static_cast<std::uint64_t>(*known));
}

Node load(Node pointer) {
  return trace().add({.op = Op::load, .type = trace().used(pointer).type}, {pointer});
}

void store(Node pointer, Node value) {
  trace().add({.op = Op::store, .type = trace().used(pointer).type}, {pointer, value});
}

Node atomic(Atomic operation, Node pointer, Node value, const Node* compare) {
  const TracedNode place = trace().used(pointer);
  if (place.space == Space::local)
    trace().fail("an atomic operation is on " + trace().describe(pointer) + ", which is the thread's own",
                 "other threads cannot see a local array: write to it plainly", true);
  TracedNode node{.op = Op::atomic, .detail = number(operation), .type = place.type};
  if (place.type == Scalar::f16) node.value = keep(trace().program().half_atomics, trace().line());
  if (compare != nullptr) return trace().add(node, {pointer, *compare, value});
  return trace().add(node, {pointer, value});
}

void begin_if(Node condition, const Where& where) {
  trace().begin(Op::begin_if, {condition}, where);
}

Node end_if() {
  return trace().end(Op::end_if);
}

void begin_else(Node end, const Where& where) {
  trace().reopen_if(end, where);
}

void abandon_block() {
  trace().abandon();
}

void begin_loop(const Where& where) {
  trace().begin(Op::begin_loop, {}, where);
}

void loop_condition(Node condition) {
  trace().mark_loop(Op::loop_condition, {condition});
}

void loop_step() {
  trace().mark_loop(Op::loop_step, {});
}

void end_loop() {
  trace().end(Op::end_loop);
}

void leave_loop() {
  trace().in_loop(Op::leave_loop);
}

void continue_loop() {
  trace().in_loop(Op::continue_loop);
}

void refuse_step(const std::string& step, Scalar type) {
  const bool is_above_zero = step[0] != '-' && step != "0";
  trace().fail("the step of tare::for_, " + step +
                   (is_above_zero ? std::string(", does not fit into the loop's type, ") + cpp_name(type)
                                  : ", is not above 0"),
               is_above_zero ? "begin or end has to be of a type that the step fits into"
                             : "count down with tare::while_ and a tare::var",
               true);
}

Node call(const FunctionToCall& function, std::span<const Node> arguments) {
  return trace().call(function, arguments);
}

Node function_parameter(std::size_t index) {
  return trace().add(trace().program().arguments[index]);
}

void leave_function(Node value) {
  const std::optional<Scalar> result = trace().program().result;
  if (!result)
    trace().fail(trace().program().is_function
                     ? "tare::return_(value) is in a function whose lambda gives nothing back"
                     : "tare::return_(value) is in a kernel, which gives nothing back",
                 "tare::return_() leaves it; end a function's lambda with `return value;`", true);
  trace().check(value);
  const Node converted = convert(trace().used(value).type, *result, value);
  trace().add({.op = Op::leave_function}, {converted});
}

void leave_kernel() {
  if (trace().program().result)
    trace().fail("tare::return_() is in a function that gives back a value", "give it: tare::return_(value)",
                 true);
  trace().add({.op = Op::leave_kernel});
}

Node math(std::string_view name, Scalar type, std::initializer_list<Node> arguments, const Where& where) {
  return trace().add({.op = Op::math,
                      .type = type,
                      .value = keep(trace().program().math, TracedMath{std::string(name), where})},
                     arguments);
}

Node instruction(const Instruction& what, std::initializer_list<Node> operands) {
  return trace().add(
      {.op = Op::instruction, .type = what.result, .value = keep(trace().program().instructions, what)},
      operands);
}

void barrier(const char* text) {
  instruction({.text = text,
               .result = Scalar::u32,
               .effects = true,
               .convergent = true,
               .touches_memory = true,
               .gives_result = false},
              {});
}

void assert_failed(Node holds, const char* message, const Where& where) {
  TracedAssertion assertion{trace().describe(holds), where};
  if (message[0] != 0) assertion.message += std::string(" && \"") + message + '"';  // as C's idiom has it
  trace().add({.op = Op::assert_failed, .value = keep(trace().program().assertions, std::move(assertion))});
}

void print(const char* format, std::span<const Scalar> types, std::span<const Node> arguments,
           const Where& where) {
  TracedPrint printed{format, {}, {}, where};
  for (std::size_t i = 0; i < types.size(); ++i) {
    trace().check(arguments[i]);
    printed.types.push_back(variadic_type(types[i]));
    printed.arguments.push_back(convert(types[i], printed.types.back(), arguments[i]));
  }
  if (const auto wrong = fault_in_format(printed.format, printed.types))
    trace().fail("tare::print: " + wrong->what, wrong->remedy, true);
  trace().add({.op = Op::print, .value = keep(trace().program().prints, std::move(printed))});
}

}  // namespace tare::detail
