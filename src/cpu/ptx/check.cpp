// Operands against the opcode's row: count, kind, and register types by PTX's agreement rules
// (PTX ISA 9.4). Messages are ptxas's, so that a person who knows them finds them here.
#include <fmt/format.h>

#include <algorithm>

#include "cpu/ptx/parser_state.hpp"

namespace tare::cpu::ptx::detail {

namespace {

using Kind = Operand::Kind;
using SymbolKind = Operand::SymbolKind;

// The types that cvt has had from the beginning.
bool is_older(Type type) {
  return is_integer(type) || type == Type::f16 || type == Type::f16x2 || type == Type::f32 ||
         type == Type::f64 || is_bits(type);
}

bool is_wide_special(Special special) {
  return special == Special::clock64 || special == Special::globaltimer ||
         special == Special::current_graph_exec;
}

bool is_in(const Instruction& in, std::string_view word) {
  return std::find(in.rest.begin(), in.rest.end(), word) != in.rest.end();
}

constexpr int kNewTarget = 100;  // sm_100

class Checker {
 public:
  Checker(const Instruction& in, const Decoded& decoded, const Module& module, const Function& function)
      : in_(in), row_(*decoded.row), letters_(decoded.operands), module_(module), function_(function) {}

  void run() {
    if (in_.op == Op::call) {
      check_call(in_, module_, function_);
      return;
    }
    choose_letters();
    check_count();
    check_forms();
    const std::size_t second = in_.destination_count == 2 ? 1 : 0;
    if (second == 1) check_second_destination();
    std::string_view letters = letters_;
    for (std::size_t i = 0; i < in_.operands.size(); ++i) {
      if (i == 1 && second == 1) continue;
      while (letters.starts_with('?')) letters.remove_prefix(1);
      if (letters.empty() || letters.front() == '*') return;
      check_operand(i, letters.front(), i < in_.destination_count);
      check_number(in_, i, letters.front());
      check_selector(in_, i, letters.front());
      letters.remove_prefix(1);
    }
  }

 private:
  [[noreturn]] void mismatch() const { fail("Arguments mismatch for instruction '{}'"); }
  [[noreturn]] void fail(std::string_view format) const {
    detail::fail(in_.line, fmt::format(fmt::runtime(format), message_name(in_)));
  }

  // Of several lists, the one as long as the operands.
  void choose_letters() {
    std::string_view lists = letters_;
    while (true) {
      const std::size_t end = std::min(lists.find('/'), lists.size());
      letters_ = lists.substr(0, end);
      if (letters_.size() == in_.operands.size() || end == lists.size()) return;
      lists.remove_prefix(end + 1);
    }
  }

  void check_count() const {
    const std::size_t optional = letters_.find_first_of("?*");
    const std::size_t least = optional == std::string_view::npos ? letters_.size() : optional;
    const bool any = letters_.ends_with('*');
    const std::size_t most = letters_.size() - (optional == std::string_view::npos ? 0 : 1);
    const std::size_t count = in_.operands.size() - (in_.destination_count == 2 ? 1 : 0);
    if (count < least || (!any && count > most)) mismatch();
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
    const bool is_mixed = row_.min_types == 1 && in_.type_count == 2;
    if ((is_mixed || in_.types[0] == Type::f32x2) && module_.target_sm < kNewTarget) {
      fail("Feature '{}." + std::string(name_of(in_.types[0])) +
           (is_mixed ? "." + std::string(name_of(in_.types[1])) : "") +
           "' requires .target sm_100 or higher");
    }
    switch (in_.op) {
      case Op::setmaxnreg:
        // One of those that only the targets with a letter have: sm_90a.
        if (!module_.target.ends_with('a') && !module_.target.ends_with('f')) {
          fail("Instruction '{}' not supported on .target '" + module_.target + "'");
        }
        break;
      case Op::cvt:
        check_conversion_target(in_, module_);
        if (count != conversion_operands(in_)) mismatch();
        break;
      case Op::cvta:
        if (size_of(in_.types[0]) == 4) check_address_size(in_, module_);
        break;
      case Op::redux:
        if (in_.types[0] == Type::f32 && module_.target_sm < kNewTarget) {
          fail("Instruction '{}.f32' not supported on .target '" + module_.target + "'");
        }
        if (in_.types[0] == Type::b32) {
          check_value(0, Type::u32, false);
          check_value(1, Type::u32, false);
        }
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
      case Op::elect:
        if (in_.destination_count != 2) fail("Predicate output expected for instruction '{}'");
        break;
      case Op::stackrestore:
        if (in_.operands[0].kind != Kind::reg) fail("Result register required for instruction '{}'");
        break;
      case Op::vmad:
        check_negation(in_);
        break;
      case Op::lop3:
        if (in_.bool_op != Bool::none && in_.destination_count != 2) {
          fail("Predicate output expected for instruction '{}'");
        }
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
        if (is_in(in_, "cas")) check_moved(3, false);
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
      default:
        break;
    }
  }

