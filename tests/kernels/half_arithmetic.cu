// Arithmetic on 16-bit floats and on pairs of them, comparisons and conversions, and a dot product of pairs.
#ifndef __TARE_CLANG__
#include <cuda_fp16.h>
#endif

extern "C" __global__ void halves(const __half* a, const __half* b, const __half* c, unsigned n,
                                  unsigned short* out) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  const __half x = a[at], y = b[at], z = c[at];
  unsigned short* to = out + at * 8;
  to[0] = __half_as_ushort(__hadd_rn(x, y));
  to[1] = __half_as_ushort(__hsub_rn(x, y));
  to[2] = __half_as_ushort(__hmul_rn(x, y));
  to[3] = __half_as_ushort(__hfma(x, y, z));
  to[4] = __half_as_ushort(__hmin(x, y));
  to[5] = __half_as_ushort(__hmax(x, z));
  to[6] = __half_as_ushort(__hneg(__habs(x)));
  to[7] = (__hlt(x, y) ? 1 : 0) | (__hge(x, z) ? 2 : 0) | (__heq(x, x) ? 4 : 0) | (__hne(y, z) ? 8 : 0) |
          (__hisnan(x) ? 16 : 0);
}

extern "C" __global__ void conversions(const __half* a, unsigned n, float* floats, int* integers,
                                       unsigned short* back) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  const float wide = __half2float(a[at]);
  floats[at] = wide;
  integers[2 * at] = __half2int_rn(a[at]);
  integers[2 * at + 1] = __half2int_rz(a[at]);
  back[4 * at] = __half_as_ushort(__float2half_rn(wide * 1.0009765f));
  back[4 * at + 1] = __half_as_ushort(__float2half_rz(wide * 1.0009765f));
  back[4 * at + 2] = __half_as_ushort(__int2half_rn(integers[2 * at] * 37));
  back[4 * at + 3] = __half_as_ushort(__hdiv(a[at], __float2half_rn(3.0f)));
}

// Four sums of products for each block, in pairs, added up in lane order.
extern "C" __global__ void dot(const __half2* a, const __half2* b, unsigned pairs, __half2* partial,
                               float* out) {
  __half2 sum = __float2half2_rn(0.0f);
  for (unsigned i = threadIdx.x; i < pairs; i += blockDim.x) sum = __hfma2(a[i], b[i], sum);
  partial[threadIdx.x] = __hadd2_rn(sum, __hmul2_rn(a[0], b[0]));
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (unsigned i = 0; i < blockDim.x; ++i) total += __low2float(partial[i]) + __high2float(partial[i]);
    *out = total;
  }
}
