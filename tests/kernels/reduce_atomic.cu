// Reductions by atomic operations: on shared memory in a block, then on global memory between blocks; and one
// in which the block that finishes last adds up what the others left.
extern "C" __global__ void reduce_all(const int* in, unsigned n, int* sum, unsigned long long* long_sum,
                                      int* least, int* greatest, unsigned* ands, unsigned* ors,
                                      unsigned* xors) {
  __shared__ int block_sum, block_least, block_greatest;
  __shared__ unsigned block_xor;
  if (threadIdx.x == 0) {
    block_sum = 0;
    block_least = 0x7fffffff;
    block_greatest = -0x7fffffff - 1;
    block_xor = 0;
  }
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&block_sum, in[i]);
    atomicMin(&block_least, in[i]);
    atomicMax(&block_greatest, in[i]);
    atomicXor(&block_xor, (unsigned)in[i]);
    atomicAdd(long_sum, (unsigned long long)(unsigned)in[i]);
    atomicAnd(ands, (unsigned)in[i] | 0x00f0f0f0u);
    atomicOr(ors, (unsigned)in[i] & 0x0ff00ff0u);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(sum, block_sum);
    atomicMin(least, block_least);
    atomicMax(greatest, block_greatest);
    atomicXor(xors, block_xor);
  }
}

// `tickets` counts finished blocks and returns to 0 by itself. The last block adds the others' sums in the
// order of the blocks, so that the total is the same every time.
extern "C" __global__ void last_block_adds(const float* in, unsigned n, volatile float* partial,
                                           unsigned* tickets, float* total) {
  __shared__ float sums[128];
  __shared__ bool last;
  float sum = 0.0f;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float all = 0.0f;
    for (unsigned block = 0; block < gridDim.x; ++block) all += partial[block];
    *total = all;
  }
}
