// Operands against the opcode's row: count, kind, and register types by PTX's agreement rules
// (PTX ISA 9.4). Messages are ptxas's, so that a person who knows them finds them here.
#include <fmt/format.h>

#include <algorithm>

#include "cpu/ptx/parser_state.hpp"

namespace tare::cpu::ptx::detail {

namespace {

using Kind = Operand::Kind;
using SymbolKind = Operand::SymbolKind;

bool is_bits(Type t) {
  return t == Type::b8 || t == Type::b16 || t == Type::b32 || t == Type::b64 || t == Type::b128;
}

bool is_integer(Type t) {
  return t >= Type::u8 && t <= Type::s64;
}

// Whether a register of type `have` may stand for an operand of type `want`.
bool agrees(Type have, Type want, bool wider) {
  if (have == Type::pred || want == Type::pred) return have == want;
  const std::size_t have_size = size_of(have);
  const std::size_t want_size = size_of(want);
  if (wider ? have_size < want_size : have_size != want_size) return false;
  if (is_bits(have) || is_bits(want)) return true;
  if (is_integer(want)) return is_integer(have);
  return have == want;
}

Type doubled(Type type) {
  switch (type) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::u32:
      return Type::u64;
    case Type::s32:
      return Type::s64;
    default:
      return type;
  }
}

bool is_wide_special(Special special) {
  return special == Special::clock64 || special == Special::globaltimer ||
         special == Special::current_graph_exec;
}

bool is_in(const Instruction& in, std::string_view word) {
  return std::find(in.rest.begin(), in.rest.end(), word) != in.rest.end();
}

class Checker {
 public:
  Checker(const Instruction& in, const OpcodeRow& row, const Module& module, const Function& function)
      : in_(in), row_(row), module_(module), function_(function) {}

  void run() {
    if (in_.op == Op::call) {
      check_call();
      return;
    }
    check_count();
    check_forms();
    const std::size_t second = in_.destination_count == 2 ? 1 : 0;
    if (second == 1) check_second_destination();
    std::string_view letters = row_.operands;
    for (std::size_t i = 0; i < in_.operands.size(); ++i) {
      if (i == 1 && second == 1) continue;
      while (letters.starts_with('?')) letters.remove_prefix(1);
      if (letters.empty() || letters.front() == '*') return;
      check_operand(i, letters.front(), i < in_.destination_count);
      letters.remove_prefix(1);
    }
  }

 private:
  [[noreturn]] void mismatch() const { fail("Arguments mismatch for instruction '{}'"); }
  [[noreturn]] void fail(std::string_view format) const {
    detail::fail(in_.line, fmt::format(fmt::runtime(format), message_name(in_)));
  }

  void check_count() const {
    const std::size_t optional = row_.operands.find_first_of("?*");
    const std::size_t least = optional == std::string_view::npos ? row_.operands.size() : optional;
    const bool any = row_.operands.ends_with('*');
    const std::size_t most = row_.operands.size() - (optional == std::string_view::npos ? 0 : 1);
    const std::size_t count = in_.operands.size() - (in_.destination_count == 2 ? 1 : 0);
    if (count < least || (!any && count > most)) mismatch();
  }

  // Numbers and counts of barriers where they are constants.
  void check_barrier() const {
    constexpr std::int64_t kBarriers = 16, kWarp = 32;
    if (is_in(in_, "warp") || is_in(in_, "cluster")) return;
    const std::size_t number = is_in(in_, "red") ? 1 : 0;
    const auto constant = [&](std::size_t index) {
      return index < in_.operands.size() && in_.operands[index].kind == Kind::integer;
    };
    if (constant(number) && (in_.operands[number].integer < 0 || in_.operands[number].integer >= kBarriers)) {
      detail::fail(in_.line, fmt::format("Barrier number '{}' out of range, expected to be in range [0..15]",
                                         in_.operands[number].integer));
    }
    if (constant(number + 1) && in_.operands[number + 1].integer % kWarp != 0) {
      detail::fail(in_.line, "Number of threads participating in barrier must be in multiple of warp size");
    }
  }

