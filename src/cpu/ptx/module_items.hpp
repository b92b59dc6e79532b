// A module's text cut into what stands at its outermost level, without reading what is inside.
#pragma once

#include <string_view>
#include <vector>

#include "cpu/ptx/lexer.hpp"

namespace tare::cpu::ptx::detail {

struct Item {
  enum class Kind : std::uint8_t {
    function,     // with a body
    declaration,  // of a function
    variable,     // or several, separated by commas
    alias,        // names: the alias
    directive,    // .file, .pragma
    ignored,      // .loc, .section
  };
  Kind kind = Kind::directive;
  bool is_visible = false, is_extern = false, is_weak = false, is_common = false;
  bool is_shared = false;  // of a variable: its space
  std::string_view text;   // all of it
  std::string_view head;   // of a function: what precedes its body
  std::vector<std::string_view> names;

  /// Known outside of its text.
  bool is_linked() const { return is_visible || is_extern || is_weak || is_common; }
  bool is_definition() const { return kind == Kind::function || (kind == Kind::variable && !is_extern); }
};

struct Items {
  std::string_view version;  // "9.0"
  std::string_view target;   // "sm_90a"
  std::vector<Item> items;
};

/// Throws Failure where the text is no module.
Items module_items(std::string_view text);

}  // namespace tare::cpu::ptx::detail
