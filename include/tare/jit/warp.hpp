// What the 32 threads of a warp do together: shuffles and votes, under CUDA C++'s names. `mask` has a bit for
// each thread that takes part; all of them have to come to the same call.
#pragma once

#include "tare/jit/operators.hpp"

namespace tare {

inline constexpr unsigned kWholeWarp = 0xffffffffu;

namespace detail {

/// A shuffle of 32 bits: PTX's operands a, b, c and the mask.
inline Node shuffle32(const char* text, Node value, Node lane, Node clamp, Node mask) {
  return instruction({.text = text, .result = Scalar::u32, .effects = true, .convergent = true},
                     {value, lane, clamp, mask});
}

/// The value in the 32 or 64 bits that the instructions of a warp take.
template <class T>
auto word_of(const Value<T>& value) {
  if constexpr (sizeof(T) == 8)
    return bit_cast<std::uint64_t>(value);
  else if constexpr (sizeof(T) == 4)
    return bit_cast<unsigned>(value);
  else if constexpr (std::same_as<T, half>)
    return cast<unsigned>(bit_cast<std::uint16_t>(value));
  else
    return cast<unsigned>(value);
}

template <class T>
Value<T> shuffle_of(const char* text, unsigned highest, const Value<unsigned>& mask, const Value<T>& value,
                    const Value<unsigned>& lane, unsigned width, const Where& where) {
  at_line(where);
  const Node clamp = Value<unsigned>(((32 - width) << 8) | highest).node();
  const auto send = [&](const Value<unsigned>& part) {
    return Value<unsigned>(shuffle32(text, part.node(), lane.node(), clamp, mask.node()));
  };
  const auto bits = word_of(value);
  if constexpr (sizeof(T) == 8) {
    const Value<unsigned> low = send(cast<unsigned>(bits)), high = send(cast<unsigned>(bits >> 32));
    return bit_cast<T>((cast<std::uint64_t>(high) << 32) | low);
  } else if constexpr (sizeof(T) == 4) {
    return bit_cast<T>(send(bits));
  } else if constexpr (std::same_as<T, half>) {
    return bit_cast<half>(cast<std::uint16_t>(send(bits)));
  } else {
    return cast<T>(send(bits));
  }
}

template <class T>
Value<unsigned> match_of(const char* text32, const char* text64, const Value<unsigned>& mask,
                         const Value<T>& value, const Where& where) {
  at_line(where);
  return Value<unsigned>(instruction(
      {.text = sizeof(T) == 8 ? text64 : text32, .result = Scalar::u32, .effects = true, .convergent = true},
      {word_of(value).node(), mask.node()}));
}

/// redux.sync's operations: of signed numbers, and of unsigned ones where that is another.
struct Reduction {
  const char *of_signed, *of_unsigned = of_signed;
};
inline constexpr Reduction kReduceAdd{"redux.sync.add.s32 $0, $1, $2;", "redux.sync.add.u32 $0, $1, $2;"},
    kReduceMin{"redux.sync.min.s32 $0, $1, $2;", "redux.sync.min.u32 $0, $1, $2;"},
    kReduceMax{"redux.sync.max.s32 $0, $1, $2;", "redux.sync.max.u32 $0, $1, $2;"},
    kReduceAnd{"redux.sync.and.b32 $0, $1, $2;"}, kReduceOr{"redux.sync.or.b32 $0, $1, $2;"},
    kReduceXor{"redux.sync.xor.b32 $0, $1, $2;"};

template <class T>
auto reduction_of(const Reduction& reduction, const Value<unsigned>& mask, const Value<T>& value,
                  const Where& where) {
  using Result = promoted_t<Value<T>>;
  static_assert(std::integral<T> && sizeof(Result) == 4,
                "a reduction by one instruction is of int or unsigned: shuffle other types");
  at_line(where);
  return Value<Result>(
      instruction({.text = std::is_signed_v<Result> ? reduction.of_signed : reduction.of_unsigned,
                   .result = scalar_of<Result>(),
                   .effects = true,
                   .convergent = true},
                  {Value<Result>(value).node(), mask.node()}));
}

}  // namespace detail

/// `width`: 1, 2, 4, 8, 16 or 32, the threads that a shuffle stays within. Of any type.
template <detail::Operand M, detail::Operand X, detail::Operand L>
auto shfl_sync(const M& mask, const X& value, const L& lane, unsigned width = 32,
               const detail::Where& where = detail::Where::current()) {
  return detail::shuffle_of<detail::operand_t<X>>("shfl.sync.idx.b32 $0, $1, $2, $3, $4;", 31, mask, value,
                                                  lane, width, where);
}
template <detail::Operand M, detail::Operand X, detail::Operand L>
auto shfl_up_sync(const M& mask, const X& value, const L& delta, unsigned width = 32,
                  const detail::Where& where = detail::Where::current()) {
  return detail::shuffle_of<detail::operand_t<X>>("shfl.sync.up.b32 $0, $1, $2, $3, $4;", 0, mask, value,
                                                  delta, width, where);
}
template <detail::Operand M, detail::Operand X, detail::Operand L>
auto shfl_down_sync(const M& mask, const X& value, const L& delta, unsigned width = 32,
                    const detail::Where& where = detail::Where::current()) {
  return detail::shuffle_of<detail::operand_t<X>>("shfl.sync.down.b32 $0, $1, $2, $3, $4;", 31, mask, value,
                                                  delta, width, where);
}
template <detail::Operand M, detail::Operand X, detail::Operand L>
auto shfl_xor_sync(const M& mask, const X& value, const L& lane_mask, unsigned width = 32,
                   const detail::Where& where = detail::Where::current()) {
  return detail::shuffle_of<detail::operand_t<X>>("shfl.sync.bfly.b32 $0, $1, $2, $3, $4;", 31, mask, value,
                                                  lane_mask, width, where);
}

/// A bit for each thread of the mask whose predicate holds.
template <detail::Operand M, detail::Operand P>
Value<unsigned> ballot_sync(const M& mask, const P& predicate,
                            const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  const Value<unsigned> holds = cast<unsigned>(cast<bool>(predicate)), members = detail::value_of(mask);
  return Value<unsigned>(
      detail::instruction({.text = "{ .reg .pred p; setp.ne.u32 p, $1, 0; vote.sync.ballot.b32 $0, p, $2; }",
                           .result = detail::Scalar::u32,
                           .effects = true,
                           .convergent = true},
                          {holds.node(), members.node()}));
}
template <detail::Operand M, detail::Operand P>
Value<bool> any_sync(const M& mask, const P& predicate,
                     const detail::Where& where = detail::Where::current()) {
  return ballot_sync(mask, predicate, where) != 0u;
}
template <detail::Operand M, detail::Operand P>
Value<bool> all_sync(const M& mask, const P& predicate,
                     const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return ballot_sync(mask, !cast<bool>(predicate), where) == 0u;
}
/// The mask's threads that have the same value as this one: of any type, compared by its bits.
template <detail::Operand M, detail::Operand X>
Value<unsigned> match_any_sync(const M& mask, const X& value,
                               const detail::Where& where = detail::Where::current()) {
  return detail::match_of("match.any.sync.b32 $0, $1, $2;", "match.any.sync.b64 $0, $1, $2;", mask,
                          detail::value_of(value), where);
}
/// The mask where all of its threads have the same value, else 0.
template <detail::Operand M, detail::Operand X>
Value<unsigned> match_all_sync(const M& mask, const X& value,
                               const detail::Where& where = detail::Where::current()) {
  return detail::match_of("match.all.sync.b32 $0, $1, $2;", "match.all.sync.b64 $0, $1, $2;", mask,
                          detail::value_of(value), where);
}

/// One number of all the mask's threads' `int`s or `unsigned`s, in one instruction (from sm_80 on).
template <detail::Operand M, detail::Operand X>
auto reduce_add_sync(const M& mask, const X& value, const detail::Where& where = detail::Where::current()) {
  return detail::reduction_of(detail::kReduceAdd, mask, detail::value_of(value), where);
}
template <detail::Operand M, detail::Operand X>
auto reduce_min_sync(const M& mask, const X& value, const detail::Where& where = detail::Where::current()) {
  return detail::reduction_of(detail::kReduceMin, mask, detail::value_of(value), where);
}
template <detail::Operand M, detail::Operand X>
auto reduce_max_sync(const M& mask, const X& value, const detail::Where& where = detail::Where::current()) {
  return detail::reduction_of(detail::kReduceMax, mask, detail::value_of(value), where);
}
template <detail::Operand M, detail::Operand X>
auto reduce_and_sync(const M& mask, const X& value, const detail::Where& where = detail::Where::current()) {
  return detail::reduction_of(detail::kReduceAnd, mask, detail::value_of(value), where);
}
template <detail::Operand M, detail::Operand X>
auto reduce_or_sync(const M& mask, const X& value, const detail::Where& where = detail::Where::current()) {
  return detail::reduction_of(detail::kReduceOr, mask, detail::value_of(value), where);
}
template <detail::Operand M, detail::Operand X>
auto reduce_xor_sync(const M& mask, const X& value, const detail::Where& where = detail::Where::current()) {
  return detail::reduction_of(detail::kReduceXor, mask, detail::value_of(value), where);
}

/// Makes the mask's threads wait for each other, and what they wrote visible to each other.
template <detail::Operand M>
void sync_warp(const M& mask, const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  const Value<unsigned> members = detail::value_of(mask);
  detail::instruction({.text = "bar.warp.sync $0;",
                       .result = detail::Scalar::u32,
                       .effects = true,
                       .convergent = true,
                       .touches_memory = true,
                       .gives_result = false},
                      {members.node()});
}
inline void sync_warp(const detail::Where& where = detail::Where::current()) {
  sync_warp(kWholeWarp, where);
}
/// The threads that are here now.
inline Value<unsigned> active_mask(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return Value<unsigned>(detail::instruction(
      {.text = "activemask.b32 $0;", .result = detail::Scalar::u32, .effects = true, .convergent = true},
      {}));
}
/// 0 to 31: the thread's place in its warp.
inline Value<unsigned> lane_index(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return Value<unsigned>(
      detail::instruction({.text = "mov.u32 $0, %laneid;", .result = detail::Scalar::u32}, {}));
}

}  // namespace tare
