// Arithmetic on bfloat16 and on pairs, and a row of a network's layer: products in bfloat16, sums in float.
#ifndef __TARE_CLANG__
#include <cuda_bf16.h>
#endif

extern "C" __global__ void brains(const __nv_bfloat16* a, const __nv_bfloat16* b, const __nv_bfloat16* c,
                                  unsigned n, unsigned short* out) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  const __nv_bfloat16 x = a[at], y = b[at], z = c[at];
  unsigned short* to = out + at * 8;
  to[0] = __bfloat16_as_ushort(__hadd_rn(x, y));
  to[1] = __bfloat16_as_ushort(__hsub_rn(x, y));
  to[2] = __bfloat16_as_ushort(__hmul_rn(x, y));
  to[3] = __bfloat16_as_ushort(__hfma(x, y, z));
  to[4] = __bfloat16_as_ushort(__hmin(x, y));
  to[5] = __bfloat16_as_ushort(__hmax(x, z));
  to[6] = __bfloat16_as_ushort(__float2bfloat16_rn(__bfloat162float(x) * 1.00390625f));
  to[7] = __bfloat16_as_ushort(__float2bfloat16_rz(__bfloat162float(x) * 1.00390625f));
}

extern "C" __global__ void layer(const __nv_bfloat162* weights, const __nv_bfloat162* inputs, unsigned pairs,
                                 float* out) {
  const __nv_bfloat162* row = weights + (blockIdx.x * blockDim.x + threadIdx.x) * pairs;
  float sum = 0.0f;
  for (unsigned i = 0; i < pairs; ++i) {
    const __nv_bfloat162 product = __hmul2_rn(row[i], inputs[i]);
    sum += __low2float(product);
    sum += __high2float(product);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum > 0.0f ? sum : 0.0f;
}
