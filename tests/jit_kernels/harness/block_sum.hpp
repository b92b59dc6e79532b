// The sum of a block as a tree in shared memory, which several of the kernels have a part of.
#pragma once

#include "tare/jit.hpp"

namespace tare::pairs {

/// Leaves in `sums[0]` the sum of the block's values, of which each thread gives one; `sums` has an element
/// for each thread, and their number is a power of two.
template <class Sums, class X>
void add_up(const Sums& sums, const Value<unsigned>& thread, const X& value) {
  sums[thread] = value;
  sync_threads();
  auto half = var(block_size().x / 2u);
  while_([&] { return half > 0u; },
         [&] {
           if_(thread < half, [&] { sums[thread] += sums[thread + half]; });
           sync_threads();
           half /= 2u;
         });
}

}  // namespace tare::pairs