  void check_third(std::size_t count) const {
    if (count == 4 && in_.types[0] != Type::f32) mismatch();
    if (count == 3 && in_.has(Modifier::abs) && !in_.has(Modifier::xorsign)) {
      detail::fail(in_.line, "Modifier '.abs' requires modifier '.xorsign'");
    }
    if (count == 4 && module_.target_sm < kNewTarget) {
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
    if (hinted && in_.operands[plain].kind == Kind::sink) mismatch();
    if (hinted) check_value(plain, Type::u64, false);
  }

  void check_second_destination() const {
    const bool half_compare = in_.op == Op::setp && (in_.types[0] == Type::f16 || in_.types[0] == Type::bf16);
    if (half_compare || (in_.op == Op::lop3 && in_.bool_op == Bool::none) ||
        (in_.op == Op::match && in_.has(Modifier::any))) {
      fail("Predicate output not allowed for instruction '{}'");
    }
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
    if (is_destination && operand.kind == Kind::sink && !may_discard()) {
      fail("Result discard mode is not allowed for instruction '{}'");
    }
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
      case 'f':
        check_value(index, Type::f32, false);
        break;
      case 'a':
        check_value(index, bytes_of(operand.id) == 4 ? Type::u32 : Type::u64, false);
        break;
      case 'o':
        check_value(index, is_predicate(operand) ? Type::pred : Type::u32, false);
        break;
      case 'n':
      case 'c':
        check_value(index, Type::u32, false);
        break;
      case 'S':
      case 's':
      case 'z':
      case 'm':
      case 'r':
        if (operand.kind != Kind::reg && letter != 's' && letter != 'm') mismatch();
        check_value(index, Type::u32, false);
        break;
      case 'Y':
        detail::check_address(in_, operand, Space::shared, module_, function_);
        break;
      case 'Z':
        detail::check_address(in_, operand, Space::global, module_, function_);
        break;
      case 'l':
        check_value(index, Type::u64, false);
        break;
      case 'p':
        check_value(index, Type::pred, false);
        break;
      case 'M':
        check_moved(index, is_destination);
        break;
      case 'A':
        detail::check_address(in_, operand, in_.space, module_, function_);
        break;
      case 'k':
        if (operand.kind != Kind::integer) mismatch();
        break;
      default:
        break;
    }
  }

  // Where `_` may take the result's place.
  bool may_discard() const {
    return in_.destination_count == 2 || in_.op == Op::atom || in_.op == Op::setp ||
           (in_.op == Op::match && in_.has(Modifier::all));
  }

  std::size_t bytes_of(RegisterId id) const {
    return id == kNoId ? 0 : size_of(function_.registers[id].type);
  }

  bool is_predicate(const Operand& operand) const {
    return operand.kind == Kind::reg && function_.registers[operand.id].type == Type::pred;
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
    const std::size_t bytes = size_of(want);
    const bool fits = bytes == (is_wide_special(operand.special) ? 8u : 4u) ||
                      (operand.special == Special::gridid && bytes <= 8) ||
                      (operand.special <= Special::nctaid_z && bytes == 2);  // 16 bits in PTX 1.x
    if (!fits && in_.op == Op::mov && operand.special != Special::other) mismatch();
  }

