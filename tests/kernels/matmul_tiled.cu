// A matrix product through tiles in shared memory, for sizes that no tile divides.
template <class T, int kTile>
__global__ void matmul_tiled(const T* a, const T* b, T* c, int rows, int inner, int columns) {
  __shared__ T a_tile[kTile][kTile], b_tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  T sum = 0;
  for (int base = 0; base < inner; base += kTile) {
    a_tile[y][x] = row < rows && base + x < inner ? a[row * inner + base + x] : T(0);
    b_tile[y][x] = base + y < inner && column < columns ? b[(base + y) * columns + column] : T(0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += a_tile[y][k] * b_tile[k][x];
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}
