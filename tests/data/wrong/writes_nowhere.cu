#include <cstddef>

// snippet: kernel
__global__ void vectorAdd(const float* a, const float* b, float* out, size_t n) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n == 0) out[i] = a[i] + b[i];
}
// end snippet

// snippet: reference
void reference(const float* a, const float* b, float* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
// end snippet