  // What depends on suffixes beyond the letters.
  void check_forms() const {
    const bool is_warp_wide = in_.op == Op::vote || in_.op == Op::shfl;
    const bool needs_mask =
        module_.target_sm >= 70 && module_.version_major * 10 + module_.version_minor >= 64;
    if (is_warp_wide && !in_.has(Modifier::sync) && needs_mask) {
      fail(
          "Instruction '{}' without '.sync' is not supported on .target sm_70 and higher from PTX ISA "
          "version 6.4");
    }
    const std::size_t count = in_.operands.size() - (in_.destination_count == 2 ? 1 : 0);
    switch (in_.op) {
      case Op::setmaxnreg:
        // One of those that only the targets with a letter have: sm_90a.
        if (!module_.target.ends_with('a') && !module_.target.ends_with('f')) {
          fail("Instruction '{}' not supported on .target '" + module_.target + "'");
        }
        break;
      case Op::cvt:
        check_conversion_target(in_, module_);
        break;
      case Op::min:
      case Op::max:
        check_third(count);
        break;
      case Op::setp:
      case Op::set:
        if (in_.bool_op == Bool::none && count > 3)
          fail("Boolean operation is required for instruction '{}'");
        if (in_.bool_op != Bool::none && count < 4) mismatch();
        break;
      case Op::lop3:
        if ((in_.bool_op != Bool::none) != (count == 6)) mismatch();
        break;
      case Op::shfl:
        if (in_.has(Modifier::sync) != (count == 5)) mismatch();
        break;
      case Op::vote:
        if (in_.has(Modifier::sync) != (count == 3)) mismatch();
        break;
      case Op::atom:
        check_hint(count, is_in(in_, "cas") ? 4 : 3);
        if (is_in(in_, "cas")) check_moved(3);
        break;
      case Op::red:
        check_hint(count, 2);
        break;
      case Op::ld:
        check_hint(count, 2);
        check_access_target(in_, module_);
        break;
      case Op::st:
        check_hint(count, 2);
        check_access_target(in_, module_);
        if (in_.space == Space::constant) fail("State space incorrect for instruction '{}'");
        break;
      case Op::bar:
      case Op::barrier:
        if ((count == 0 && !is_in(in_, "cluster")) || count > (in_.destination_count == 1 ? 4u : 2u))
          mismatch();
        check_barrier();
        break;
      default:
        break;
    }
  }

  void check_third(std::size_t count) const {
    constexpr int kNewTarget = 100;
    if (count == 4 && in_.types[0] == Type::f32 && module_.target_sm < kNewTarget) {
      fail("Feature '{0}.f32 with 3 input operands' requires .target sm_100 or higher");
    }
  }

  // A policy of createpolicy comes last where .L2::cache_hint says that there is one.
  void check_hint(std::size_t count, std::size_t plain) const {
    const bool hinted = is_in(in_, "L2::cache_hint");
    if (!hinted && count == plain + 1) {
      fail(".L2::cache_hint modifier required for instruction '{}' with " + std::to_string(count) +
           " arguments");
    }
    if (count != plain + (hinted ? 1 : 0)) mismatch();
    if (hinted) check_value(plain, Type::b64, false);
  }

  void check_second_destination() const {
    const Operand& operand = in_.operands[1];
    if (operand.kind == Kind::sink) return;
    if (operand.kind != Kind::reg) fail("Result register required for instruction '{}'");
    if (!agrees(function_.registers[operand.id].type, Type::pred, false)) mismatch();
  }

  void check_operand(std::size_t index, char letter, bool is_destination) const {
    const Operand& operand = in_.operands[index];
    const bool is_result =
        operand.kind == Kind::reg || operand.kind == Kind::vector || operand.kind == Kind::sink;
    if (is_destination && !is_result) fail("Result register required for instruction '{}'");
    if (!is_destination && operand.kind == Kind::sink && letter != 'x') mismatch();
    if (operand.negated && in_.op != Op::vmad &&
        (is_destination || operand.kind != Kind::reg || function_.registers[operand.id].type != Type::pred)) {
      fail("Operand negation not allowed for instruction '{}'");
    }
    switch (letter) {
      case 't':
        check_value(index, mixed(index), false);
        break;
      case 'u':
        check_value(index, in_.types[1], false);
        break;
      case 'v':
        check_value(index, in_.types[2], false);
        break;
      case 'T':
        check_memory_value(index, in_.types[0]);
        break;
      case 'U':
        check_memory_value(index, in_.types[in_.type_count - 1u]);
        break;
      case 'w':
        check_value(index, in_.has(Modifier::wide) ? doubled(in_.types[0]) : in_.types[0], false);
        break;
      case 'i':
        check_value(index, Type::u32, false);
        break;
      case 'l':
        check_value(index, Type::b64, false);
        break;
      case 'p':
        check_value(index, Type::pred, false);
        break;
      case 'M':
        check_moved(index);
        break;
      case 'A':
        check_address(operand);
        break;
      case 'k':
        if (operand.kind != Kind::integer) mismatch();
        break;
      default:
        break;
    }
  }

