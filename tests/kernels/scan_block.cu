// Prefix sums within a block, three ways: Hillis and Steele's with two buffers, Blelloch's work-efficient
// tree, and warp shuffles with a scan of the warps' totals.
extern "C" __global__ void inclusive_hillis_steele(const unsigned* in, unsigned* out) {
  __shared__ unsigned buffers[2][256];
  const unsigned thread = threadIdx.x, at = blockIdx.x * 256 + thread;
  unsigned current = 0;
  buffers[0][thread] = in[at];
  __syncthreads();
  for (unsigned step = 1; step < 256; step *= 2) {
    buffers[1 - current][thread] =
        buffers[current][thread] + (thread >= step ? buffers[current][thread - step] : 0);
    current = 1 - current;
    __syncthreads();
  }
  out[at] = buffers[current][thread];
}

// Two elements a thread; floats, whose sums depend on the shape of the tree.
extern "C" __global__ void exclusive_blelloch(const float* in, float* out, float* totals) {
  __shared__ float tree[512];
  const unsigned thread = threadIdx.x, base = blockIdx.x * 512;
  tree[2 * thread] = in[base + 2 * thread];
  tree[2 * thread + 1] = in[base + 2 * thread + 1];
  unsigned step = 1;
  for (unsigned active = 256; active > 0; active /= 2) {
    __syncthreads();
    if (thread < active) tree[step * (2 * thread + 2) - 1] += tree[step * (2 * thread + 1) - 1];
    step *= 2;
  }
  if (thread == 0) {
    totals[blockIdx.x] = tree[511];
    tree[511] = 0.0f;
  }
  for (unsigned active = 1; active <= 256; active *= 2) {
    step /= 2;
    __syncthreads();
    if (thread < active) {
      const unsigned left = step * (2 * thread + 1) - 1, right = step * (2 * thread + 2) - 1;
      const float before = tree[left];
      tree[left] = tree[right];
      tree[right] += before;
    }
  }
  __syncthreads();
  out[base + 2 * thread] = tree[2 * thread];
  out[base + 2 * thread + 1] = tree[2 * thread + 1];
}

__device__ unsigned long long warp_scan(unsigned long long value) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned step = 1; step < 32; step *= 2) {
    const unsigned long long lower = __shfl_up_sync(0xffffffffu, value, step);
    if (lane >= step) value += lower;
  }
  return value;
}

extern "C" __global__ void inclusive_shuffle(const unsigned long long* in, unsigned long long* out) {
  __shared__ unsigned long long warps[32];
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned long long value = warp_scan(in[at]);
  if (lane == 31) warps[warp] = value;
  __syncthreads();
  if (warp == 0) warps[lane] = warp_scan(lane < blockDim.x / 32 ? warps[lane] : 0);
  __syncthreads();
  if (warp > 0) value += warps[warp - 1];
  out[at] = value;
}
