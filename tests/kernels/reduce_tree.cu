// Sums as a tree in shared memory: every block leaves a partial sum, and a second launch of one block adds
// those.
template <class T>
__global__ void reduce_tree(const T* in, T* out, unsigned n) {
  __shared__ T sums[256];
  const unsigned thread = threadIdx.x;
  T sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sums[thread] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = sums[0];
}
