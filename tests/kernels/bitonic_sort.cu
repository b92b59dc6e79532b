// Batcher's bitonic sorting network over a power of two of keys: short distances in shared memory, longer
// ones in a launch of their own.
__device__ void order(unsigned& low, unsigned& high, bool ascending) {
  if ((low > high) == ascending) {
    const unsigned other = low;
    low = high;
    high = other;
  }
}

// Every block sorts 512 keys, alternately up and down.
extern "C" __global__ void sort_blocks(unsigned* keys) {
  __shared__ unsigned block[512];
  const unsigned thread = threadIdx.x, base = blockIdx.x * 512;
  block[thread] = keys[base + thread];
  block[thread + 256] = keys[base + thread + 256];
  for (unsigned size = 2; size <= 512; size *= 2) {
    for (unsigned step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      const unsigned at = 2 * thread - (thread & (step - 1));
      order(block[at], block[at + step], ((base + at) & size) == 0);
    }
  }
  __syncthreads();
  keys[base + thread] = block[thread];
  keys[base + thread + 256] = block[thread + 256];
}

// One step of a merge of `size`, at a distance of 512 or more.
extern "C" __global__ void merge_far(unsigned* keys, unsigned size, unsigned step) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned at = 2 * thread - (thread & (step - 1));
  order(keys[at], keys[at + step], (at & size) == 0);
}

// The rest of that merge, all within blocks.
extern "C" __global__ void merge_near(unsigned* keys, unsigned size) {
  __shared__ unsigned block[512];
  const unsigned thread = threadIdx.x, base = blockIdx.x * 512;
  block[thread] = keys[base + thread];
  block[thread + 256] = keys[base + thread + 256];
  for (unsigned step = 256; step > 0; step /= 2) {
    __syncthreads();
    const unsigned at = 2 * thread - (thread & (step - 1));
    order(block[at], block[at + step], ((base + at) & size) == 0);
  }
  __syncthreads();
  keys[base + thread] = block[thread];
  keys[base + thread + 256] = block[thread + 256];
}
