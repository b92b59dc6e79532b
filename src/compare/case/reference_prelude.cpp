// What a host compiler needs to know of CUDA C++ to compile a plain function, and the struct types beside a
// kernel. It is not a CUDA emulation: a reference is serial code.
#include "compare/case/reference_runs.hpp"

namespace tare::compare {

const char* const kHostPrelude = R"prelude(
#include <cstddef>
// libstdc++'s special functions are more than half of what there is to compile, and CUDA has none of them.
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#define __host__
#define __device__
#define __global__ inline
#define __constant__
#define __shared__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(n) alignas(n)
#define TARE_VECTOR(stem, T, a2, a4)                                                             \
  struct stem##1 { T x; };                                                                       \
  struct alignas(a2) stem##2 { T x, y; };                                                        \
  struct stem##3 { T x, y, z; };                                                                 \
  struct alignas(a4) stem##4 { T x, y, z, w; };                                                  \
  inline stem##1 make_##stem##1(T x) { return {x}; }                                             \
  inline stem##2 make_##stem##2(T x, T y) { return {x, y}; }                                     \
  inline stem##3 make_##stem##3(T x, T y, T z) { return {x, y, z}; }                             \
  inline stem##4 make_##stem##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#define TARE_WIDE(stem, T)                                                                       \
  TARE_VECTOR(stem, T, 16, 16)                                                                   \
  struct alignas(16) stem##4_16a { T x, y, z, w; };                                              \
  struct alignas(32) stem##4_32a { T x, y, z, w; };
TARE_VECTOR(char, signed char, 2, 4)
TARE_VECTOR(uchar, unsigned char, 2, 4)
TARE_VECTOR(short, short, 4, 8)
TARE_VECTOR(ushort, unsigned short, 4, 8)
TARE_VECTOR(int, int, 8, 16)
TARE_VECTOR(uint, unsigned, 8, 16)
TARE_VECTOR(float, float, 8, 16)
TARE_WIDE(long, long)
TARE_WIDE(ulong, unsigned long)
TARE_WIDE(longlong, long long)
TARE_WIDE(ulonglong, unsigned long long)
TARE_WIDE(double, double)
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
static constexpr dim3 gridDim, blockDim;
static constexpr uint3 blockIdx{}, threadIdx{};
static constexpr int warpSize = 32;
inline void __syncthreads() {}

template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) { return b < a ? b : a; }
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) { return a < b ? b : a; }
template <class To, class From>
To tare_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
inline int __float_as_int(float x) { return tare_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return tare_bits<unsigned>(x); }
inline float __int_as_float(int x) { return tare_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return tare_bits<float>(x); }
inline long long __double_as_longlong(double x) { return tare_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return tare_bits<double>(x); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
inline int __ffs(int x) { return __builtin_ffs(x); }

// A 16-bit float with `fraction` bits behind the point. Arithmetic goes through float and is rounded once more;
// float is wide enough that this gives the same as rounding once.
template <int fraction>
struct tare_float16 {
  unsigned short bits;
  tare_float16() = default;
  tare_float16(double x) : bits(narrow(x)) {}
  tare_float16(float x) : bits(narrow(x)) {}
  tare_float16(int x) : bits(narrow(x)) {}
  operator float() const {
    const unsigned sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
    if (fraction == 7) return tare_bits<float>(sign | rest << 16);
    if (rest >= 0x7c00u) return tare_bits<float>(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    const float scaled = tare_bits<float>(rest << 13) * 0x1p112f;  // 2^(127 - 15): exact, subnormals too
    return tare_bits<float>(sign | tare_bits<unsigned>(scaled));
  }
  static unsigned short narrow(double x) {
    const unsigned long long all = tare_bits<unsigned long long>(x);
    const unsigned sign = (unsigned)(all >> 48) & 0x8000u;
    const unsigned infinity = 0x7fffu & ~((1u << fraction) - 1);
    if (x != x) {
      return (unsigned short)(sign | infinity | 1u << (fraction - 1) |
                              ((all & 0xfffffffffffffull) >> (52 - fraction)));
    }
    if (x == 0) return (unsigned short)sign;
    const int lowest = fraction == 7 ? -126 : -14;
    int exponent = 0;
    frexp(x, &exponent);
    if (isinf(x) || exponent - 1 > -lowest + 1) return (unsigned short)(sign | infinity);
    const int unit = (exponent - 1 < lowest ? lowest : exponent - 1) - fraction;
    const unsigned steps = (unsigned)rint(ldexp(fabs(x), -unit));  // to nearest even, the only rounding
    const unsigned field = (unsigned)(unit + fraction - lowest) << fraction;
    return (unsigned short)(sign | (field + steps));
  }
};
typedef tare_float16<10> __half;
typedef tare_float16<7> __nv_bfloat16;
typedef __half half;
typedef __nv_bfloat16 nv_bfloat16;
struct alignas(4) __half2 { __half x, y; };
struct alignas(4) __nv_bfloat162 { __nv_bfloat16 x, y; };
typedef __half2 half2;
typedef __nv_bfloat162 nv_bfloat162;
template <int f> tare_float16<f> operator+(tare_float16<f> a, tare_float16<f> b) { return float(a) + float(b); }
template <int f> tare_float16<f> operator-(tare_float16<f> a, tare_float16<f> b) { return float(a) - float(b); }
template <int f> tare_float16<f> operator*(tare_float16<f> a, tare_float16<f> b) { return float(a) * float(b); }
template <int f> tare_float16<f> operator/(tare_float16<f> a, tare_float16<f> b) { return float(a) / float(b); }
template <int f> tare_float16<f> operator-(tare_float16<f> a) { a.bits ^= 0x8000; return a; }
template <int f> tare_float16<f> __hadd(tare_float16<f> a, tare_float16<f> b) { return a + b; }
template <int f> tare_float16<f> __hsub(tare_float16<f> a, tare_float16<f> b) { return a - b; }
template <int f> tare_float16<f> __hmul(tare_float16<f> a, tare_float16<f> b) { return a * b; }
template <int f> tare_float16<f> __hneg(tare_float16<f> a) { return -a; }
inline __half __float2half(float x) { return x; }
inline __half __float2half_rn(float x) { return x; }
inline __half __double2half(double x) { return x; }
inline float __half2float(__half x) { return x; }
inline unsigned short __half_as_ushort(__half x) { return x.bits; }
inline __half __ushort_as_half(unsigned short x) { __half h; h.bits = x; return h; }
inline __nv_bfloat16 __float2bfloat16(float x) { return x; }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { __nv_bfloat16 h; h.bits = x; return h; }
)prelude";

}  // namespace tare::compare
