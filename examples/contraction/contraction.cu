// a * b + c where the product's rounding decides everything. With a = b = 1 + 2^-12 and c = -(1 + 2^-11) the
// answer is 2^-24 if a compiler fuses the two operations into one rounding, and 0 if it rounds twice.

// snippet: kernel
__global__ void multiplyAdd(const float* a, const float* b, const float* c, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] * b[i] + c[i];
}
// end snippet

// snippet: reference
void reference(const float* a, const float* b, const float* c, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = a[i] * b[i] + c[i];
}
// end snippet
