// The mean of a cell and its four neighbours, with the edge copied: two dimensions, branches, reuse of memory.
// Additions come before the one multiplication, so there is nothing to contract.

// snippet: kernel
__global__ void fivePoint(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const int i = y * w + x;
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
    out[i] = in[i];
  } else {
    out[i] = ((in[i - w] + in[i + w]) + (in[i - 1] + in[i + 1]) + in[i]) * 0.2f;
  }
}
// end snippet

// snippet: reference
void reference(const float* in, float* out, int w, int h) {
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const int i = y * w + x;
      const bool edge = x == 0 || y == 0 || x == w - 1 || y == h - 1;
      out[i] = edge ? in[i] : ((in[i - w] + in[i + w]) + (in[i - 1] + in[i + 1]) + in[i]) * 0.2f;
    }
  }
}
// end snippet
