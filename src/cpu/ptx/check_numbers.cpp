// Operands whose value or piece is held to what the instruction takes: numbers of barriers, sizes of copies,
// pieces of the registers of video instructions. Messages are ptxas's.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "cpu/ptx/parser_state.hpp"

namespace tare::cpu::ptx::detail {

namespace {

using Kind = Operand::Kind;

bool is_in(const Instruction& in, std::string_view word) {
  return std::find(in.rest.begin(), in.rest.end(), word) != in.rest.end();
}

class NumberChecker {
 public:
  NumberChecker(const Instruction& in, std::size_t index)
      : in_(in), index_(index), number_(in.operands[index].integer) {}

  void is_one_of(std::initializer_list<std::int64_t> values) const {
    if (std::find(values.begin(), values.end(), number_) != values.end()) return;
    std::string expected;
    for (const std::int64_t value : values) {
      expected += (expected.empty() ? "" : " or ") + std::to_string(value);
    }
    fail(in_.line, fmt::format("Argument {} of instruction '{}': unexpected value '{}', expected to be {}",
                               index_, message_name(in_), number_, expected));
  }

  void is_at_most(std::int64_t most) const {
    if (number_ >= 0 && number_ <= most) return;
    fail(in_.line, fmt::format("Argument {} of instruction '{}': value '{}' out of range, expected to be in "
                               "range [0..{}]",
                               index_, message_name(in_), number_, most));
  }

  void is_power_of_two() const {
    if (number_ > 0 && std::has_single_bit(static_cast<std::uint64_t>(number_))) return;
    fail(in_.line, "Alignment must be a power of two");
  }

  void is_barrier() const {
    constexpr std::int64_t kBarriers = 16;
    if (number_ >= 0 && number_ < kBarriers) return;
    fail(in_.line, fmt::format("Barrier number '{}' out of range, expected to be in range [0..15]", number_));
  }

  void is_thread_count() const {
    constexpr std::int64_t kWarp = 32;
    if (number_ % kWarp != 0) {
      fail(in_.line, "Number of threads participating in barrier must be in multiple of warp size");
    }
    if (number_ == 0 && is_in(in_, "arrive")) {
      fail(in_.line,
           fmt::format("Instruction '{}.arrive' requires a non-zero thread count argument", name_of(in_.op)));
    }
  }

 private:
  const Instruction& in_;
  std::size_t index_;
  std::int64_t number_;
};

// Whether a video instruction has an operation after its own, on a third source.
bool has_second_operation(const Instruction& in) {
  return is_in(in, "add") || is_in(in, "min") || is_in(in, "max");
}

}  // namespace

void check_number(const Instruction& in, std::size_t index, char letter) {
  if (in.operands[index].kind != Kind::integer) return;
  const NumberChecker number(in, index);
  constexpr std::int64_t kLine = 128;   // bytes of L2
  constexpr std::int64_t kWidest = 16;  // bytes of one cp.async
  constexpr std::int64_t kBits = 255;   // of a position and a length in bfe and bfi
  constexpr std::int64_t kLastEvent = 15, kEvents = 0xffff;
  switch (in.op) {
    case Op::bar:
    case Op::barrier:
      if (letter == 'n') number.is_barrier();
      if (letter == 'c') number.is_thread_count();
      break;
    case Op::bfe:
    case Op::bfi:
      if (letter == 'i') number.is_at_most(kBits);
      break;
    case Op::alloca_:
      if (letter == 'k') number.is_power_of_two();
      break;
    case Op::pmevent:
      number.is_at_most(is_in(in, "mask") ? kEvents : kLastEvent);
      break;
    case Op::discard:
    case Op::applypriority:
      if (letter == 'k') number.is_one_of({kLine});
      break;
    case Op::cp:
      if (letter == 'k' && is_in(in, "cg")) number.is_one_of({kWidest});
      if (letter == 'k' && is_in(in, "ca")) number.is_one_of({4, 8, kWidest});
      if (letter == 'o') number.is_at_most(in.operands[index - 1].integer);
      break;
    default:
      break;
  }
}

void check_negation(const Instruction& in) {
  const std::vector<Operand>& all = in.operands;
  const bool product = all[1].negated != all[2].negated;
  if (is_in(in, "po") && (all[1].negated || all[2].negated || all[3].negated)) {
    fail(in.line, "Conflicting use of '.po' modifier with operand negation");
  }
  if (all[0].negated || (product && all[3].negated)) {
    fail(in.line, "Operand negation limited to either (source A xor source B) or source C");
  }
}

void check_selector(const Instruction& in, std::size_t index, char letter) {
  constexpr unsigned kBytes = 1u << 14, kCountBit = 12;
  const unsigned selector = in.operands[index].selector;
  if (selector == 0) return;
  const unsigned count = (selector >> kCountBit & 3u) + 1;
  const char lanes = name_of(in.op).back();  // vadd2, vadd4
  bool fits = letter == 'S' || letter == 's' || letter == 'z';
  if (lanes == '2' || lanes == '4') {
    const bool is_bytes = (selector & kBytes) != 0;
    fits =
        fits && is_bytes == (lanes == '4') && (letter == 'S' || count == static_cast<unsigned>(lanes - '0'));
  } else {
    constexpr std::size_t kWithThird = 4;
    const bool merges = in.operands.size() == kWithThird && !has_second_operation(in);
    fits = fits && count == 1 && (letter != 'S' || merges);
  }
  if (!fits) {
    fail(in.line,
         fmt::format("Incorrect video selector for operand {} of instruction '{}'", index, message_name(in)));
  }
}

}  // namespace tare::cpu::ptx::detail
