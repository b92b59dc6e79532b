// The names in scope while a module is parsed: nested `{}` scopes, shadowing, and register ranges such
// as `%r<40>`, whose members exist only once they are mentioned. Views point into the PTX text.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::ptx::detail {

struct Symbol {
  enum class Kind : std::uint8_t {
    reg,  // index into Function::registers, kNoId until first mentioned
    module_variable,
    function_variable,
    parameter,
    return_value,
    function,
    prototype,
    branch_targets,  // index into the parser's own tables
    call_targets,
    label,  // index into Function::labels
  };
  Kind kind = Kind::reg;
  std::uint32_t index = kNoId;
  Type type = Type::none;  // of a register
  std::uint8_t width = 1;  // of a register declared .v2 or .v4
};

class Names {
 public:
  Names() { enter(); }

  void enter() { scopes_.emplace_back(); }
  void leave();
  std::size_t depth() const { return scopes_.size(); }

  /// False where the innermost scope has the name already.
  bool declare(std::string_view name, const Symbol& symbol);
  /// Declares prefix0 .. prefix(count - 1). False where the innermost scope has such a range already.
  bool declare_range(std::string_view prefix, std::uint64_t count, Type type, std::uint8_t width);

  /// Null where the name is unknown. The pointer is good until the next declaration or look-up.
  Symbol* find(std::string_view name);

 private:
  struct Entry {
    Symbol symbol;
    std::uint32_t depth;
    std::uint32_t shadowed;  // index of the entry this one hides, or kNoId
  };
  struct Range {
    std::uint64_t count;
    Type type;
    std::uint8_t width;
    std::uint32_t depth;
  };
  struct Scope {
    std::vector<std::string_view> names;
    std::vector<std::string_view> prefixes;
  };

  std::uint32_t entry_of(std::string_view name) const;
  Symbol* insert(std::string_view name, const Symbol& symbol, std::size_t depth);
  const Range* find_range(std::string_view name, std::size_t above) const;

  std::vector<Scope> scopes_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::uint32_t> names_;  // kNoId: in no scope now
  std::unordered_map<std::string_view, std::vector<Range>> ranges_;
  std::vector<std::uint32_t> range_depths_;  // depths of scopes that declare ranges, ascending
};

}  // namespace tare::cpu::ptx::detail
