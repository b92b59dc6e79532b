// A prefix sum over more than a block can hold, in three launches: scan the blocks, scan their totals, add
// those.
extern "C" __global__ void scan_blocks(const unsigned* in, unsigned* out, unsigned* totals, unsigned n) {
  extern __shared__ unsigned sums[];
  const unsigned thread = threadIdx.x, at = blockIdx.x * blockDim.x + thread;
  const unsigned mine = at < n ? in[at] : 0;
  sums[thread] = mine;
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    const unsigned lower = thread >= step ? sums[thread - step] : 0;
    __syncthreads();
    sums[thread] += lower;
    __syncthreads();
  }
  if (at < n) out[at] = sums[thread] - mine;  // exclusive
  if (thread == blockDim.x - 1) totals[blockIdx.x] = sums[thread];
}

extern "C" __global__ void add_totals(unsigned* out, const unsigned* totals, unsigned n) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n) out[at] += totals[blockIdx.x];
}
