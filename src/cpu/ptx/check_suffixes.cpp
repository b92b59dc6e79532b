// Suffixes that depend on one another: what floating-point forms need and integer forms forbid, which
// comparison goes with which type, what an atomic operation may work on. Messages are ptxas's.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "cpu/ptx/decode.hpp"
#include "cpu/ptx/lexer.hpp"

namespace tare::cpu::ptx::detail {

namespace {

namespace M = Modifier;

bool is_real(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
    case Type::tf32:
    case Type::f32:
    case Type::f64:
    case Type::f32x2:
    case Type::e4m3x2:
    case Type::e5m2x2:
    case Type::e2m1x2:
    case Type::e2m3x2:
    case Type::e3m2x2:
    case Type::ue8m0x2:
    case Type::e4m3x4:
    case Type::e5m2x4:
    case Type::e2m1x4:
    case Type::e2m3x4:
    case Type::e3m2x4:
      return true;
    default:
      return false;
  }
}

bool is_half(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
}

bool is_video(Op op) {
  return op >= Op::vabsdiff && op <= Op::vsub4 && op != Op::vote;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Whether the comparison is one of the type: .lo and its like are unsigned, .ltu and its like are for floats.
bool compares(Compare compare, Type type) {
  const bool is_order = compare >= Compare::eq && compare <= Compare::ge;
  if (is_real(type)) return is_order || compare >= Compare::equ;
  if (type == Type::s16 || type == Type::s32 || type == Type::s64) return is_order;
  if (type == Type::u16 || type == Type::u32 || type == Type::u64) return is_order || compare < Compare::equ;
  return compare == Compare::eq || compare == Compare::ne;
}

class SuffixChecker {
 public:
  SuffixChecker(const Instruction& in, const OpcodeRow& row, std::uint32_t line)
      : in_(in), row_(row), line_(line) {}

  void run() const {
    if (in_.type_count < row_.min_types) refuse("Unexpected instruction types specified for '{}'");
    if ((row_.takes & Takes::needs_compare) != 0 && in_.compare == Compare::none) {
      refuse("Comparison modifier required for instruction '{}'");
    }
    check_required();
    if (in_.op == Op::cvt) {
      check_conversion(in_, line_);
    } else if ((row_.takes & Takes::any_word) == 0 && in_.type_count > 0) {
      check_common();
      check_arithmetic();
    }
  }

 private:
  [[noreturn]] void refuse(std::string_view format) const {
    fail(line_, fmt::format(fmt::runtime(format), message_name(in_)));
  }
  [[noreturn]] void refuse_modifier(std::string_view modifier) const {
    fail(line_, fmt::format("Illegal modifier '.{}' for instruction '{}'", modifier, message_name(in_)));
  }
  bool has_word(std::string_view word) const {
    return std::find(in_.rest.begin(), in_.rest.end(), word) != in_.rest.end();
  }
  bool has_scope() const {
    return has_word("cta") || has_word("cluster") || has_word("gpu") || has_word("sys");
  }

  // Suffixes without which the opcode says nothing.
  void check_required() const {
    const auto needs = [&](std::uint32_t any_of, std::string_view format) {
      if ((in_.modifiers & any_of) == 0) refuse(format);
    };
    switch (in_.op) {
      case Op::shf:
        needs(M::left | M::right, "Unexpected instruction types specified for '{}'");
        needs(M::clamp | M::wrap, "Clamp modifier required for instruction '{}'");
        break;
      case Op::bmsk:
      case Op::szext:
        needs(M::clamp | M::wrap, "Clamp modifier required for instruction '{}'");
        break;
      case Op::shfl:
        needs(M::up | M::down | M::bfly | M::idx, "Shuffle modifier required for instruction '{}'");
        break;
      case Op::vote:
        needs(M::all | M::any | M::uni | M::ballot, ".mode modifier required for instruction '{}'");
        break;
      case Op::match:
        needs(M::all | M::any, ".mode modifier required for instruction '{}'");
        break;
      case Op::mul24:
      case Op::mad24:
      case Op::dp2a:
        needs(M::lo | M::hi, "Unexpected instruction types specified for '{}'");
        break;
      case Op::brx:
        needs(M::idx, "Unexpected instruction types specified for '{}'");
        break;
      case Op::redux:
        if (operation().empty()) refuse("Reduction operation is required for instruction '{}'");
        break;
      case Op::createpolicy:
        check_policy();
        break;
      case Op::cvta:
      case Op::isspacep:
        if (in_.space == Space::generic) refuse("State space modifier required for instruction '{}'");
        break;
      case Op::atom:
      case Op::red:
        check_atomic();
        break;
      case Op::ld:
      case Op::ldu:
      case Op::st:
        for (const std::string_view order : {"relaxed", "acquire", "release"}) {
          if (has_word(order) && !has_scope()) {
            fail(line_,
                 fmt::format("Modifier '.{}' requires scope with '{}' instruction", order, name_of(in_.op)));
          }
        }
        check_access(in_, line_);
        break;
      default:
        break;
    }
  }

  void check_policy() const {
    if (!has_word("fractional") && !has_word("range") && !has_word("cvt")) {
      fail(line_, "Not a name of any known instruction: 'createpolicy'");
    }
    if (has_word("cvt") && !has_word("L2"))
      refuse(".L2 modifier required for instruction 'createpolicy.cvt'");
    const bool has_priority = has_word("L2::evict_last") || has_word("L2::evict_first") ||
                              has_word("L2::evict_normal") || has_word("L2::evict_unchanged");
    if (!has_word("cvt") && !has_priority) {
      refuse("cache eviction priority modifier required for instruction '{}'");
    }
    if (in_.space != Space::generic && (in_.space != Space::global || !has_word("range"))) {
      refuse("State space incorrect for instruction '{}'");
    }
  }

  // The operation of atom, red, redux.
  std::string_view operation() const {
    for (const std::string& word : in_.rest) {
      if (is_one_of(word, {"add", "inc", "dec", "min", "max", "and", "or", "xor", "cas", "exch"}))
        return word;
    }
    return {};
  }

  void check_atomic() const {
    const std::string_view op = operation();
    const Type type = in_.types[0];
    const auto is = [&](std::initializer_list<Type> types) {
      return std::find(types.begin(), types.end(), type) != types.end();
    };
    if (in_.op == Op::red) {
      for (const std::string_view order : {"acquire", "acq_rel"}) {
        if (has_word(order)) refuse_modifier(order);
      }
    }
    const bool hinted = has_word("L2::cache_hint");
    if (hinted && op == "cas") refuse_modifier("L2::cache_hint");
    if (hinted && in_.space == Space::shared) {
      fail(line_,
           fmt::format("Modifier '.L2::cache_hint' cannot be applied to '.shared' space for instruction '{}'",
                       name_of(in_.op)));
    }
    if (in_.vector > 1 && is_half(type) && !in_.has(M::noftz)) {
      fail(line_, fmt::format("'.noftz' modifier required for instruction '{}' with type '.{}'",
                              name_of(in_.op), name_of(type)));
    }
    const auto requires_types = [&](bool fits, std::string_view types) {
      if (!fits) {
        fail(line_,
             fmt::format("Operation .{} requires {} type for instruction '{}'", op, types, name_of(in_.op)));
      }
    };
    if (op.empty() || (in_.op == Op::red && is_one_of(op, {"cas", "exch"}))) {
      fail(line_, fmt::format("Illegal operation '{}{}' for instruction '{}'", op.empty() ? "" : ".", op,
                              name_of(in_.op)));
    }
    if (op == "add") {
      requires_types(is({Type::u32, Type::s32, Type::u64, Type::f64, Type::f32}) || is_half(type),
                     ".u32 or .s32 or .u64 or .f64 or f16 or f16x2 or .f32 or .bf16 or .bf16x2");
    } else if (op == "inc" || op == "dec") {
      requires_types(type == Type::u32, ".u32");
    } else if (is_one_of(op, {"and", "or", "xor"})) {
      requires_types(is({Type::b32, Type::b64}), ".b32 or .b64");
    } else if (op == "min" || op == "max") {
      requires_types(is({Type::u32, Type::s32, Type::u64, Type::s64}) || (in_.vector > 1 && is_half(type)),
                     ".u32 or .s32 or .u64 or .s64");
    } else {
      requires_types(is({Type::b32, Type::b64, Type::b128}) || (op == "cas" && type == Type::b16),
                     ".b16 or .b32 or .b64 or .b128");
    }
  }

  bool is_float_form() const {
    return is_real(in_.types[0]) || (in_.type_count > 1 && is_real(in_.types[1]));
  }

  // What holds for every opcode that takes the suffix.
  void check_common() const {
    const Type type = in_.types[0];
    const bool real = is_float_form();
    const bool is_double = type == Type::f64;
    const bool is_directed =
        in_.rounding == Rounding::rz || in_.rounding == Rounding::rm || in_.rounding == Rounding::rp;
    if (in_.rounding != Rounding::none &&
        (!real || (in_.rounding != Rounding::rn && (!is_directed || is_half(type))))) {
      refuse("Illegal rounding modifier for instruction '{}'");
    }
    const bool is_reciprocal = in_.op == Op::rcp || in_.op == Op::rsqrt;
    const bool flushes = in_.op == Op::slct ? in_.types[1] == Type::f32
                                            : real && (!is_double || (is_reciprocal && in_.has(M::approx)));
    const bool is_bf16_sum = (type == Type::bf16 || type == Type::bf16x2) && in_.op != Op::ex2;
    if (in_.has(M::ftz) && (!flushes || is_bf16_sum)) refuse_modifier("ftz");
    if (in_.has(M::approx) && is_double && !is_reciprocal) refuse_modifier("approx");
    if (in_.has(M::full) && is_double) refuse_modifier("full");
    if (in_.has(M::abs) && is_double) refuse_modifier("abs");
    if (in_.has(M::nan) && (!real || is_double)) refuse_modifier("NaN");
    if (in_.has(M::sat) && (is_double || type == Type::bf16 || type == Type::bf16x2)) refuse_modifier("sat");
    if (in_.has(M::sat) && !real && type != Type::s32 && !is_video(in_.op)) {
      fail(line_, fmt::format("Modifier '.sat' does not apply to '.{}' type", name_of(type)));
    }
    const bool clips = is_half(type) || type == Type::s32 || type == Type::s16x2;
    if (in_.has(M::relu) && !clips) refuse("Unexpected instruction types specified for '{}'");
    if (in_.has(M::cc) && real) refuse_modifier("cc");
    if (in_.has(M::cc) && size_of(type) == 2) {
      fail(line_, fmt::format("Modifier '.cc' applies only to {} integer types", name_of(in_.op)));
    }
    if (in_.has(M::cc) && in_.has(M::sat))
      fail(line_, "Modifier '.cc' cannot be combined with modifier '.sat'");
    if (in_.compare != Compare::none && !is_video(in_.op) &&
        !compares(in_.compare, in_.types[in_.type_count - 1u])) {
      fail(line_, "Mismatch between instruction type and comparison qualifier");
    }
  }

  void check_arithmetic() const {
    // A second type, where one is enough, is that of mixed precision: add.f32.f16.
    if (row_.min_types == 1 && in_.type_count == 2 && (in_.types[0] != Type::f32 || !is_half(in_.types[1]))) {
      refuse("Unexpected instruction types specified for '{}'");
    }
    const Type type = in_.types[0];
    const bool real = is_float_form();
    const std::uint32_t parts = in_.modifiers & (M::lo | M::hi | M::wide);
    const bool takes_rounding = in_.rounding != Rounding::none;
    switch (in_.op) {
      case Op::mul:
      case Op::mad:
      case Op::madc:
        if (real == std::has_single_bit(parts) || (parts != 0 && !std::has_single_bit(parts)) ||
            (in_.has(M::wide) && size_of(type) == 8)) {
          refuse("Unexpected instruction types specified for '{}'");
        }
        if (in_.op == Op::mad && in_.has(M::sat) && !real && !in_.has(M::hi)) refuse_modifier("sat");
        if (in_.op == Op::mad && real && !takes_rounding)
          refuse("Rounding modifier required for instruction '{}'");
        break;
      case Op::fma:
        if (!takes_rounding) refuse("Rounding modifier required for instruction '{}'");
        if (has_word("oob")) {
          if (!is_half(type)) refuse_modifier("oob");
          if (in_.has(M::ftz)) fail(line_, "Modifier '.ftz' cannot be combined with modifier '.oob'");
          if (in_.has(M::sat)) fail(line_, "Modifier '.sat' cannot be combined with modifier '.oob'");
        }
        break;
      case Op::mad24:
        if (in_.has(M::sat) && !in_.has(M::hi)) refuse_modifier("sat");
        break;
      case Op::div:
      case Op::rcp:
      case Op::sqrt:
        check_division(takes_rounding);
        break;
      case Op::sin:
      case Op::cos:
      case Op::lg2:
      case Op::ex2:
      case Op::tanh:
      case Op::rsqrt:
        if (!in_.has(M::approx)) refuse(".approx modifier required for instruction '{}'");
        check_exponential(type);
        break;
      case Op::set:
        check_set();
        break;
      default:
        break;
    }
  }

  // ex2 flushes bf16 always, and says so; f16 never.
  void check_exponential(Type type) const {
    if (in_.op != Op::ex2 || !is_half(type)) return;
    const bool is_bfloat = type == Type::bf16 || type == Type::bf16x2;
    if (is_bfloat && !in_.has(M::ftz)) {
      fail(line_, fmt::format(".ftz modifier required for instruction 'ex2.{}'", name_of(type)));
    }
    if (!is_bfloat && in_.has(M::ftz)) refuse_modifier("ftz");
  }

  // set.CMP.to.from: a pair of halves gives a pair or masks, a half 16 bits too, bf16 nothing of another
  // float.
  void check_set() const {
    const Type to = in_.types[0];
    const Type from = in_.types[1];
    const bool is_word = to == Type::u32 || to == Type::s32;
    const bool is_real_scalar = to == Type::f32 || to == Type::f16 || to == Type::bf16;
    bool fits = is_word || is_real_scalar;
    if (from == Type::f16x2 || from == Type::bf16x2) fits = is_word || to == from;
    if (from == Type::f16) fits = (fits && to != Type::f32) || to == Type::u16 || to == Type::s16;
    if (from == Type::bf16) fits = is_word || to == from || to == Type::u16 || to == Type::s16;
    if (!fits) refuse("Unexpected instruction types specified for '{}'");
    const bool flushes = from == Type::f32 || from == Type::f16 || from == Type::f16x2;
    if (in_.has(M::ftz) && (!flushes || to == Type::bf16)) refuse_modifier("ftz");
  }

  void check_division(bool takes_rounding) const {
    const bool is_double = in_.types[0] == Type::f64;
    const bool is_approximate = in_.has(M::approx) || in_.has(M::full);
    if (!is_float_form()) return;
    if (in_.op == Op::rcp && is_double && in_.has(M::approx) && !in_.has(M::ftz)) {
      fail(line_, "'.ftz' modifier required for instruction 'rcp.approx.f64'");
    }
    if (takes_rounding == is_approximate) {
      refuse(!is_double || in_.op == Op::rcp
                 ? "Rounding modifier or '.approx' modifier required for instruction '{}'"
                 : "Rounding modifier required for instruction '{}'");
    }
  }

  const Instruction& in_;
  const OpcodeRow& row_;
  std::uint32_t line_;
};

}  // namespace

void check_suffixes(const Instruction& in, const OpcodeRow& row, std::uint32_t line) {
  SuffixChecker(in, row, line).run();
}

}  // namespace tare::cpu::ptx::detail
