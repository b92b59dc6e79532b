// Which modifiers a load or store takes in which state space, as ptxas 13.0 has it.
#include <fmt/format.h>

#include <algorithm>

#include "cpu/ptx/decode.hpp"
#include "cpu/ptx/lexer.hpp"

namespace tare::cpu::ptx::detail {
namespace {

constexpr std::size_t kWidest = 16, kWidestOfNewTargets = 32;  // bytes of one access

constexpr std::uint32_t bit(Space space) {
  return 1u << static_cast<unsigned>(space);
}
constexpr std::uint32_t kGlobal = bit(Space::generic) | bit(Space::global);
/// Memory that other threads reach: an order among them means nothing elsewhere.
constexpr std::uint32_t kShareable = kGlobal | bit(Space::shared);

struct Rule {
  std::string_view word;  // of Instruction::rest; with a `*` at its end, what begins so
  std::uint32_t spaces;
  std::string_view suffix;  // of the message
};

constexpr Rule kRules[] = {
    {"relaxed", kShareable, ""},
    {"acquire", kShareable, ""},
    {"release", kShareable, ""},
    {"mmio", kGlobal, ""},
    {"L1::*", kGlobal, " for instruction '{}'"},
    {"L2::cache_hint", kGlobal, " for instruction '{}'"},
};

const char* written(Space space) {
  switch (space) {
    case Space::constant:
      return "const";
    case Space::local:
      return "local";
    case Space::param:
      return "param";
    case Space::shared:
      return "shared";
    default:
      return "global";
  }
}

bool matches(std::string_view word, std::string_view pattern) {
  if (!pattern.ends_with('*')) return word == pattern;
  return word.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool is_prefetch(std::string_view word) {
  return word == "L2::64B" || word == "L2::128B" || word == "L2::256B";
}

class AccessChecker {
 public:
  AccessChecker(const Instruction& in, std::uint32_t line) : in_(in), line_(line), name_(name_of(in.op)) {}

  void run() const {
    if (in_.has(Modifier::volatile_)) check_space("volatile", kShareable, "");
    for (const std::string& word : in_.rest) {
      for (const Rule& rule : kRules) {
        if (!matches(word, rule.word)) continue;
        // ptxas names .L1::evict_last without its level.
        const bool in_l1 = rule.word == "L1::*";
        check_space(in_l1 ? std::string_view(word).substr(4) : word, rule.spaces, rule.suffix);
      }
      check_word(word);
    }
    if (in_.vector > 1) check_vector();
  }

 private:
  void check_space(std::string_view modifier, std::uint32_t spaces, std::string_view suffix) const {
    if ((spaces & bit(in_.space)) != 0) return;
    fail(line_, fmt::format("Modifier '.{}' cannot be applied to '.{}' space", modifier, written(in_.space)) +
                    fmt::format(fmt::runtime(suffix), name_));
  }

  void check_word(std::string_view word) const {
    if (word == "nc" && in_.space != Space::global) fail(line_, "Modifier '.nc' requires .global space");
    if (word == "mmio" && in_.vector > 1) {
      fail(line_, fmt::format("Modifier '.mmio' cannot be combined with modifier '.v{}'", in_.vector));
    }
    if (word == "mmio" && std::find(in_.rest.begin(), in_.rest.end(), "relaxed") == in_.rest.end()) {
      fail(line_, fmt::format("Modifier '.mmio' requires modifier '.relaxed' for instruction '{}'", name_));
    }
    if (!is_prefetch(word)) return;
    if (in_.op == Op::st) fail(line_, fmt::format("Illegal modifier '.{}' for instruction 'st'", word));
    if ((kGlobal & bit(in_.space)) == 0) {
      fail(line_, "State space incorrect for feature 'cache prefetching'");
    }
  }

  void check_vector() const {
    const std::size_t element = size_of(in_.types[0]);
    const std::size_t bytes = element * in_.vector;
    if (bytes <= kWidest) return;
    if (bytes > kWidestOfNewTargets || element == kWidest || in_.op == Op::ldu) {
      fail(line_, "Vector type too large, exceeds 128 bit limit");
    }
  }

  const Instruction& in_;
  std::uint32_t line_;
  std::string_view name_;
};

}  // namespace

void check_access(const Instruction& in, std::uint32_t line) {
  AccessChecker(in, line).run();
}

void check_access_target(const Instruction& in, const Module& module) {
  constexpr int kNewTarget = 100;
  if (size_of(in.types[0]) * in.vector <= kWidest) return;
  if (module.target_sm < kNewTarget) {
    fail(in.line, "Feature '256 bit wide load/store' requires .target sm_100 or higher");
  }
  if ((kGlobal & bit(in.space)) == 0) {
    fail(in.line, "global state space expected for feature '256 bit wide load/store'");
  }
}

}  // namespace tare::cpu::ptx::detail
