// One pass over the nodes, a line of IR or a few for each that something needs. Values are SSA already: what
// changes is memory of the thread's own, which the compiler turns into registers.
#include "frontend/jit/emitter.hpp"

namespace tare::detail {

void Emitter::run() {
  find_needed();
  next_name_ = static_cast<std::uint32_t>(program_.nodes.size());
  for (std::uint32_t i = 0; i < program_.nodes.size(); ++i)
    if (needed_[i]) emit(i, program_.nodes[i]);
  module_.functions += program_.is_function ? function_definition() : kernel_definition();
}

void Emitter::find_needed() {
  needed_.assign(program_.nodes.size(), false);
  for (std::uint32_t i = static_cast<std::uint32_t>(program_.nodes.size()); i-- > 0;) {
    const TracedNode& node = program_.nodes[i];
    if (has_effect(program_, node)) needed_[i] = true;
    if (!needed_[i]) continue;
    for (const Node before : dependencies(program_, node)) needed_[number_of(before)] = true;
  }
  has_else_.assign(program_.nodes.size(), false);
  for (const TracedNode& node : program_.nodes)
    if (node.op == Op::begin_else) has_else_[node.value] = true;
}

std::string Emitter::pointer_type(Scalar type, Space space) const {
  // The thread's own memory is in LLVM's generic address space.
  const int number = space == Space::local ? 0 : static_cast<int>(space);
  const std::string where = number == 0 ? "" : fmt::format(" addrspace({})", number);
  return dialect_.typed_pointers ? std::string(memory_type(type)) + where + "*" : "ptr" + where;
}

std::string Emitter::type_of(const TracedNode& node) const {
  return node.is_pointer ? pointer_type(node.type, node.space) : ir_type(node.type);
}

std::uint32_t Emitter::name_of(std::uint32_t number) const {
  for (auto names = guarded_names_.rbegin(); names != guarded_names_.rend(); ++names)
    if (const auto found = names->find(number); found != names->end()) return found->second;
  return number;
}

std::string Emitter::value(Node which) const {
  const TracedNode& node = program_.at(which);
  switch (node.op) {
    case Op::constant:
      return constant_text(node.type, node.value);
    case Op::array_parameter:
      return fmt::format("%a{}", node.value);
    case Op::size_parameter:
      return fmt::format("%n{}", node.value);
    case Op::function_parameter:
      if (node.is_pointer || node.type != Scalar::boolean) return fmt::format("%p{}", node.value);
      return fmt::format("%v{}", name_of(number_of(which)));
    case Op::scalar_parameter:
      if (node.type != Scalar::boolean) return fmt::format("%p{}", node.value);
      [[fallthrough]];
    default:
      return fmt::format("%v{}", name_of(number_of(which)));
  }
}

std::string Emitter::typed(Node which) const {
  return type_of(program_.at(which)) + " " + value(which);
}

void Emitter::emit(std::uint32_t i, const TracedNode& node) {
  const auto& in = node.operands;
  switch (node.op) {
    case Op::constant:
    case Op::array_parameter:
    case Op::size_parameter:
      break;
    case Op::call:
      emit_call(i, node);
      break;
    case Op::scalar_parameter:
    case Op::function_parameter:
      if (!node.is_pointer && node.type == Scalar::boolean) line("%v{} = icmp ne i8 %p{}, 0", i, node.value);
      break;
    case Op::unary:
      emit_unary(i, node);
      break;
    case Op::binary:
      emit_binary(i, node);
      break;
    case Op::logical:
      emit_logical(i, node);
      break;
    case Op::convert:
      emit_convert(i, node);
      break;
    case Op::bit_cast:
      line("%v{} = bitcast {} to {}", i, typed(in[0]), ir_type(node.type));
      break;
    case Op::select:
      line("%v{} = select {}, {}, {}", i, typed(in[0]), typed(in[1]), typed(in[2]));
      break;
    case Op::special:
      emit_special(i, node);
      break;
    case Op::local_memory:
    case Op::shared_memory:
    case Op::dynamic_shared_memory:
    case Op::constant_memory:
      emit_memory(i, node);
      break;
    case Op::element:
      line("%v{} = getelementptr {}, {}, {}", i, memory_type(node.type), typed(in[0]), typed(in[1]));
      break;
    case Op::load:
      emit_load(i, node);
      break;
    case Op::store:
      emit_store(i, node);
      break;
    case Op::atomic:
      emit_atomic(i, node);
      break;
    case Op::math:
      emit_math(i, node);
      break;
    case Op::instruction:
      emit_instruction(i, node);
      break;
    case Op::assert_failed:
      emit_assertion(i, node);
      break;
    case Op::print:
      emit_print(i, node);
      break;
    default:
      emit_control(i, node);
      break;
  }
}

std::string Emitter::kernel_definition() const {
  std::string parameters;
  for (std::size_t k = 0; k < program_.parameters.size(); ++k) {
    const auto& [type, is_array, is_const] = program_.parameters[k];
    const char* comma = k == 0 ? "" : ", ";
    if (is_array)
      parameters += fmt::format("{}{} %a{}, i64 %n{}", comma, pointer_type(type, Space::global), k, k);
    else
      parameters += fmt::format("{}{} %p{}", comma, memory_type(type), k);
  }
  return fmt::format("\ndefine void @{}({}) #0 {{\nentry:\n{}{}  ret void\n}}\n", program_.name, parameters,
                     entry_, body_);
}

std::string Emitter::function_definition() const {
  std::string parameters;
  for (std::size_t k = 0; k < program_.arguments.size(); ++k) {
    const TracedNode& given = program_.arguments[k];
    parameters += fmt::format(
        "{}{} %p{}", k == 0 ? "" : ", ",
        given.is_pointer ? pointer_type(given.type, given.space) : std::string(memory_type(given.type)), k);
  }
  // A function that gives something back has left before its end.
  return fmt::format("\ndefine internal {} @{}({}) #0 {{\nentry:\n{}{}  {}\n}}\n",
                     program_.result ? memory_type(*program_.result) : "void", program_.name, parameters,
                     entry_, body_, program_.result ? "unreachable" : "ret void");
}

}  // namespace tare::detail