  // add.f32.f16 d, a, c and fma.rn.f32.f16 d, a, b, c: the first and last have the first type.
  Type mixed(std::size_t index) const {
    const bool is_mixed = row_.min_types == 1 && in_.type_count == 2;
    return is_mixed && index != 0 && index + 1 != in_.operands.size() ? in_.types[1] : in_.types[0];
  }

  void check_value(std::size_t index, Type want, bool wider) const {
    const Operand& operand = in_.operands[index];
    switch (operand.kind) {
      case Kind::reg:
        if (!agrees(function_.registers[operand.id].type, want, wider)) mismatch();
        break;
      case Kind::integer:
        if (want != Type::pred && !is_bits(want) && !is_integer(want)) mismatch();
        break;
      case Kind::real:
        check_real(operand, want);
        break;
      case Kind::special:
        if ((row_.takes & Takes::special) == 0) {
          fail("Special register argument not allowed for instruction '{}'");
        }
        check_special(operand, want);
        break;
      case Kind::sink:
        break;
      case Kind::vector:
        fail("Vector operand is not allowed for instruction '{}'");
      case Kind::symbol:
        detail::fail(in_.line, fmt::format("Argument {} of instruction '{}': must be register", index,
                                           message_name(in_)));
      default:
        mismatch();
    }
  }

  void check_real(const Operand& operand, Type want) const {
    const bool fits = want == Type::f32 || want == Type::f64 || (want == Type::b32 && operand.is_f32) ||
                      (want == Type::b64 && !operand.is_f32);
    if (!fits) mismatch();
  }

  void check_special(const Operand& operand, Type want) const {
    if (want == Type::pred && operand.special == Special::is_explicit_cluster) return;
    if (!is_bits(want) && !is_integer(want)) mismatch();
    const bool fits =
        operand.special == Special::gridid || (size_of(want) == 8) == is_wide_special(operand.special);
    if (!fits && in_.op == Op::mov && operand.special != Special::other) mismatch();
  }

  // ld, st, cvt: a vector where .v2 and its like say so, and registers wider than the type (not for integers
  // that come from bf16 or become it).
  void check_memory_value(std::size_t index, Type want) const {
    const Operand& operand = in_.operands[index];
    if (in_.op == Op::cvt) {
      const auto pairs = [&](Type a, Type b) { return a == Type::bf16 && is_integer(b); };
      const bool exact = pairs(in_.types[0], in_.types[1]) || pairs(in_.types[1], in_.types[0]);
      if (operand.kind != Kind::vector) check_value(index, want, !exact);
      return;
    }
    if (in_.vector == 1) {
      check_value(index, want, true);
      return;
    }
    if (operand.kind != Kind::vector || operand.elements.size() != in_.vector) {
      fail("Argument vector size mismatch for instruction '{}'");
    }
    for (const Operand& element : operand.elements) {
      if (element.kind == Kind::reg && !agrees(function_.registers[element.id].type, want, true)) mismatch();
    }
  }

