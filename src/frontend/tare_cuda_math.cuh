// Arithmetic: what one PTX instruction does is here, exactly; what needs NVIDIA's device math library
// (exp, sin, pow, ...) is declared as unavailable, so that a use of it says why.
#pragma once
// A function a line, as tables:
// clang-format off

/// Folded by the compiler: are single-precision denormals flushed in this compile?
#define TARE_FTZ (__nvvm_reflect("__CUDA_FTZ") != 0)

// CUDA's suffixes for rounding (rn rz ru rd) and PTX's (rn rz rp rm).
#define TARE_ROUNDED(cuda, ptx)                                                                        \
  TARE_DEVICE float __fadd_##cuda(float a, float b) {                                                  \
    return TARE_FTZ ? __nvvm_add_##ptx##_ftz_f(a, b) : __nvvm_add_##ptx##_f(a, b);                     \
  }                                                                                                    \
  TARE_DEVICE float __fsub_##cuda(float a, float b) { return __fadd_##cuda(a, -b); }                   \
  TARE_DEVICE float __fmul_##cuda(float a, float b) {                                                  \
    return TARE_FTZ ? __nvvm_mul_##ptx##_ftz_f(a, b) : __nvvm_mul_##ptx##_f(a, b);                     \
  }                                                                                                    \
  TARE_DEVICE float __fmaf_##cuda(float a, float b, float c) {                                         \
    return TARE_FTZ ? __nvvm_fma_##ptx##_ftz_f(a, b, c) : __nvvm_fma_##ptx##_f(a, b, c);               \
  }                                                                                                    \
  TARE_DEVICE float __fdiv_##cuda(float a, float b) {                                                  \
    return TARE_FTZ ? __nvvm_div_##ptx##_ftz_f(a, b) : __nvvm_div_##ptx##_f(a, b);                     \
  }                                                                                                    \
  TARE_DEVICE float __frcp_##cuda(float a) {                                                           \
    return TARE_FTZ ? __nvvm_rcp_##ptx##_ftz_f(a) : __nvvm_rcp_##ptx##_f(a);                           \
  }                                                                                                    \
  TARE_DEVICE float __fsqrt_##cuda(float a) {                                                          \
    return TARE_FTZ ? __nvvm_sqrt_##ptx##_ftz_f(a) : __nvvm_sqrt_##ptx##_f(a);                         \
  }                                                                                                    \
  TARE_DEVICE double __dadd_##cuda(double a, double b) { return __nvvm_add_##ptx##_d(a, b); }          \
  TARE_DEVICE double __dsub_##cuda(double a, double b) { return __nvvm_add_##ptx##_d(a, -b); }         \
  TARE_DEVICE double __dmul_##cuda(double a, double b) { return __nvvm_mul_##ptx##_d(a, b); }          \
  TARE_DEVICE double __fma_##cuda(double a, double b, double c) { return __nvvm_fma_##ptx##_d(a, b, c); } \
  TARE_DEVICE double __ddiv_##cuda(double a, double b) { return __nvvm_div_##ptx##_d(a, b); }          \
  TARE_DEVICE double __drcp_##cuda(double a) { return __nvvm_rcp_##ptx##_d(a); }                       \
  TARE_DEVICE double __dsqrt_##cuda(double a) { return __nvvm_sqrt_##ptx##_d(a); }                     \
  TARE_DEVICE int __float2int_##cuda(float a) { return __nvvm_f2i_##ptx(a); }                          \
  TARE_DEVICE unsigned __float2uint_##cuda(float a) { return __nvvm_f2ui_##ptx(a); }                   \
  TARE_DEVICE long long __float2ll_##cuda(float a) { return __nvvm_f2ll_##ptx(a); }                    \
  TARE_DEVICE unsigned long long __float2ull_##cuda(float a) { return __nvvm_f2ull_##ptx(a); }         \
  TARE_DEVICE float __int2float_##cuda(int a) { return __nvvm_i2f_##ptx(a); }                          \
  TARE_DEVICE float __uint2float_##cuda(unsigned a) { return __nvvm_ui2f_##ptx(a); }                   \
  TARE_DEVICE float __ll2float_##cuda(long long a) { return __nvvm_ll2f_##ptx(a); }                    \
  TARE_DEVICE float __ull2float_##cuda(unsigned long long a) { return __nvvm_ull2f_##ptx(a); }         \
  TARE_DEVICE int __double2int_##cuda(double a) { return __nvvm_d2i_##ptx(a); }                        \
  TARE_DEVICE unsigned __double2uint_##cuda(double a) { return __nvvm_d2ui_##ptx(a); }                 \
  TARE_DEVICE long long __double2ll_##cuda(double a) { return __nvvm_d2ll_##ptx(a); }                  \
  TARE_DEVICE unsigned long long __double2ull_##cuda(double a) { return __nvvm_d2ull_##ptx(a); }       \
  TARE_DEVICE float __double2float_##cuda(double a) { return __nvvm_d2f_##ptx(a); }
