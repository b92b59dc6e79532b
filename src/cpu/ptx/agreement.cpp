// Which register may stand for which operand: PTX's agreement of types (PTX ISA 9.4).
#include "cpu/ptx/parser_state.hpp"

namespace tare::cpu::ptx::detail {

bool is_bits(Type t) {
  return t == Type::b8 || t == Type::b16 || t == Type::b32 || t == Type::b64 || t == Type::b128;
}

bool is_integer(Type t) {
  return t >= Type::u8 && t <= Type::s64;
}

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

}  // namespace tare::cpu::ptx::detail
