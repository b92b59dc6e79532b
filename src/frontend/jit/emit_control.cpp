// Where the thread goes: blocks, loops, && and ||, calls.
#include <fmt/format.h>

#include "frontend/jit/emitter.hpp"

namespace tare::detail {

void Emitter::emit_logical(std::uint32_t i, const TracedNode& node) {
  const bool is_and = node.detail != 0;
  line("br label %left{}", i);
  label("left{}", i);
  line("br {}, label %{}{}, label %{}{}", typed(node.operands[0]), is_and ? "right" : "decided", i,
       is_and ? "decided" : "right", i);
  label("right{}", i);
  guarded_names_.emplace_back();
  for (const Node guarded : program_.guarded[node.value]) {
    const TracedNode& again = program_.at(guarded);
    if (again.is_pointer && again.op != Op::element) continue;  // memory is where it is
    const std::uint32_t name = next_name_++;
    emit(name, again);
    guarded_names_.back()[number_of(guarded)] = name;
  }
  const std::string right = value(node.operands[1]);
  guarded_names_.pop_back();
  line("br label %after{}", i);
  label("after{}", i);
  line("br label %decided{}", i);
  label("decided{}", i);
  line("%v{} = phi i1 [ {}, %left{} ], [ {}, %after{} ]", i, !is_and, i, right, i);
}

void Emitter::emit_call(std::uint32_t i, const TracedNode& node) {
  const TracedCall& call = program_.calls[node.value];
  const TracedProgram& called = kernel_.functions[call.function];
  std::string arguments;
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    std::string argument = typed(call.arguments[k]);
    if (argument.starts_with("i1 ")) {
      line("%v{}.{} = zext {} to i8", i, k, argument);
      argument = fmt::format("i8 %v{}.{}", i, k);
    }
    arguments += (k == 0 ? "" : ", ") + argument;
  }
  if (!called.result) {
    line("call void @{}({}) #1", called.name, arguments);
    return;
  }
  const bool flag = *called.result == Scalar::boolean;
  line("%v{}{} = call {} @{}({}) #1", i, flag ? ".byte" : "", memory_type(*called.result), called.name,
       arguments);
  if (flag) line("%v{} = icmp ne i8 %v{}.byte, 0", i, i);
}

void Emitter::emit_control(std::uint32_t i, const TracedNode& node) {
  const auto begin = node.value;
  switch (node.op) {
    case Op::begin_if:
      line("br {}, label %then{}, label %{}{}", typed(node.operands[0]), i, has_else_[i] ? "else" : "end", i);
      label("then{}", i);
      break;
    case Op::begin_else:
      line("br label %end{}", begin);
      label("else{}", begin);
      break;
    case Op::end_if:
      line("br label %end{}", begin);
      label("end{}", begin);
      break;
    case Op::begin_loop:
      line("br label %loop{}", i);
      label("loop{}", i);
      break;
    case Op::loop_condition:
      line("br {}, label %body{}, label %end{}", typed(node.operands[0]), begin, begin);
      label("body{}", begin);
      break;
    case Op::loop_step:
      line("br label %step{}", begin);
      label("step{}", begin);
      break;
    case Op::end_loop:
      line("br label %loop{}", begin);
      label("end{}", begin);
      break;
    case Op::leave_loop:
      jump(i, fmt::format("br label %end{}", begin));
      break;
    case Op::continue_loop:
      jump(i, fmt::format("br label %step{}", begin));
      break;
    case Op::leave_function: {
      std::string given = typed(node.operands[0]);
      if (program_.result == Scalar::boolean) {
        line("%v{}.byte = zext {} to i8", i, given);
        given = fmt::format("i8 %v{}.byte", i);
      }
      jump(i, "ret " + given);
      break;
    }
    case Op::leave_kernel:
      jump(i, "ret void");
      break;
    default:
      break;
  }
}

void Emitter::jump(std::uint32_t i, const std::string& where) {
  line("{}", where);
  label("unreached{}", i);
}

}  // namespace tare::detail
