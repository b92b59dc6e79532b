// Shared by the parser's tests: text in, module or error out, with the head of a module written once.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "cpu/ptx/parser.hpp"

namespace tare::cpu::ptx {

inline const std::string kHead = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// The module of `text`; a failure and an empty module where it is refused.
inline Module parsed(const std::string& text) {
  auto result = parse(text);
  if (const auto* error = std::get_if<ParseError>(&result)) {
    ADD_FAILURE() << "line " << error->line << ": " << error->message << "\nin:\n" << text;
    return {};
  }
  return std::get<Module>(std::move(result));
}

/// "LINE: MESSAGE" of a text that is refused; "accepted" of one that is not.
inline std::string refusal(const std::string& text, const ParseOptions& options = {}) {
  auto result = parse(text, options);
  const auto* error = std::get_if<ParseError>(&result);
  return error == nullptr ? "accepted" : std::to_string(error->line) + ": " + error->message;
}

/// A module whose kernel `k` has registers of every kind and, on its line 9, `body`.
inline std::string kernel(const std::string& body, const std::string& before = {}) {
  return kHead + before + "\n.visible .entry k(.param .u64 p, .param .f32 q)\n{\n" +
         ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .u32 %u<9>; .reg .s32 %s<9>; .reg .b64 "
         "%rd<20>; "
         ".reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b128 %q<3>;\n\n" +
         body + "\nret;\n}\n";
}

inline Function kernel_of(const std::string& body, const std::string& before = {}) {
  Module module = parsed(kernel(body, before));
  for (Function& function : module.functions) {
    if (function.is_entry) return function;
  }
  return {};
}

/// The first instruction of `body`.
inline Instruction first_of(const std::string& body, const std::string& before = {}) {
  Function function = kernel_of(body, before);
  return function.body.empty() ? Instruction{} : function.body.front();
}

inline std::string refusal_of(const std::string& body, const std::string& before = {}) {
  return refusal(kernel(body, before));
}

}  // namespace tare::cpu::ptx
