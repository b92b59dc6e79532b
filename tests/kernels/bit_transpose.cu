// 32x32 bits transposed within a warp, a row to a lane: by exchanging ever smaller squares through shuffles,
// and by 32 ballots.
#define FULL 0xffffffffu

extern "C" __global__ void by_shuffles(const unsigned* in, unsigned* out) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned row = in[at], mask = 0x0000ffffu;
  for (unsigned size = 16; size > 0; size /= 2, mask ^= mask << size) {
    const unsigned other = __shfl_xor_sync(FULL, row, size);
    row = lane & size ? (row & ~mask) | (other >> size & mask) : (row & mask) | (other << size & ~mask);
  }
  out[at] = row;
}

extern "C" __global__ void by_ballots(const unsigned* in, unsigned* out) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned mine = 0;
  for (unsigned column = 0; column < 32; ++column) {
    const unsigned ballot = __ballot_sync(FULL, in[at] >> column & 1);
    if (lane == column) mine = ballot;
  }
  out[at] = mine;
}

// The bits of every lane turned round, and where its first and last ones stand.
extern "C" __global__ void reverse(const unsigned* in, unsigned* out, int* places) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = __brev(in[at]) ^ __byte_perm(in[at], ~in[at], 0x2716);
  const unsigned part = in[at] & (0xffffffffu >> at % 32) & (at % 5 == 0 ? 0u : ~0u);
  places[2 * at] = __clz((int)part) * 64 + __ffs((int)part);
  const unsigned long long wide = (unsigned long long)part << at % 29;
  places[2 * at + 1] = (__clzll((long long)wide) * 128 + __ffsll((long long)wide)) * 128 + __popcll(wide);
}
