// The lowest short, negated and put into a short again, is itself.

// snippet: kernel
__global__ void negate(const short* a, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (short)-a[i];
}
// end snippet

// snippet: reference
#include <cstdint>
void reference(const short* a, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = static_cast<std::int16_t>(-a[i]);
}
// end snippet