  // Of the older types a wider register may hold the value, and an integer may come from a special register.
  void check_converted(std::size_t index, Type want) const {
    const Operand& operand = in_.operands[index];
    if (is_in(in_, "pack") && operand.kind == Kind::special) {
      fail("Special register argument not allowed for instruction '{}'");
    }
    if (is_in(in_, "pack")) return check_value(index, Type::u32, false);
    const bool of_four = in_.types[0] >= Type::e4m3x4 && in_.types[0] <= Type::e3m2x4 && index == 1;
    if (operand.kind == Kind::vector && of_four) return;
    const bool is_old = is_older(in_.types[0]) && is_older(in_.types[1]);
    if (operand.kind == Kind::special && !(is_integer(in_.types[0]) && is_integer(in_.types[1]))) {
      fail("Special register argument not allowed for instruction '{}'");
    }
    if (index < 2 || !is_in(in_, "scaled::n2::ue8m0")) check_value(index, want, is_old);
  }

  // ld, st: a vector where .v2 and its like say so, and registers wider than the type.
  void check_memory_value(std::size_t index, Type want) const {
    const Operand& operand = in_.operands[index];
    if (in_.op == Op::cvt) {
      check_converted(index, want);
      return;
    }
    if (in_.vector == 1) {
      check_value(index, want, true);
      return;
    }
    if (operand.kind != Kind::vector || operand.elements.size() != in_.vector) {
      fail("Argument vector size mismatch for instruction '{}'");
    }
    check_vector(operand, in_.op != Op::st);
    for (const Operand& element : operand.elements) {
      if (element.kind == Kind::reg && !agrees(function_.registers[element.id].type, want, true)) mismatch();
    }
  }

  void check_vector(const Operand& operand, bool is_destination) const {
    constexpr std::size_t kWidest = 16;  // bytes
    if (in_.vector > 1 && operand.elements.size() != in_.vector) {
      fail("Argument vector size mismatch for instruction '{}'");
    }
    const Operand& other = in_.operands[is_destination ? in_.operands.size() - 1 : 0];
    if (in_.vector == 1 && in_.op == Op::mov && other.kind == Kind::vector) {
      detail::fail(in_.line,
                   "Illegal vector-vector operands for vector-scalar or scalar-vector mov instruction");
    }
    if (in_.vector == 1 && in_.op != Op::mov) fail("Vector operand is not allowed for instruction '{}'");
    if (in_.op == Op::mov && in_.vector > 1 && in_.types[0] == Type::pred) {
      fail("Vector qualifier is not allowed for instruction '{}'");
    }
    if (in_.op == Op::mov && size_of(in_.types[0]) * in_.vector > kWidest) {
      detail::fail(in_.line, "Vector type too large, exceeds 128 bit limit");
    }
    const bool reads_only = std::any_of(operand.elements.begin(), operand.elements.end(),
                                        [](const Operand& e) { return e.kind == Kind::special; });
    if (in_.op == Op::mov && in_.vector == 1 && reads_only) mismatch();
    if (in_.op != Op::mov && reads_only) fail("Special register argument not allowed for instruction '{}'");
    if (is_destination && reads_only) {
      detail::fail(in_.line, "Read-only special register cannot be destination argument");
    }
  }

  void check_moved(std::size_t index, bool is_destination) const {
    const Operand& operand = in_.operands[index];
    const Type want = in_.types[0];
    if (operand.kind == Kind::symbol) {
      if (size_of(want) < 4 || (!is_bits(want) && !is_integer(want))) mismatch();
      detail::check_symbol(in_, operand, module_, function_);
      return;
    }
    if (operand.kind != Kind::vector) {
      if (in_.vector > 1) {
        detail::fail(in_.line, is_destination ? "Result vector expected"
                                              : fmt::format("Vector expected for argument {}", index));
      }
      if (operand.kind == Kind::sink && !is_destination) mismatch();
      check_value(index, want, false);
      return;
    }
    check_vector(operand, is_destination);
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

  const Instruction& in_;
  const OpcodeRow& row_;
  std::string_view letters_;
  const Module& module_;
  const Function& function_;
};

}  // namespace

void check_operands(const Instruction& in, const Decoded& decoded, const Module& module,
                    const Function& function) {
  Checker(in, decoded, module, function).run();
}

}  // namespace tare::cpu::ptx::detail
