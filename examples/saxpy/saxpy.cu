// y = a * x + y, in place: the y that goes in is not the y that comes out. The case takes a power of two for a;
// the product is then exact, and contracting it into a fused multiply-add does not change a bit.

// snippet: kernel
__global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
// end snippet

// snippet: reference
void reference(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}
// end snippet
