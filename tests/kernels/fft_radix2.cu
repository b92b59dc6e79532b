// A fast Fourier transform of 256 complex numbers a block: bit-reversed into shared memory, then eight passes
// of butterflies in place. twiddles[k] is exp(-2 pi i k / 256).
extern "C" __global__ void fft_radix2(const float2* in, float2* out, const float2* twiddles, int inverse) {
  __shared__ float2 points[256];
  const unsigned thread = threadIdx.x, base = blockIdx.x * 256;
  for (unsigned i = thread; i < 256; i += 128) points[__brev(i) >> 24] = in[base + i];
  for (unsigned half = 1; half < 256; half *= 2) {
    __syncthreads();
    const unsigned k = thread & (half - 1), at = 2 * (thread - k) + k;
    float2 w = twiddles[k * (128 / half)];
    if (inverse) w.y = -w.y;
    const float2 a = points[at], b = points[at + half];
    const float2 turned = make_float2(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
    points[at] = make_float2(a.x + turned.x, a.y + turned.y);
    points[at + half] = make_float2(a.x - turned.x, a.y - turned.y);
  }
  __syncthreads();
  const float scale = inverse ? 1.0f / 256.0f : 1.0f;
  for (unsigned i = thread; i < 256; i += 128)
    out[base + i] = make_float2(points[i].x * scale, points[i].y * scale);
}
