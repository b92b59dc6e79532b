// Sums through warp shuffles: lanes first, then the warps' sums by the first warp. The block may end in a
// part of a warp, whose lanes then shuffle among themselves.
#define FULL 0xffffffffu

// Lanes of this thread's warp that the block has.
__device__ unsigned lanes_here() {
  const unsigned warp = threadIdx.x / 32, left = blockDim.x - warp * 32;
  return left >= 32 ? FULL : (1u << left) - 1;
}

// A sum of the lanes of `mask` (the low ones), complete in lane 0. A lane adds only what a lane of the mask
// has.
__device__ float warp_sum(float value, unsigned mask) {
  const unsigned lane = threadIdx.x % 32, count = __popc(mask);
  for (unsigned step = 16; step > 0; step /= 2) {
    const float other = __shfl_down_sync(mask, value, step);
    if (lane + step < count) value += other;
  }
  return value;
}

extern "C" __global__ void sum_f32(const float* in, float* out, unsigned n) {
  __shared__ float sums[32];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float mine = warp_sum(i < n ? in[i] : 0.0f, lanes_here());
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = mine;
  __syncthreads();
  const unsigned warps = (blockDim.x + 31) / 32;
  if (threadIdx.x < 32) {
    const float total = warp_sum(threadIdx.x < warps ? sums[threadIdx.x] : 0.0f, FULL);
    if (threadIdx.x == 0) out[blockIdx.x] = total;
  }
}

// 64-bit values, all lanes end with the sum: the butterfly.
extern "C" __global__ void sum_u64(const unsigned long long* in, unsigned long long* out) {
  unsigned long long value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned step = 1; step < 32; step *= 2) value += __shfl_xor_sync(FULL, value, step);
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// Groups of eight lanes, each with a result of its own, through the width of the shuffle.
extern "C" __global__ void max_in_eights(const int* in, int* out) {
  int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned step = 4; step > 0; step /= 2) value = max(value, __shfl_down_sync(FULL, value, step, 8));
  out[blockIdx.x * blockDim.x + threadIdx.x] = __shfl_sync(FULL, value, 0, 8);
}

// One instruction for the whole warp.
extern "C" __global__ void redux(const unsigned* in, unsigned* sums, int* least) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned sum = __reduce_add_sync(FULL, in[i]);
  const int low = __reduce_min_sync(FULL, (int)in[i]);
  if (threadIdx.x % 32 == 0) {
    sums[i / 32] = sum;
    least[i / 32] = low;
  }
}
