// A kernel's words to the host: printf and assert.
#pragma once

#include <array>

#include "tare/jit/control.hpp"

namespace tare {

/// The format, with the line that has it.
struct Format {
  template <class Text>
  requires std::convertible_to<Text, const char*> Format(
      const Text& format, const detail::Where& here = detail::Where::current())  // NOLINT: implicit
      : text(format), where(here) {}
  const char* text;
  detail::Where where;
};

/// C's printf, for numbers: what a thread prints reaches stdout when the host next synchronises. Throws
/// Error(argument) where the format does not fit the arguments.
template <class... A>
void print(const Format& format, const A&... arguments) {
  static_assert(
      (detail::Operand<A> && ...),
      "tare::print prints numbers: write a text into the format itself, and what is known while the "
      "kernel is traced with std::string and .c_str()");
  if constexpr ((detail::Operand<A> && ...)) {
    detail::at_line(format.where);
    const std::array<detail::Scalar, sizeof...(A)> types{detail::scalar_of<detail::operand_t<A>>()...};
    const std::array<detail::Node, sizeof...(A)> nodes{detail::value_of(arguments).node()...};
    detail::print(format.text, types, nodes, format.where);
  }
}

/// Where the condition does not hold, the thread says so as CUDA C++'s assert() does, with the line of this
/// call, the kernel's name, block and thread, the condition and the message, and the launch fails
/// (CUDA_ERROR_ASSERT).
template <detail::Operand C>
void assert_(const C& condition, const char* message = "",
             const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  const Value<bool> holds = cast<bool>(condition);
  if_(
      !holds, [&] { detail::assert_failed(holds.node(), message, where); }, where);
}

}  // namespace tare