TARE_ROUNDED(rn, rn)
TARE_ROUNDED(rz, rz)
TARE_ROUNDED(ru, rp)
TARE_ROUNDED(rd, rm)
#undef TARE_ROUNDED

// Single instructions, float and double, with the overloads that C++ has.
#define TARE_UNARY(name)                                                          \
  TARE_DEVICE float name##f(float a) { return __builtin_##name##f(a); }           \
  TARE_DEVICE float name(float a) { return __builtin_##name##f(a); }              \
  TARE_DEVICE double name(double a) { return __builtin_##name(a); }
TARE_UNARY(fabs)
TARE_UNARY(floor)
TARE_UNARY(ceil)
TARE_UNARY(trunc)
TARE_UNARY(rint)
TARE_UNARY(nearbyint)
TARE_UNARY(round)
#undef TARE_UNARY
#ifdef TARE_APPROXIMATE_SQRT
TARE_DEVICE float sqrtf(float a) { return TARE_FTZ ? __nvvm_sqrt_approx_ftz_f(a) : __nvvm_sqrt_approx_f(a); }
#else
TARE_DEVICE float sqrtf(float a) { return __builtin_sqrtf(a); }
#endif
TARE_DEVICE float sqrt(float a) { return sqrtf(a); }
TARE_DEVICE double sqrt(double a) { return __builtin_sqrt(a); }
#define TARE_BINARY(name)                                                                  \
  TARE_DEVICE float name##f(float a, float b) { return __builtin_##name##f(a, b); }        \
  TARE_DEVICE float name(float a, float b) { return __builtin_##name##f(a, b); }           \
  TARE_DEVICE double name(double a, double b) { return __builtin_##name(a, b); }
TARE_BINARY(fmin)
TARE_BINARY(fmax)
TARE_BINARY(copysign)
#undef TARE_BINARY
TARE_DEVICE float fmaf(float a, float b, float c) { return __fmaf_rn(a, b, c); }
TARE_DEVICE float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
TARE_DEVICE double fma(double a, double b, double c) { return __fma_rn(a, b, c); }
TARE_DEVICE float fdimf(float a, float b) { return a <= b ? 0.0f : a - b; }
TARE_DEVICE float saturate(float a) { return TARE_FTZ ? __nvvm_saturate_ftz_f(a) : __nvvm_saturate_f(a); }
TARE_DEVICE float __saturatef(float a) { return saturate(a); }
TARE_DEVICE bool isnan(float a) { return __builtin_isnan(a); }
TARE_DEVICE bool isnan(double a) { return __builtin_isnan(a); }
TARE_DEVICE bool isinf(float a) { return __builtin_isinf(a) != 0; }
TARE_DEVICE bool isinf(double a) { return __builtin_isinf(a) != 0; }
TARE_DEVICE bool isfinite(float a) { return __builtin_isfinite(a) != 0; }
TARE_DEVICE bool isfinite(double a) { return __builtin_isfinite(a) != 0; }
TARE_DEVICE bool signbit(float a) { return __builtin_signbit(a) != 0; }
TARE_DEVICE bool signbit(double a) { return __builtin_signbit(a) != 0; }

// The approximations that CUDA documents as one instruction.
TARE_DEVICE float rsqrtf(float a) { return TARE_FTZ ? __nvvm_rsqrt_approx_ftz_f(a) : __nvvm_rsqrt_approx_f(a); }
TARE_DEVICE float rsqrt(float a) { return rsqrtf(a); }
TARE_DEVICE float __frsqrt_rn(float a) { return rsqrtf(a); }
TARE_DEVICE float __fdividef(float a, float b) {
  return TARE_FTZ ? __nvvm_div_approx_ftz_f(a, b) : __nvvm_div_approx_f(a, b);
}
TARE_DEVICE float __sinf(float a) { return TARE_FTZ ? __nvvm_sin_approx_ftz_f(a) : __nvvm_sin_approx_f(a); }
TARE_DEVICE float __cosf(float a) { return TARE_FTZ ? __nvvm_cos_approx_ftz_f(a) : __nvvm_cos_approx_f(a); }
TARE_DEVICE float exp2f_approx_(float a) { return TARE_FTZ ? __nvvm_ex2_approx_ftz_f(a) : __nvvm_ex2_approx_f(a); }
TARE_DEVICE float __log2f(float a) { return TARE_FTZ ? __nvvm_lg2_approx_ftz_f(a) : __nvvm_lg2_approx_f(a); }
TARE_DEVICE float __expf(float a) { return exp2f_approx_(__fmul_rn(a, 1.4426950408889634f)); }
TARE_DEVICE float __logf(float a) { return __fmul_rn(__log2f(a), 0.6931471805599453f); }
TARE_DEVICE float __powf(float a, float b) { return exp2f_approx_(__fmul_rn(b, __log2f(a))); }

#define TARE_UNAVAILABLE \
  __attribute__((device, unavailable("it is in NVIDIA's device math library, which clang is run without here")))
#define TARE_NO_UNARY(name)              \
  TARE_UNAVAILABLE float name##f(float); \
  TARE_UNAVAILABLE float name(float);    \
  TARE_UNAVAILABLE double name(double);
TARE_NO_UNARY(exp)
TARE_NO_UNARY(exp2)
TARE_NO_UNARY(exp10)
TARE_NO_UNARY(expm1)
TARE_NO_UNARY(log)
TARE_NO_UNARY(log2)
TARE_NO_UNARY(log10)
TARE_NO_UNARY(log1p)
TARE_NO_UNARY(sin)
TARE_NO_UNARY(cos)
TARE_NO_UNARY(tan)
TARE_NO_UNARY(asin)
TARE_NO_UNARY(acos)
TARE_NO_UNARY(atan)
TARE_NO_UNARY(sinh)
TARE_NO_UNARY(cosh)
TARE_NO_UNARY(tanh)
TARE_NO_UNARY(erf)
TARE_NO_UNARY(erfc)
TARE_NO_UNARY(tgamma)
TARE_NO_UNARY(lgamma)
TARE_NO_UNARY(cbrt)
#undef TARE_NO_UNARY
#define TARE_NO_BINARY(name)                    \
  TARE_UNAVAILABLE float name##f(float, float); \
  TARE_UNAVAILABLE float name(float, float);    \
  TARE_UNAVAILABLE double name(double, double);
TARE_NO_BINARY(pow)
TARE_NO_BINARY(atan2)
TARE_NO_BINARY(fmod)
TARE_NO_BINARY(hypot)
#undef TARE_NO_BINARY
#undef TARE_UNAVAILABLE

// Bits.
TARE_DEVICE int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
TARE_DEVICE unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
TARE_DEVICE float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
TARE_DEVICE float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
TARE_DEVICE long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
TARE_DEVICE double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
TARE_DEVICE int __double2hiint(double a) { return static_cast<int>(__double_as_longlong(a) >> 32); }
TARE_DEVICE int __double2loint(double a) { return static_cast<int>(__double_as_longlong(a)); }
TARE_DEVICE double __hiloint2double(int hi, int lo) {
  return __longlong_as_double((static_cast<long long>(hi) << 32) | static_cast<unsigned>(lo));
}

// Integers.
#define TARE_MIN_MAX(type)                                             \
  TARE_BOTH type min(type a, type b) { return b < a ? b : a; }         \
  TARE_BOTH type max(type a, type b) { return a < b ? b : a; }
TARE_MIN_MAX(int)
TARE_MIN_MAX(unsigned int)
TARE_MIN_MAX(long)
TARE_MIN_MAX(unsigned long)
TARE_MIN_MAX(long long)
TARE_MIN_MAX(unsigned long long)
#undef TARE_MIN_MAX
TARE_DEVICE float min(float a, float b) { return fminf(a, b); }
TARE_DEVICE float max(float a, float b) { return fmaxf(a, b); }
TARE_DEVICE double min(double a, double b) { return fmin(a, b); }
TARE_DEVICE double max(double a, double b) { return fmax(a, b); }
TARE_BOTH int abs(int a) { return __builtin_abs(a); }
TARE_BOTH long abs(long a) { return __builtin_labs(a); }
TARE_BOTH long long abs(long long a) { return __builtin_llabs(a); }
TARE_BOTH long long llabs(long long a) { return __builtin_llabs(a); }
TARE_DEVICE float abs(float a) { return fabsf(a); }
TARE_DEVICE double abs(double a) { return fabs(a); }
TARE_DEVICE int __popc(unsigned a) { return __builtin_popcount(a); }
TARE_DEVICE int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
TARE_DEVICE int __clz(int a) { return a == 0 ? 32 : __builtin_clz(static_cast<unsigned>(a)); }
TARE_DEVICE int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a)); }
TARE_DEVICE int __ffs(int a) { return __builtin_ffs(a); }
TARE_DEVICE int __ffsll(long long a) { return __builtin_ffsll(a); }
TARE_DEVICE unsigned __brev(unsigned a) { return __builtin_bitreverse32(a); }
TARE_DEVICE unsigned long long __brevll(unsigned long long a) { return __builtin_bitreverse64(a); }
TARE_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  return static_cast<unsigned>(
      __nvvm_prmt(static_cast<int>(a), static_cast<int>(b), static_cast<int>(selector & 0x7777u)));
}
TARE_DEVICE int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
TARE_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
TARE_DEVICE long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
TARE_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
TARE_DEVICE int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
TARE_DEVICE unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
TARE_DEVICE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  return static_cast<unsigned>(
      ((static_cast<unsigned long long>(hi) << 32 | lo) << (shift & 31)) >> 32);
}
TARE_DEVICE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(hi) << 32 | lo) >> (shift & 31));
}
