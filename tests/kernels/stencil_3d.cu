// A seven-point stencil that marches along z: the plane lies in shared memory with its halo, what is above
// and below in registers.
#define TILE 8

extern "C" __global__ void stencil_3d(const float* in, float* out, int nx, int ny, int nz, float centre,
                                      float side) {
  __shared__ float plane[TILE + 2][TILE + 2];
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const bool inside = x < nx && y < ny;
  const int row = nx, layer = nx * ny;
  const int at = inside ? y * row + x : 0;
  float below = 0.0f, current = in[at], above = nz > 1 ? in[at + layer] : 0.0f;
  for (int z = 0; z < nz; ++z) {
    plane[ty][tx] = inside ? current : 0.0f;
    if (threadIdx.x == 0) plane[ty][0] = inside && x > 0 ? in[at + z * layer - 1] : 0.0f;
    if (threadIdx.x == TILE - 1) plane[ty][TILE + 1] = inside && x + 1 < nx ? in[at + z * layer + 1] : 0.0f;
    if (threadIdx.y == 0) plane[0][tx] = inside && y > 0 ? in[at + z * layer - row] : 0.0f;
    if (threadIdx.y == TILE - 1) plane[TILE + 1][tx] = inside && y + 1 < ny ? in[at + z * layer + row] : 0.0f;
    __syncthreads();
    if (inside) {
      float sum = below + above;
      sum += plane[ty - 1][tx];
      sum += plane[ty + 1][tx];
      sum += plane[ty][tx - 1];
      sum += plane[ty][tx + 1];
      out[at + z * layer] = centre * current + side * sum;
    }
    __syncthreads();
    below = current;
    current = above;
    above = z + 2 < nz ? in[at + (z + 2) * layer] : 0.0f;
  }
}
