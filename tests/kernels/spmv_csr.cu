// A sparse matrix in compressed rows times a vector: a thread to a row (double precision), and a warp to a
// row.
extern "C" __global__ void spmv_scalar(const unsigned* offsets, const unsigned* columns, const double* values,
                                       const double* x, double* y, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0.0;
  for (unsigned i = offsets[row]; i < offsets[row + 1]; ++i) sum += values[i] * __ldg(&x[columns[i]]);
  y[row] = sum;
}

extern "C" __global__ void spmv_warp(const unsigned* offsets, const unsigned* columns, const float* values,
                                     const float* x, float* y, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0.0f;
  for (unsigned i = offsets[row] + lane; i < offsets[row + 1]; i += 32)
    sum += values[i] * __ldg(&x[columns[i]]);
  for (unsigned step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) y[row] = sum;
}
