// A softmax of every row, a warp to a row: the largest through shuffles, __expf of the rest, and a division.
extern "C" __global__ void softmax(const float* in, float* out, unsigned rows, unsigned columns) {
  const unsigned row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // a whole warp
  const float* from = in + row * columns;
  float most = -__int_as_float(0x7f800000);
  for (unsigned i = lane; i < columns; i += 32) most = fmaxf(most, from[i]);
  for (unsigned step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
  float sum = 0.0f;
  for (unsigned i = lane; i < columns; i += 32) sum += __expf(from[i] - most);
  for (unsigned step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  for (unsigned i = lane; i < columns; i += 32) out[row * columns + i] = __expf(from[i] - most) / sum;
}
