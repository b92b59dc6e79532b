// One row per base opcode: what may follow it. Private to the parser; opcode.cpp holds the rows and
// decode.cpp and check.cpp read them.
#pragma once

#include <cstdint>
#include <string_view>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::ptx::detail {

/// A set of Type values.
using TypeSet = std::uint64_t;
constexpr TypeSet bit(Type type) {
  return TypeSet{1} << static_cast<unsigned>(type);
}
static_assert(static_cast<unsigned>(Type::surfref) < 64);

/// Groups of suffixes that a row may take, and what else is particular to it.
namespace Takes {
inline constexpr std::uint32_t rounding = 1u << 0, compare = 1u << 1, boolean = 1u << 2, space = 1u << 3,
                               vector = 1u << 4,  // .v2 .v4 .v8
    scope = 1u << 5,                              // .cta .cluster .gpu .sys
    order = 1u << 6,                              // .relaxed .acquire ...
    cache = 1u << 7,                              // .ca .L1::evict_last .L2::128B ...
    operation = 1u << 8,                          // .add .min .cas ... of atom, red, redux
    any_word = 1u << 9,  // any word of the language's vocabulary: families that only a GPU runs
    dual = 1u << 10,     // a second destination, d|p
    needs_compare = 1u << 11,
                               special = 1u << 12;  // a special register may be a source
}

/// destinations: where the instruction's first operand says whether it has one (an address has not).
inline constexpr std::uint8_t kByFirstOperand = 0xff;

struct OpcodeRow {
  std::string_view name;
  Op op = Op::invalid;
  std::uint8_t destinations = 0;
  /// A letter per operand; after `?` optional, after `*` any number of anything.
  ///   t u v  a value of suffix type 0, 1, 2      T U  the same, where a wider register may stand
  ///   w      type 0, or twice as wide with .wide  i l  32 bits, 64 bits
  ///   p      predicate                            k    integer constant
  ///   A      address                              M    as mov: also a vector, an address of a name
  ///   L B    label, name of .branchtargets        x    anything
  ///   f      f32                                  a    an address in a register of 32 or 64 bits, or a
  ///   number n c    number of a barrier, count of threads   o   32 bits or a predicate Y Z    address of
  ///   .shared, of .global S s z m r  of video instructions: result and source, which may be pieces; lanes; a
  ///   plain source; a register
  std::string_view operands;
  std::uint8_t min_types = 0, max_types = 0;
  TypeSet types = 0;
  std::uint32_t takes = 0;
  std::uint32_t modifiers = 0;  // bits of Modifier
  std::string_view words;       // further suffixes, separated by spaces; they go to Instruction::rest
};

/// The row of a base opcode ("add", "st.async"); null where there is none.
const OpcodeRow* find_row(std::string_view name);

}  // namespace tare::cpu::ptx::detail
