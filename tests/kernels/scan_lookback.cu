// A prefix sum in one launch: blocks take their number from a counter, publish their sum, and look back over
// their predecessors, waiting for those that have not published yet. A word of state holds a flag (bits 32
// and 33) and a sum.
#define OWN (1ull << 32)
#define ALL (2ull << 32)

extern "C" __global__ void scan_lookback(const unsigned* in, unsigned* out, unsigned n, unsigned* counter,
                                         volatile unsigned long long* states) {
  __shared__ unsigned sums[128], number, before;
  if (threadIdx.x == 0) number = atomicAdd(counter, 1u);
  __syncthreads();
  const unsigned block = number, at = block * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = at < n ? in[at] : 0;
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    const unsigned lower = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
    __syncthreads();
    sums[threadIdx.x] += lower;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    const unsigned own = sums[blockDim.x - 1];
    unsigned sum = 0;
    if (block > 0) {
      states[block] = OWN | own;
      __threadfence();
      for (unsigned earlier = block - 1;; --earlier) {
        unsigned long long state;
        while (((state = states[earlier]) >> 32) == 0) {
        }
        sum += (unsigned)state;
        if (state >> 32 == 2) break;
      }
    }
    states[block] = ALL | (sum + own);
    __threadfence();
    before = sum;
  }
  __syncthreads();
  if (at < n) out[at] = before + sums[threadIdx.x];
}
