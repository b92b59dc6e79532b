// One sum per block, by halving in shared memory. The order of additions is fixed by the halving, so the
// reference, which adds in that order, has the same bits.

// snippet: kernel
__global__ void blockSum(const float* in, float* sums, unsigned n, unsigned width) {
  extern __shared__ float part[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0.0f;
  for (unsigned half = width / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
// end snippet

// snippet: reference
void reference(const float* in, float* sums, unsigned n, unsigned width) {
  float part[1024];
  for (unsigned begin = 0; begin < n; begin += width) {
    for (unsigned t = 0; t < width; ++t) part[t] = begin + t < n ? in[begin + t] : 0.0f;
    for (unsigned half = width / 2; half > 0; half /= 2) {
      for (unsigned t = 0; t < half; ++t) part[t] += part[t + half];
    }
    sums[begin / width] = part[0];
  }
}
// end snippet
