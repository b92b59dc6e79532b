// A histogram in which the lanes of a warp that hold the same key find one another, and the first of them
// counts for all; for keys of 32 and of 64 bits. And which warps hold one key only.
#define FULL 0xffffffffu

extern "C" __global__ void match_words(const unsigned* keys, unsigned n, unsigned* counts, unsigned* peers) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const unsigned there = __ballot_sync(FULL, at < n);
  if (at >= n) return;
  const unsigned same = __match_any_sync(there, keys[at]);
  if (lane == (unsigned)__ffs(same) - 1) atomicAdd(&counts[keys[at]], (unsigned)__popc(same));
  peers[at] = same;
}

extern "C" __global__ void match_longs(const unsigned long long* keys, unsigned n, unsigned* peers,
                                       unsigned* uniform) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned there = __ballot_sync(FULL, at < n);
  if (at >= n) return;
  peers[at] = __match_any_sync(there, keys[at]);
  int all = -1;
  const unsigned mask = __match_all_sync(there, (unsigned)(keys[at] >> 32), &all);
  uniform[at] = (mask == there ? 2 : mask == 0 ? 0 : 9) + (all != 0);
}
