// Several PTX texts to one. PTX is what the CPU device loads and keeps, so linking is a matter of names: what
// one text declares and another defines becomes one function or variable, and what is private to a text
// gets a name of its own where another text has it too.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cpu/ptx/parser.hpp"

namespace tare::cpu::ptx {

/// A text, what parse() made of it, and how messages call it.
struct LinkInput {
  std::string name, text;
  std::shared_ptr<const Module> module;
};

/// One text with all functions and variables of `inputs`, at the newest .version and highest .target of them;
/// what none defines stays declared. A .weak definition gives way to another; two others of one name are an
/// error, and so is a function that two texts declare with other parameters, both in nvlink's words. DWARF
/// sections are left out.
std::variant<std::string, ParseError> link(const std::vector<LinkInput>& inputs);

}  // namespace tare::cpu::ptx
