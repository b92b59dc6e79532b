// Blocks that draw work from one queue until it is empty, a thread giving up its number when Collatz's steps
// have brought it to 1: __syncthreads_count says how much to draw, _or whether anybody works still, _and
// whether all have found odd.
extern "C" __global__ void collatz(const unsigned* numbers, unsigned n, unsigned* taken, unsigned* lengths,
                                   unsigned* rounds, unsigned* all_odd) {
  __shared__ unsigned base, place;
  unsigned mine = 0, steps = 0, round = 0, odd_rounds = 0;
  unsigned long long value = 1;
  bool busy = false, empty = false;
  while (true) {
    if (threadIdx.x == 0) place = 0;
    const unsigned idle = __syncthreads_count(!busy);
    if (idle > 0 && !empty) {
      if (threadIdx.x == 0) base = atomicAdd(taken, idle);
      __syncthreads();
      if (!busy) {
        mine = base + atomicAdd(&place, 1u);
        busy = mine < n;
        if (busy) {
          value = numbers[mine];
          steps = 0;
        }
      }
      empty = base + idle >= n;
    }
    if (!__syncthreads_or(busy)) break;
    if (__syncthreads_and(value & 1)) ++odd_rounds;
    for (int i = 0; i < 16 && busy; ++i) {
      if (value == 1) {
        lengths[mine] = steps;
        busy = false;
      } else {
        value = value & 1 ? 3 * value + 1 : value / 2;
        ++steps;
      }
    }
    ++round;
  }
  if (threadIdx.x == 0) {
    atomicAdd(rounds, round > 0 ? 1u : 0u);
    atomicAdd(all_odd, odd_rounds > round ? 1u : 0u);
  }
}

// The three answers themselves, with predicates that differ by block, and by more than truth.
extern "C" __global__ void answers(const int* predicates, int* out) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  const int count = __syncthreads_count(predicates[at]);
  const int all = __syncthreads_and(predicates[at]);
  const int any = __syncthreads_or(predicates[at]);
  out[at] = count * 4 + (all != 0) * 2 + (any != 0);
}
