// CUDA C++'s device-side vocabulary for clang without NVIDIA's headers: keywords, indices, vector types;
// tare_cuda_math.cuh, tare_cuda_half.cuh and tare_cuda_warp.cuh have the functions. Names and meanings are
// the CUDA C++ programming guide's; the code behind them is clang's own NVPTX built-in functions.
#pragma once
// A function a line, as tables:
// clang-format off

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __CUDACC__ 1
#define __TARE_CLANG__ 1

#define TARE_DEVICE static inline __attribute__((device, always_inline))
#define TARE_BOTH static inline __attribute__((host, device, always_inline))

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#ifndef NULL
#define NULL 0
#endif

// TYPE1..TYPE4 with the alignments of the programming guide's table, and their make_ functions.
#define TARE_VECTOR(name, type, align2, align4)                                                   \
  struct name##1 {                                                                                \
    type x;                                                                                       \
  };                                                                                              \
  struct __attribute__((aligned(align2))) name##2 {                                               \
    type x, y;                                                                                    \
  };                                                                                              \
  struct name##3 {                                                                                \
    type x, y, z;                                                                                 \
  };                                                                                              \
  struct __attribute__((aligned(align4))) name##4 {                                               \
    type x, y, z, w;                                                                              \
  };                                                                                              \
  TARE_BOTH name##1 make_##name##1(type x) { return name##1{x}; }                                 \
  TARE_BOTH name##2 make_##name##2(type x, type y) { return name##2{x, y}; }                      \
  TARE_BOTH name##3 make_##name##3(type x, type y, type z) { return name##3{x, y, z}; }           \
  TARE_BOTH name##4 make_##name##4(type x, type y, type z, type w) { return name##4{x, y, z, w}; }

TARE_VECTOR(char, signed char, 2, 4)
TARE_VECTOR(uchar, unsigned char, 2, 4)
TARE_VECTOR(short, short, 4, 8)
TARE_VECTOR(ushort, unsigned short, 4, 8)
TARE_VECTOR(int, int, 8, 16)
TARE_VECTOR(uint, unsigned int, 8, 16)
TARE_VECTOR(long, long, 16, 16)
TARE_VECTOR(ulong, unsigned long, 16, 16)
TARE_VECTOR(longlong, long long, 16, 16)
TARE_VECTOR(ulonglong, unsigned long long, 16, 16)
TARE_VECTOR(float, float, 8, 16)
TARE_VECTOR(double, double, 16, 16)
#undef TARE_VECTOR

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
      : x(x_), y(y_), z(z_) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

// The four index variables: reading a member reads the special register.
#define TARE_INDEX(variable, sreg, whole)                                                        \
  struct TareIndex_##variable {                                                                  \
    __declspec(property(get = get_x)) unsigned x;                                                \
    __declspec(property(get = get_y)) unsigned y;                                                \
    __declspec(property(get = get_z)) unsigned z;                                                \
    static inline __attribute__((device, always_inline)) unsigned get_x() {                      \
      return __nvvm_read_ptx_sreg_##sreg##_x();                                                  \
    }                                                                                            \
    static inline __attribute__((device, always_inline)) unsigned get_y() {                      \
      return __nvvm_read_ptx_sreg_##sreg##_y();                                                  \
    }                                                                                            \
    static inline __attribute__((device, always_inline)) unsigned get_z() {                      \
      return __nvvm_read_ptx_sreg_##sreg##_z();                                                  \
    }                                                                                            \
    inline __attribute__((device, always_inline)) operator whole() const {                       \
      return whole{get_x(), get_y(), get_z()};                                                   \
    }                                                                                            \
    TareIndex_##variable() = delete;                                                             \
    TareIndex_##variable(const TareIndex_##variable&) = delete;                                  \
  };                                                                                             \
  extern const __device__ TareIndex_##variable variable;

TARE_INDEX(threadIdx, tid, uint3)
TARE_INDEX(blockIdx, ctaid, uint3)
TARE_INDEX(blockDim, ntid, dim3)
TARE_INDEX(gridDim, nctaid, dim3)
#undef TARE_INDEX
constexpr int warpSize = 32;

extern "C" {
__device__ int printf(const char*, ...);
__device__ void* malloc(size_t);
__device__ void free(void*);
__device__ void __assertfail(const char* what, const char* file, unsigned line, const char* function,
                             size_t char_size) __attribute__((noreturn));
}
TARE_DEVICE void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
TARE_DEVICE void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
#ifndef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
  ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, sizeof(char)))
#endif
#endif

#include "tare_cuda_math.cuh"
#include "tare_cuda_half.cuh"
#include "tare_cuda_warp.cuh"
