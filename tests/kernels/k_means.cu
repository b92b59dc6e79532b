// Steps of Lloyd's algorithm on points with whole coordinates: the nearest centre, sums by atomics (first in
// the block), new centres by division. Sums of integers have no order; the division is double precision.
#define CENTRES 6

extern "C" __global__ void assign(const int* points, unsigned n, const double* centres,
                                  unsigned char* nearest, unsigned long long* sums, unsigned* counts) {
  __shared__ double centre[CENTRES * 3];
  __shared__ int block_sums[CENTRES * 3];
  __shared__ unsigned block_counts[CENTRES];
  if (threadIdx.x < CENTRES * 3) {
    centre[threadIdx.x] = centres[threadIdx.x];
    block_sums[threadIdx.x] = 0;
    if (threadIdx.x < CENTRES) block_counts[threadIdx.x] = 0;
  }
  __syncthreads();
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n) {
    double least = 1e300;
    int best = 0;
    for (int c = 0; c < CENTRES; ++c) {
      double distance = 0.0;
      for (int axis = 0; axis < 3; ++axis) {
        const double d = points[at * 3 + axis] - centre[c * 3 + axis];
        distance += d * d;
      }
      if (distance < least) {
        least = distance;
        best = c;
      }
    }
    nearest[at] = best;
    for (int axis = 0; axis < 3; ++axis) atomicAdd(&block_sums[best * 3 + axis], points[at * 3 + axis]);
    atomicAdd(&block_counts[best], 1u);
  }
  __syncthreads();
  if (threadIdx.x < CENTRES * 3) {
    atomicAdd(&sums[threadIdx.x], (unsigned long long)(long long)block_sums[threadIdx.x]);
    if (threadIdx.x < CENTRES) atomicAdd(&counts[threadIdx.x], block_counts[threadIdx.x]);
  }
}

extern "C" __global__ void move_centres(double* centres, unsigned long long* sums, unsigned* counts) {
  const unsigned count = counts[threadIdx.x / 3];
  if (count != 0) centres[threadIdx.x] = (double)(long long)sums[threadIdx.x] / (double)count;
  sums[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x % 3 == 0) counts[threadIdx.x / 3] = 0;
}