  void check_moved(std::size_t index) const {
    const Operand& operand = in_.operands[index];
    const Type want = in_.types[0];
    if (operand.kind == Kind::symbol) {
      if (size_of(want) < 4 || (!is_bits(want) && !is_integer(want))) mismatch();
      return;
    }
    if (operand.kind != Kind::vector) {
      check_value(index, want, false);
      return;
    }
    if (in_.vector > 1 && operand.elements.size() != in_.vector) {
      fail("Argument vector size mismatch for instruction '{}'");
    }
    // Without .v2, as in mov.b64 {a, b}, c: the elements together are as wide as the type.
    const std::size_t each = in_.vector > 1 ? size_of(want) : size_of(want) / operand.elements.size();
    if (in_.vector == 1 && (each * operand.elements.size() != size_of(want) || !is_bits(want))) mismatch();
    for (const Operand& element : operand.elements) {
      if (element.kind == Kind::vector || element.kind == Kind::symbol) mismatch();
      if (element.kind != Kind::reg) continue;
      const Type have = function_.registers[element.id].type;
      if (size_of(have) != each) {
        if (in_.vector == 1 && mixed_sizes(operand)) {
          detail::fail(in_.line, "Incompatible elements of vector expression");
        }
        mismatch();
      }
    }
  }

  // {%h1, %r2}: registers of different sizes.
  bool mixed_sizes(const Operand& vector) const {
    std::size_t first = 0;
    for (const Operand& element : vector.elements) {
      if (element.kind != Kind::reg) continue;
      const std::size_t size = size_of(function_.registers[element.id].type);
      if (first != 0 && size != first) return true;
      first = size;
    }
    return false;
  }

  void check_address(const Operand& operand) const {
    if (operand.kind != Kind::address) mismatch();
    Space space = Space::generic;
    switch (operand.symbol_kind) {
      case SymbolKind::module_variable:
        space = module_.variables[operand.symbol].space;
        break;
      case SymbolKind::function_variable:
        space = function_.variables[operand.symbol].space;
        break;
      case SymbolKind::parameter:
      case SymbolKind::return_value:
        space = Space::param;
        break;
      case SymbolKind::function:
        mismatch();
      default:
        if (operand.id == kNoId && in_.space != Space::local) {
          fail("Immediate addresses allowed only for .local state space");
        }
        return;
    }
    const bool reaches = in_.space == Space::generic ? space != Space::param : space == in_.space;
    if (!reaches) {
      fail("State space mismatch between instruction and address in instruction '{}'");
    }
  }

  void check_call() const {
    const Operand& callee = in_.operands[1];
    const std::vector<Variable>* parameters = nullptr;
    const std::vector<Variable>* returns = nullptr;
    if (callee.kind == Kind::symbol) {
      parameters = &module_.functions[callee.symbol].parameters;
      returns = &module_.functions[callee.symbol].returns;
    } else if (in_.operands.size() < 4) {
      detail::fail(in_.line,
                   fmt::format("Call to '{}' requires call prototype", function_.registers[callee.id].name));
    } else if (in_.operands[3].kind == Kind::symbol) {
      parameters = &function_.prototypes[in_.operands[3].symbol].parameters;
      returns = &function_.prototypes[in_.operands[3].symbol].returns;
    } else {
      return;
    }
    check_passed(in_.operands[2], *parameters);
    check_passed(in_.operands[0], *returns);
  }

  void check_passed(const Operand& list, const std::vector<Variable>& formals) const {
    if (list.elements.size() != formals.size()) detail::fail(in_.line, "Call has wrong number of parameters");
    for (std::size_t i = 0; i < formals.size(); ++i) {
      const Variable& formal = formals[i];
      const Operand& actual = list.elements[i];
      bool matches = true;
      if (actual.kind == Kind::reg) {
        matches = !formal.is_array && agrees(function_.registers[actual.id].type, formal.type, false);
      } else if (actual.kind == Kind::symbol && actual.symbol_kind == SymbolKind::function_variable) {
        const Variable& variable = function_.variables[actual.symbol];
        matches = formal.size == 0 || variable.size == formal.size;
      }
      if (!matches) {
        detail::fail(in_.line,
                     fmt::format("Type of argument does not match formal parameter '{}'", formal.name));
      }
    }
  }

  const Instruction& in_;
  const OpcodeRow& row_;
  const Module& module_;
  const Function& function_;
};

}  // namespace

void check_operands(const Instruction& in, const OpcodeRow& row, const Module& module,
                    const Function& function) {
  Checker(in, row, module, function).run();
}

}  // namespace tare::cpu::ptx::detail
