// The 16-bit floating-point types: what cuda_fp16.h and cuda_bf16.h name, as far as one PTX instruction is
// behind it. Functions that end in _rn are never contracted; the others may be where contraction is on, as in
// CUDA.
#pragma once
// A function a line, as tables:
// clang-format off

// Trivial, as CUDA's are, so that they can lie in shared memory and unions.
struct __attribute__((aligned(2))) __half {
  unsigned short __x;
  __half() = default;
  __device__ __half(float a) : __x(__builtin_bit_cast(unsigned short, static_cast<_Float16>(a))) {}
  __device__ operator float() const { return static_cast<float>(__builtin_bit_cast(_Float16, __x)); }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __device__ __half2(__half a, __half b) : x(a), y(b) {}
};
TARE_DEVICE unsigned short tare_rounded_bfloat16(float a);
struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  __device__ __nv_bfloat16(float a) : __x(tare_rounded_bfloat16(a)) {}
  __device__ operator float() const { return __uint_as_float(static_cast<unsigned>(__x) << 16); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __half half;
typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// Bits.
TARE_DEVICE unsigned short __half_as_ushort(__half a) { return a.__x; }
TARE_DEVICE short __half_as_short(__half a) { return static_cast<short>(a.__x); }
TARE_DEVICE __half __ushort_as_half(unsigned short a) { return __builtin_bit_cast(__half, a); }
TARE_DEVICE __half __short_as_half(short a) { return __builtin_bit_cast(__half, a); }
TARE_DEVICE unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
TARE_DEVICE short __bfloat16_as_short(__nv_bfloat16 a) { return static_cast<short>(a.__x); }
TARE_DEVICE __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __builtin_bit_cast(__nv_bfloat16, a); }
TARE_DEVICE __nv_bfloat16 __short_as_bfloat16(short a) { return __builtin_bit_cast(__nv_bfloat16, a); }

// Conversions of half. CUDA's suffixes for rounding (rn rz ru rd), PTX's for floats (rn rz rp rm) and integers.
TARE_DEVICE float __half2float(__half a) { return a; }
TARE_DEVICE __half __float2half(float a) { return __half(a); }
#define TARE_HALF_ROUNDED(cuda, ptx, whole)                                                                          \
  TARE_DEVICE __half __float2half_##cuda(float a) {                                                                  \
    unsigned short r;                                                                                                \
    asm("cvt." #ptx ".f16.f32 %0, %1;" : "=h"(r) : "f"(a));                                                          \
    return __ushort_as_half(r);                                                                                      \
  }                                                                                                                  \
  TARE_HALF_INTEGER(int, int, "r", s32, cuda, ptx, whole)                                                            \
  TARE_HALF_INTEGER(uint, unsigned, "r", u32, cuda, ptx, whole)                                                      \
  TARE_HALF_INTEGER(short, short, "h", s16, cuda, ptx, whole)                                                        \
  TARE_HALF_INTEGER(ushort, unsigned short, "h", u16, cuda, ptx, whole)                                              \
  TARE_HALF_INTEGER(ll, long long, "l", s64, cuda, ptx, whole)                                                       \
  TARE_HALF_INTEGER(ull, unsigned long long, "l", u64, cuda, ptx, whole)
#define TARE_HALF_INTEGER(name, type, constraint, suffix, cuda, ptx, whole)                                          \
  TARE_DEVICE type __half2##name##_##cuda(__half a) {                                                                \
    type r;                                                                                                          \
    asm("cvt." #whole "." #suffix ".f16 %0, %1;" : "=" constraint(r) : "h"(a.__x));                                  \
    return r;                                                                                                        \
  }                                                                                                                  \
  TARE_DEVICE __half __##name##2half_##cuda(type a) {                                                                \
    unsigned short r;                                                                                                \
    asm("cvt." #ptx ".f16." #suffix " %0, %1;" : "=h"(r) : constraint(a));                                           \
    return __ushort_as_half(r);                                                                                      \
  }
TARE_HALF_ROUNDED(rn, rn, rni)
TARE_HALF_ROUNDED(rz, rz, rzi)
TARE_HALF_ROUNDED(ru, rp, rpi)
TARE_HALF_ROUNDED(rd, rm, rmi)
#undef TARE_HALF_INTEGER
#undef TARE_HALF_ROUNDED
TARE_DEVICE __half __double2half(double a) {
  unsigned short r;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r) : "d"(a));
  return __ushort_as_half(r);
}

