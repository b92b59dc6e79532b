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
template <detail::Operand... A>
void print(const Format& format, const A&... arguments) {
  const std::array<detail::Scalar, sizeof...(A)> types{detail::scalar_of<detail::operand_t<A>>()...};
  const std::array<detail::Node, sizeof...(A)> nodes{detail::value_of(arguments).node()...};
  detail::print(format.text, types, nodes, format.where);
}

/// Where the condition does not hold, the thread says so with the line of this call, and the launch fails
/// (CUDA_ERROR_ASSERT).
template <detail::Operand C>
void assert_(const C& condition, const char* message = "the kernel's assertion holds",
             const detail::Where& where = detail::Where::current()) {
  if_(
      !cast<bool>(condition), [&] { detail::assert_failed(message, where); }, where);
}

}  // namespace tare
