// Where a thread is in the block and in the grid, and waiting for the block's other threads.
#pragma once

#include "tare/jit/operators.hpp"

namespace tare {

/// One number per axis, as CUDA's uint3.
struct Index3 {
  Value<unsigned> x, y, z;
};

/// A place in the whole grid along its first axes: `auto [x, y] = index;`, or `index.x` and `index.y`.
template <int axes>
struct GridIndex {
  static_assert(axes >= 1 && axes <= 3, "a grid has 1 to 3 axes");
};
template <>
struct GridIndex<1> {
  Value<std::size_t> x;
};
template <>
struct GridIndex<2> {
  Value<std::size_t> x, y;
};
template <>
struct GridIndex<3> {
  Value<std::size_t> x, y, z;
};

namespace detail {

inline Value<unsigned> special_value(Special which) {
  return Value<unsigned>(special(which));
}
inline Index3 index3(Special x, Special y, Special z) {
  return {special_value(x), special_value(y), special_value(z)};
}
inline Value<std::size_t> along(Special block, Special block_size, Special thread) {
  return cast<std::size_t>(special_value(block)) * special_value(block_size) + special_value(thread);
}

}  // namespace detail

inline Index3 thread_index(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return detail::index3(detail::Special::thread_x, detail::Special::thread_y, detail::Special::thread_z);
}
inline Index3 block_index(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return detail::index3(detail::Special::block_x, detail::Special::block_y, detail::Special::block_z);
}
/// Threads of a block, along each axis.
inline Index3 block_size(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return detail::index3(detail::Special::block_size_x, detail::Special::block_size_y,
                        detail::Special::block_size_z);
}
/// Blocks of the grid, along each axis.
inline Index3 grid_size(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return detail::index3(detail::Special::grid_size_x, detail::Special::grid_size_y,
                        detail::Special::grid_size_z);
}

/// The thread's place in the whole grid along x, 64 bits wide, so that it does not wrap.
inline Value<std::size_t> grid_index(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return detail::along(detail::Special::block_x, detail::Special::block_size_x, detail::Special::thread_x);
}
/// Along the first axes: `auto [x, y] = tare::grid_index<2>();`, or `.x`, `.y` and `.z` of what it gives.
template <int axes>
GridIndex<axes> grid_index(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  using enum detail::Special;
  const auto x = [] { return detail::along(block_x, block_size_x, thread_x); };
  const auto y = [] { return detail::along(block_y, block_size_y, thread_y); };
  const auto z = [] { return detail::along(block_z, block_size_z, thread_z); };
  if constexpr (axes == 1) return {x()};
  if constexpr (axes == 2) return {x(), y()};
  if constexpr (axes == 3) return {x(), y(), z()};
}
/// Threads of the whole grid along x: the step of a loop in which every thread does several elements.
inline Value<std::size_t> grid_stride(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return cast<std::size_t>(detail::special_value(detail::Special::grid_size_x)) *
         detail::special_value(detail::Special::block_size_x);
}

/// __syncthreads(): every thread of the block has to come to the same one.
inline void sync_threads(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  detail::barrier("bar.sync 0;");
}
namespace detail {

template <Operand P>
Value<unsigned> block_vote(const char* text, const P& predicate) {
  return Value<unsigned>(instruction(
      {.text = text, .result = Scalar::u32, .effects = true, .convergent = true, .touches_memory = true},
      {cast<unsigned>(cast<bool>(predicate)).node()}));
}

}  // namespace detail

/// sync_threads() that also tells in how many of the block's threads, in any, or in all of them the predicate
/// holds.
template <detail::Operand P>
Value<unsigned> sync_threads_count(const P& predicate,
                                   const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return detail::block_vote("{ .reg .pred p; setp.ne.u32 p, $1, 0; bar.red.popc.u32 $0, 0, p; }", predicate);
}
template <detail::Operand P>
Value<bool> sync_threads_or(const P& predicate, const detail::Where& where = detail::Where::current()) {
  return sync_threads_count(predicate, where) != 0u;
}
template <detail::Operand P>
Value<bool> sync_threads_and(const P& predicate, const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  return sync_threads_count(!cast<bool>(predicate), where) == 0u;
}

/// __threadfence_block(), __threadfence() and __threadfence_system().
inline void fence_block(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  detail::barrier("membar.cta;");
}
inline void fence_device(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  detail::barrier("membar.gl;");
}
inline void fence_system(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  detail::barrier("membar.sys;");
}

}  // namespace tare