// Conversions of bfloat16.
TARE_DEVICE float __bfloat162float(__nv_bfloat16 a) { return a; }
TARE_DEVICE unsigned short tare_rounded_bfloat16(float a) {
#if __CUDA_ARCH__ >= 800
  unsigned short r;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(a));
  return r;
#else
  const unsigned bits = __float_as_uint(a);
  if (isnan(a)) return 0x7fff;
  return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
#endif
}
TARE_DEVICE __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
TARE_DEVICE __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
TARE_DEVICE __nv_bfloat16 __float2bfloat16_rz(float a) {
  return __ushort_as_bfloat16(isnan(a) ? 0x7fff : static_cast<unsigned short>(__float_as_uint(a) >> 16));
}

// Pairs.
TARE_DEVICE unsigned tare_bits(__half2 a) { return __builtin_bit_cast(unsigned, a); }
TARE_DEVICE unsigned tare_bits(__nv_bfloat162 a) { return __builtin_bit_cast(unsigned, a); }
#define TARE_PAIR(one, two, from_float)                                                       \
  TARE_DEVICE one __low2##from_float(two a) { return a.x; }                                   \
  TARE_DEVICE one __high2##from_float(two a) { return a.y; }                                  \
  TARE_DEVICE float __low2float(two a) { return a.x; }                                        \
  TARE_DEVICE float __high2float(two a) { return a.y; }
TARE_PAIR(__half, __half2, half)
TARE_PAIR(__nv_bfloat16, __nv_bfloat162, bfloat16)
#undef TARE_PAIR
TARE_DEVICE __half2 make_half2(__half a, __half b) { return __half2(a, b); }
TARE_DEVICE __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
TARE_DEVICE __half2 __half2half2(__half a) { return __half2(a, a); }
TARE_DEVICE __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
TARE_DEVICE __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
TARE_DEVICE float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
TARE_DEVICE __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
TARE_DEVICE __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
TARE_DEVICE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
TARE_DEVICE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
TARE_DEVICE __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(a, a); }
TARE_DEVICE __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(a, b); }
TARE_DEVICE float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2(a.x, a.y); }

// Arithmetic as single instructions.
#define TARE_INSTRUCTION_1(name, type, constraint, text)                                                             \
  TARE_DEVICE type name(type a) {                                                                                    \
    auto r = tare_raw(a);                                                                                            \
    asm(text " %0, %1;" : "=" constraint(r) : constraint(tare_raw(a)));                                              \
    return __builtin_bit_cast(type, r);                                                                              \
  }
#define TARE_INSTRUCTION_2(name, type, constraint, text)                                                             \
  TARE_DEVICE type name(type a, type b) {                                                                            \
    auto r = tare_raw(a);                                                                                            \
    asm(text " %0, %1, %2;" : "=" constraint(r) : constraint(tare_raw(a)), constraint(tare_raw(b)));                 \
    return __builtin_bit_cast(type, r);                                                                              \
  }
#define TARE_INSTRUCTION_3(name, type, constraint, text)                                                             \
  TARE_DEVICE type name(type a, type b, type c) {                                                                    \
    auto r = tare_raw(a);                                                                                            \
    asm(text " %0, %1, %2, %3;"                                                                                      \
        : "=" constraint(r) : constraint(tare_raw(a)), constraint(tare_raw(b)), constraint(tare_raw(c)));            \
    return __builtin_bit_cast(type, r);                                                                              \
  }
