// Keeps the elements that a predicate likes: in order (ballots within warps, a scan of the warps, a scan of
// the blocks), and in any order with one atomic addition for each warp.
#define FULL 0xffffffffu

__device__ bool keep(unsigned value) {
  return value % 3 == 0;
}

extern "C" __global__ void count_kept(const unsigned* in, unsigned n, unsigned* counts) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  const int kept = __syncthreads_count(at < n && keep(in[at]));
  if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}

// One thread; exclusive, in place, the whole at the end.
extern "C" __global__ void scan_kept(unsigned* counts, unsigned blocks) {
  unsigned sum = 0;
  for (unsigned block = 0; block <= blocks; ++block) {
    const unsigned mine = counts[block];
    counts[block] = sum;
    sum += mine;
  }
}

extern "C" __global__ void compact(const unsigned* in, unsigned n, const unsigned* before, unsigned* out) {
  __shared__ unsigned warps[32];
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const bool mine = at < n && keep(in[at]);
  const unsigned ballot = __ballot_sync(FULL, mine);
  if (lane == 0) warps[warp] = __popc(ballot);
  __syncthreads();
  unsigned place = before[blockIdx.x] + __popc(ballot & ((1u << lane) - 1));
  for (unsigned earlier = 0; earlier < warp; ++earlier) place += warps[earlier];
  if (mine) out[place] = in[at];
}

// Within a divergent branch: the lanes that are there elect one that reserves room for all.
extern "C" __global__ void compact_unordered(const unsigned* in, unsigned n, unsigned* size, unsigned* out) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const unsigned kept = __ballot_sync(FULL, at < n && keep(in[at]));
  if (kept >> lane & 1) {
    const int leader = __ffs(kept) - 1;
    unsigned base = 0;
    if (lane == (unsigned)leader) base = atomicAdd(size, (unsigned)__popc(kept));
    base = __shfl_sync(kept, base, leader);
    out[base + __popc(kept & ((1u << lane) - 1))] = in[at];
  }
}
