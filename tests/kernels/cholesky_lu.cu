// Small matrices factored in shared memory, a block to a matrix: Cholesky in double precision, and LU with
// row pivoting in single precision, whose pivot the whole block agrees on.
#define SIZE 12

extern "C" __global__ void cholesky(double* matrices) {
  __shared__ double a[SIZE][SIZE + 1];
  double* matrix = matrices + blockIdx.x * SIZE * SIZE;
  const int row = threadIdx.y, column = threadIdx.x;
  a[row][column] = matrix[row * SIZE + column];
  __syncthreads();
  for (int k = 0; k < SIZE; ++k) {
    if (row == k && column == k) a[k][k] = sqrt(a[k][k]);
    __syncthreads();
    if (column == k && row > k) a[row][k] /= a[k][k];
    __syncthreads();
    if (column > k && row >= column) a[row][column] -= a[row][k] * a[column][k];
    __syncthreads();
  }
  matrix[row * SIZE + column] = column <= row ? a[row][column] : 0.0;
}

extern "C" __global__ void lu(float* matrices, int* pivots) {
  __shared__ float a[SIZE][SIZE + 1];
  __shared__ int pivot;
  float* matrix = matrices + blockIdx.x * SIZE * SIZE;
  const int row = threadIdx.y, column = threadIdx.x;
  a[row][column] = matrix[row * SIZE + column];
  __syncthreads();
  for (int k = 0; k < SIZE; ++k) {
    if (row == 0 && column == 0) {
      pivot = k;
      for (int r = k + 1; r < SIZE; ++r)
        if (fabsf(a[r][k]) > fabsf(a[pivot][k])) pivot = r;
      pivots[blockIdx.x * SIZE + k] = pivot;
    }
    __syncthreads();
    if (row == 0 && pivot != k) {
      const float other = a[k][column];
      a[k][column] = a[pivot][column];
      a[pivot][column] = other;
    }
    __syncthreads();
    if (column == k && row > k) a[row][k] /= a[k][k];
    __syncthreads();
    if (column > k && row > k) a[row][column] -= a[row][k] * a[k][column];
    __syncthreads();
  }
  matrix[row * SIZE + column] = a[row][column];
}
