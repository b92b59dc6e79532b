// The least of three, one of them negated.

// snippet: kernel
__global__ void least(const int* a, const int* b, const int* c, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = min(min(a[i], -b[i]), c[i]);
}
// end snippet

// snippet: reference
void reference(const int* a, const int* b, const int* c, int* out, int n) {
  for (int i = 0; i < n; ++i) {
    int least = a[i];
    if (-b[i] < least) least = -b[i];
    if (c[i] < least) least = c[i];
    out[i] = least;
  }
}
// end snippet
