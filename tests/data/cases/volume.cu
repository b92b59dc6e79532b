// Three dimensions, a header of its own, and a parameter whose name is a keyword of Python's.
// snippet: kernel
#include "volume.h"

__global__ void volume(const int* in, int* out, int w, int h, int d) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < w && y < h && z < d)
    out[(z * h + y) * w + x] = in[(z * h + y) * w + x] * FACTOR + x - 100 * y + 10000 * z;
}
// end snippet

// snippet: reference
void reference(const int* in, int* out, int w, int h, int d) {
  for (int i = 0; i < w * h * d; ++i)
    out[i] = in[i] * FACTOR + i % w - 100 * (i / w % h) + 10000 * (i / w / h);
}
// end snippet