TARE_DEVICE unsigned short tare_raw(__half a) { return a.__x; }
TARE_DEVICE unsigned short tare_raw(__nv_bfloat16 a) { return a.__x; }
TARE_DEVICE unsigned tare_raw(__half2 a) { return tare_bits(a); }
TARE_DEVICE unsigned tare_raw(__nv_bfloat162 a) { return tare_bits(a); }
TARE_INSTRUCTION_2(__hadd, __half, "h", "add.f16")
TARE_INSTRUCTION_2(__hadd_rn, __half, "h", "add.rn.f16")
TARE_INSTRUCTION_2(__hadd_sat, __half, "h", "add.sat.f16")
TARE_INSTRUCTION_2(__hsub, __half, "h", "sub.f16")
TARE_INSTRUCTION_2(__hsub_rn, __half, "h", "sub.rn.f16")
TARE_INSTRUCTION_2(__hmul, __half, "h", "mul.f16")
TARE_INSTRUCTION_2(__hmul_rn, __half, "h", "mul.rn.f16")
TARE_INSTRUCTION_3(__hfma, __half, "h", "fma.rn.f16")
TARE_INSTRUCTION_3(__hfma_sat, __half, "h", "fma.rn.sat.f16")
TARE_INSTRUCTION_1(__hneg, __half, "h", "neg.f16")
TARE_INSTRUCTION_1(__habs, __half, "h", "abs.f16")
TARE_INSTRUCTION_2(__hadd2, __half2, "r", "add.f16x2")
TARE_INSTRUCTION_2(__hadd2_rn, __half2, "r", "add.rn.f16x2")
TARE_INSTRUCTION_2(__hsub2, __half2, "r", "sub.f16x2")
TARE_INSTRUCTION_2(__hsub2_rn, __half2, "r", "sub.rn.f16x2")
TARE_INSTRUCTION_2(__hmul2, __half2, "r", "mul.f16x2")
TARE_INSTRUCTION_2(__hmul2_rn, __half2, "r", "mul.rn.f16x2")
TARE_INSTRUCTION_3(__hfma2, __half2, "r", "fma.rn.f16x2")
TARE_INSTRUCTION_1(__hneg2, __half2, "r", "neg.f16x2")
TARE_INSTRUCTION_1(__habs2, __half2, "r", "abs.f16x2")
#if __CUDA_ARCH__ >= 800
TARE_INSTRUCTION_2(__hmin, __half, "h", "min.f16")
TARE_INSTRUCTION_2(__hmax, __half, "h", "max.f16")
TARE_INSTRUCTION_2(__hmin2, __half2, "r", "min.f16x2")
TARE_INSTRUCTION_2(__hmax2, __half2, "r", "max.f16x2")
TARE_INSTRUCTION_2(__hmin, __nv_bfloat16, "h", "min.bf16")
TARE_INSTRUCTION_2(__hmax, __nv_bfloat16, "h", "max.bf16")
TARE_INSTRUCTION_2(__hmin2, __nv_bfloat162, "r", "min.bf16x2")
TARE_INSTRUCTION_2(__hmax2, __nv_bfloat162, "r", "max.bf16x2")
TARE_INSTRUCTION_3(__hfma, __nv_bfloat16, "h", "fma.rn.bf16")
TARE_INSTRUCTION_3(__hfma2, __nv_bfloat162, "r", "fma.rn.bf16x2")
TARE_INSTRUCTION_1(__hneg, __nv_bfloat16, "h", "neg.bf16")
TARE_INSTRUCTION_1(__habs, __nv_bfloat16, "h", "abs.bf16")
TARE_INSTRUCTION_1(__hneg2, __nv_bfloat162, "r", "neg.bf16x2")
TARE_INSTRUCTION_1(__habs2, __nv_bfloat162, "r", "abs.bf16x2")
#endif
#if __CUDA_ARCH__ >= 900
TARE_INSTRUCTION_2(__hadd, __nv_bfloat16, "h", "add.bf16")
TARE_INSTRUCTION_2(__hadd_rn, __nv_bfloat16, "h", "add.rn.bf16")
TARE_INSTRUCTION_2(__hsub, __nv_bfloat16, "h", "sub.bf16")
TARE_INSTRUCTION_2(__hsub_rn, __nv_bfloat16, "h", "sub.rn.bf16")
TARE_INSTRUCTION_2(__hmul, __nv_bfloat16, "h", "mul.bf16")
TARE_INSTRUCTION_2(__hmul_rn, __nv_bfloat16, "h", "mul.rn.bf16")
TARE_INSTRUCTION_2(__hadd2, __nv_bfloat162, "r", "add.bf16x2")
TARE_INSTRUCTION_2(__hadd2_rn, __nv_bfloat162, "r", "add.rn.bf16x2")
TARE_INSTRUCTION_2(__hsub2, __nv_bfloat162, "r", "sub.bf16x2")
TARE_INSTRUCTION_2(__hsub2_rn, __nv_bfloat162, "r", "sub.rn.bf16x2")
TARE_INSTRUCTION_2(__hmul2, __nv_bfloat162, "r", "mul.bf16x2")
TARE_INSTRUCTION_2(__hmul2_rn, __nv_bfloat162, "r", "mul.rn.bf16x2")
#endif
#undef TARE_INSTRUCTION_1
#undef TARE_INSTRUCTION_2
#undef TARE_INSTRUCTION_3
// Rounding a quotient or a root of halves through float gives what rounding it once gives.
TARE_DEVICE __half __hdiv(__half a, __half b) { return __half(__fdiv_rn(a, b)); }
TARE_DEVICE __half hsqrt(__half a) { return __half(__fsqrt_rn(a)); }

