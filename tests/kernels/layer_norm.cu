// Every row less its mean, over its standard deviation, scaled and shifted; a block to a row. Square root and
// division are IEEE's, and the sums have one order.
__device__ float block_sum(float value, float* sums) {
  sums[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  const float sum = sums[0];
  __syncthreads();
  return sum;
}

extern "C" __global__ void layer_norm(const float* in, float* out, const float* scale, const float* shift,
                                      float* means, unsigned columns, float epsilon) {
  __shared__ float sums[64];
  const float* from = in + blockIdx.x * columns;
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < columns; i += blockDim.x) sum += from[i];
  const float mean = block_sum(sum, sums) / (float)columns;
  float squares = 0.0f;
  for (unsigned i = threadIdx.x; i < columns; i += blockDim.x) {
    const float distance = from[i] - mean;
    squares += distance * distance;
  }
  const float deviation = sqrtf(block_sum(squares, sums) / (float)columns + epsilon);
  for (unsigned i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = (from[i] - mean) / deviation * scale[i] + shift[i];
  if (threadIdx.x == 0) means[blockIdx.x] = mean;
}
