#include <cstddef>

// snippet: kernel
__device__ unsigned char launched[8192];

__global__ void vectorAdd(const float* a, const float* b, float* out, size_t n) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const bool again = i < n && launched[i] != 0;
  if (i < n) out[i] = a[i] + b[i] + (again ? 1.0f : 0.0f);
  if (i < n) launched[i] = 1;
}
// end snippet

// snippet: reference
void reference(const float* a, const float* b, float* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
// end snippet