// Comparisons: false where either is not a number, and true for the forms that end in u.
#define TARE_COMPARISON(name, operation)                                                                             \
  TARE_DEVICE bool __h##name(__half a, __half b) {                                                                   \
    return static_cast<float>(a) operation static_cast<float>(b);                                                    \
  }                                                                                                                  \
  TARE_DEVICE bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) {                                                     \
    return static_cast<float>(a) operation static_cast<float>(b);                                                    \
  }                                                                                                                  \
  TARE_DEVICE bool __h##name##u(__half a, __half b) { return __hisnan(a) || __hisnan(b) || __h##name(a, b); }
TARE_DEVICE bool __hisnan(__half a) { return (a.__x & 0x7fffu) > 0x7c00u; }
TARE_DEVICE bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fffu) > 0x7f80u; }
TARE_DEVICE int __hisinf(__half a) { return a.__x == 0x7c00u ? 1 : a.__x == 0xfc00u ? -1 : 0; }
TARE_COMPARISON(eq, ==)
TARE_COMPARISON(lt, <)
TARE_COMPARISON(le, <=)
TARE_COMPARISON(gt, >)
TARE_COMPARISON(ge, >=)
#undef TARE_COMPARISON
TARE_DEVICE bool __hne(__half a, __half b) { return !__hisnan(a) && !__hisnan(b) && !__heq(a, b); }
TARE_DEVICE bool __hneu(__half a, __half b) { return !__heq(a, b); }
TARE_DEVICE bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return !__hisnan(a) && !__hisnan(b) && !__heq(a, b); }

// The operators that CUDA gives the types.
#define TARE_OPERATORS(type, suffix)                                                                                 \
  TARE_DEVICE type operator+(type a, type b) { return __hadd##suffix(a, b); }                                        \
  TARE_DEVICE type operator-(type a, type b) { return __hsub##suffix(a, b); }                                        \
  TARE_DEVICE type operator*(type a, type b) { return __hmul##suffix(a, b); }                                        \
  TARE_DEVICE type& operator+=(type& a, type b) { return a = a + b; }                                                \
  TARE_DEVICE type& operator-=(type& a, type b) { return a = a - b; }                                                \
  TARE_DEVICE type& operator*=(type& a, type b) { return a = a * b; }                                                \
  TARE_DEVICE type operator-(type a) { return __hneg##suffix(a); }
#define TARE_ORDERED(type)                                                                                           \
  TARE_DEVICE bool operator==(type a, type b) { return __heq(a, b); }                                                \
  TARE_DEVICE bool operator!=(type a, type b) { return !__heq(a, b); }                                               \
  TARE_DEVICE bool operator<(type a, type b) { return __hlt(a, b); }                                                 \
  TARE_DEVICE bool operator<=(type a, type b) { return __hle(a, b); }                                                \
  TARE_DEVICE bool operator>(type a, type b) { return __hgt(a, b); }                                                 \
  TARE_DEVICE bool operator>=(type a, type b) { return __hge(a, b); }
TARE_OPERATORS(__half, )
TARE_OPERATORS(__half2, 2)
TARE_DEVICE __half operator/(__half a, __half b) { return __hdiv(a, b); }
TARE_ORDERED(__half)
TARE_ORDERED(__nv_bfloat16)
#if __CUDA_ARCH__ >= 900
TARE_OPERATORS(__nv_bfloat16, )
TARE_OPERATORS(__nv_bfloat162, 2)
#endif
#undef TARE_OPERATORS
#undef TARE_ORDERED

// Atomic additions.
#define TARE_ATOMIC(type, constraint, text)                                                                          \
  TARE_DEVICE type atomicAdd(type* p, type v) {                                                                      \
    auto r = tare_raw(v);                                                                                            \
    asm volatile("atom.add.noftz." text " %0, [%1], %2;"                                                             \
                 : "=" constraint(r) : "l"(p), constraint(tare_raw(v)) : "memory");                                  \
    return __builtin_bit_cast(type, r);                                                                              \
  }
TARE_ATOMIC(__half, "h", "f16")
TARE_ATOMIC(__half2, "r", "f16x2")
#if __CUDA_ARCH__ >= 900
TARE_ATOMIC(__nv_bfloat16, "h", "bf16")
TARE_ATOMIC(__nv_bfloat162, "r", "bf16x2")
#endif
#undef TARE_ATOMIC
