// Counts of bytes: every block counts in shared memory, then adds its counts to the whole.
extern "C" __global__ void histogram(const unsigned* words, unsigned n, unsigned* counts) {
  __shared__ unsigned block_counts[256];
  for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x) block_counts[bin] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned word = words[i];
    atomicAdd(&block_counts[word & 255], 1u);
    atomicAdd(&block_counts[(word >> 8) & 255], 1u);
    atomicAdd(&block_counts[(word >> 16) & 255], 1u);
    atomicAdd(&block_counts[word >> 24], 1u);
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x)
    if (block_counts[bin] != 0) atomicAdd(&counts[bin], block_counts[bin]);
}

// Weighted: a float and a double for each bin. The weights are multiples of 1/8, so that no order rounds.
extern "C" __global__ void weighted(const unsigned* words, unsigned n, float* singles, double* doubles) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned bin = words[i] & 15;
  atomicAdd(&singles[bin], (float)(words[i] >> 4 & 63) * 0.125f);
  atomicAdd(&doubles[bin], (double)(words[i] >> 4 & 1023) * 0.125);
}
