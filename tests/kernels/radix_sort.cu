// A stable sort by 4 bits at a time: count the digits of every block, scan the counts, and scatter, each
// key's rank within its block found by ballots.
#define FULL 0xffffffffu
#define THREADS 128

// counts[digit * blocks + block]: the order in which a scan gives every block's digits their places.
extern "C" __global__ void count_digits(const unsigned* keys, unsigned n, unsigned shift, unsigned* counts) {
  __shared__ unsigned digits[16];
  if (threadIdx.x < 16) digits[threadIdx.x] = 0;
  __syncthreads();
  const unsigned at = blockIdx.x * THREADS + threadIdx.x;
  if (at < n) atomicAdd(&digits[(keys[at] >> shift) & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = digits[threadIdx.x];
}

// One block; exclusive, in place.
extern "C" __global__ void scan_counts(unsigned* counts, unsigned n) {
  __shared__ unsigned sums[256];
  unsigned before = 0;
  for (unsigned base = 0; base < n; base += 256) {
    const unsigned at = base + threadIdx.x, mine = at < n ? counts[at] : 0;
    sums[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned step = 1; step < 256; step *= 2) {
      const unsigned lower = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
      __syncthreads();
      sums[threadIdx.x] += lower;
      __syncthreads();
    }
    if (at < n) counts[at] = before + sums[threadIdx.x] - mine;
    before += sums[255];
    __syncthreads();
  }
}

extern "C" __global__ void scatter(const unsigned* keys, const unsigned* values, unsigned n, unsigned shift,
                                   const unsigned* places, unsigned* keys_out, unsigned* values_out) {
  __shared__ unsigned warp_digits[THREADS / 32][16];
  const unsigned at = blockIdx.x * THREADS + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (unsigned i = threadIdx.x; i < THREADS / 32 * 16; i += THREADS) warp_digits[i / 16][i % 16] = 0;
  __syncthreads();
  const bool mine = at < n;
  const unsigned key = mine ? keys[at] : 0, digit = (key >> shift) & 15;
  unsigned same = __ballot_sync(FULL, mine);
  for (unsigned bit = 0; bit < 4; ++bit) {
    const unsigned with = __ballot_sync(FULL, (digit >> bit) & 1);
    same &= (digit >> bit) & 1 ? with : ~with;
  }
  const unsigned rank = __popc(same & ((1u << lane) - 1));
  if (mine && rank == 0) warp_digits[warp][digit] = __popc(same);
  __syncthreads();
  if (!mine) return;
  unsigned place = places[digit * gridDim.x + blockIdx.x] + rank;
  for (unsigned earlier = 0; earlier < warp; ++earlier) place += warp_digits[earlier][digit];
  keys_out[place] = key;
  values_out[place] = values[at];
}
