// What threads do together: barriers, fences, warp operations, atomics, and the clocks.
#pragma once
// A function a line, as tables:
// clang-format off

// __syncthreads() is one of clang's own built-in functions.
TARE_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
TARE_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
TARE_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
TARE_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
TARE_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
TARE_DEVICE void __threadfence() { __nvvm_membar_gl(); }
TARE_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

TARE_DEVICE unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
TARE_DEVICE int __all_sync(unsigned mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
TARE_DEVICE int __any_sync(unsigned mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
TARE_DEVICE int __uni_sync(unsigned mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
TARE_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}
#if __CUDA_ARCH__ >= 700
TARE_DEVICE unsigned __match_any_sync(unsigned mask, unsigned value) {
  return __nvvm_match_any_sync_i32(mask, value);
}
TARE_DEVICE unsigned __match_any_sync(unsigned mask, int value) {
  return __nvvm_match_any_sync_i32(mask, static_cast<unsigned>(value));
}
TARE_DEVICE unsigned __match_any_sync(unsigned mask, unsigned long long value) {
  return __nvvm_match_any_sync_i64(mask, static_cast<long long>(value));
}
TARE_DEVICE unsigned __match_any_sync(unsigned mask, long long value) { return __nvvm_match_any_sync_i64(mask, value); }
TARE_DEVICE unsigned __match_any_sync(unsigned mask, float value) {
  return __nvvm_match_any_sync_i32(mask, __float_as_uint(value));
}
TARE_DEVICE unsigned __match_any_sync(unsigned mask, double value) {
  return __nvvm_match_any_sync_i64(mask, __double_as_longlong(value));
}
TARE_DEVICE unsigned __match_all_sync(unsigned mask, unsigned value, int* all) {
  return __nvvm_match_all_sync_i32p(mask, value, all);
}
TARE_DEVICE unsigned __match_all_sync(unsigned mask, int value, int* all) {
  return __nvvm_match_all_sync_i32p(mask, static_cast<unsigned>(value), all);
}
TARE_DEVICE unsigned __match_all_sync(unsigned mask, unsigned long long value, int* all) {
  return __nvvm_match_all_sync_i64p(mask, static_cast<long long>(value), all);
}
TARE_DEVICE unsigned __match_all_sync(unsigned mask, long long value, int* all) {
  return __nvvm_match_all_sync_i64p(mask, value, all);
}
#endif
#if __CUDA_ARCH__ >= 800
TARE_DEVICE unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(__nvvm_redux_sync_add(static_cast<int>(value), static_cast<int>(mask)));
}
TARE_DEVICE int __reduce_add_sync(unsigned mask, int value) {
  return __nvvm_redux_sync_add(value, static_cast<int>(mask));
}
TARE_DEVICE unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(__nvvm_redux_sync_umin(static_cast<int>(value), static_cast<int>(mask)));
}
TARE_DEVICE unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(__nvvm_redux_sync_umax(static_cast<int>(value), static_cast<int>(mask)));
}
TARE_DEVICE unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(__nvvm_redux_sync_and(static_cast<int>(value), static_cast<int>(mask)));
}
TARE_DEVICE unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(__nvvm_redux_sync_or(static_cast<int>(value), static_cast<int>(mask)));
}
TARE_DEVICE unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(__nvvm_redux_sync_xor(static_cast<int>(value), static_cast<int>(mask)));
}
TARE_DEVICE int __reduce_min_sync(unsigned mask, int value) {
  return __nvvm_redux_sync_min(value, static_cast<int>(mask));
}
TARE_DEVICE int __reduce_max_sync(unsigned mask, int value) {
  return __nvvm_redux_sync_max(value, static_cast<int>(mask));
}
#endif

// Shuffles of 32 bits; wider types go through two, so that every front end's bits are the same.
// PTX's last operand: the segment mask in bits 8-12, the clamp in bits 0-4.
#define TARE_SHUFFLE(name, mode, clamp)                                                                     \
  TARE_DEVICE int name(unsigned mask, int value, unsigned lane, int width = warpSize) {                     \
    return __nvvm_shfl_sync_##mode##_i32(mask, value, static_cast<int>(lane),                               \
                                         ((warpSize - width) << 8) | clamp);                                \
  }                                                                                                         \
  TARE_DEVICE float name(unsigned mask, float value, unsigned lane, int width = warpSize) {                 \
    return __nvvm_shfl_sync_##mode##_f32(mask, value, static_cast<int>(lane),                               \
                                         ((warpSize - width) << 8) | clamp);                                \
  }                                                                                                         \
  TARE_DEVICE unsigned name(unsigned mask, unsigned value, unsigned lane, int width = warpSize) {           \
    return static_cast<unsigned>(name(mask, static_cast<int>(value), lane, width));                         \
  }                                                                                                         \
  TARE_DEVICE unsigned long long name(unsigned mask, unsigned long long value, unsigned lane,               \
                                      int width = warpSize) {                                               \
    const unsigned low = name(mask, static_cast<unsigned>(value), lane, width);                             \
    const unsigned high = name(mask, static_cast<unsigned>(value >> 32), lane, width);                      \
    return static_cast<unsigned long long>(high) << 32 | low;                                               \
  }                                                                                                         \
  TARE_DEVICE unsigned long name(unsigned mask, unsigned long value, unsigned lane, int width = warpSize) { \
    return name(mask, static_cast<unsigned long long>(value), lane, width);                                 \
  }                                                                                                         \
  TARE_DEVICE long long name(unsigned mask, long long value, unsigned lane, int width = warpSize) {         \
    return static_cast<long long>(name(mask, static_cast<unsigned long long>(value), lane, width));         \
  }                                                                                                         \
  TARE_DEVICE long name(unsigned mask, long value, unsigned lane, int width = warpSize) {                   \
    return static_cast<long>(name(mask, static_cast<unsigned long long>(value), lane, width));              \
  }                                                                                                         \
  TARE_DEVICE double name(unsigned mask, double value, unsigned lane, int width = warpSize) {               \
    return __builtin_bit_cast(                                                                              \
        double, name(mask, __builtin_bit_cast(unsigned long long, value), lane, width));                    \
  }
TARE_SHUFFLE(__shfl_sync, idx, 31)
TARE_SHUFFLE(__shfl_up_sync, up, 0)
TARE_SHUFFLE(__shfl_down_sync, down, 31)
TARE_SHUFFLE(__shfl_xor_sync, bfly, 31)
#undef TARE_SHUFFLE

// Atomics on generic addresses; the compiler narrows the address space where it can see it.
TARE_DEVICE int atomicAdd(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }
TARE_DEVICE float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
TARE_DEVICE double atomicAdd(double* p, double v) { return __nvvm_atom_add_gen_d(p, v); }
TARE_DEVICE int atomicSub(int* p, int v) { return __nvvm_atom_add_gen_i(p, static_cast<int>(0u - static_cast<unsigned>(v))); }
TARE_DEVICE float atomicExch(float* p, float v) {
  return __int_as_float(__nvvm_atom_xchg_gen_i(reinterpret_cast<int*>(p), __float_as_int(v)));
}
TARE_DEVICE unsigned atomicInc(unsigned* p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
TARE_DEVICE unsigned atomicDec(unsigned* p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
TARE_DEVICE int atomicMin(int* p, int v) { return __nvvm_atom_min_gen_i(p, v); }
TARE_DEVICE int atomicMax(int* p, int v) { return __nvvm_atom_max_gen_i(p, v); }
TARE_DEVICE unsigned atomicMin(unsigned* p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
TARE_DEVICE unsigned atomicMax(unsigned* p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
TARE_DEVICE long long atomicMin(long long* p, long long v) { return __nvvm_atom_min_gen_ll(p, v); }
TARE_DEVICE long long atomicMax(long long* p, long long v) { return __nvvm_atom_max_gen_ll(p, v); }
TARE_DEVICE unsigned long long atomicMin(unsigned long long* p, unsigned long long v) {
  return __nvvm_atom_min_gen_ull(p, v);
}
TARE_DEVICE unsigned long long atomicMax(unsigned long long* p, unsigned long long v) {
  return __nvvm_atom_max_gen_ull(p, v);
}
TARE_DEVICE unsigned atomicSub(unsigned* p, unsigned v) {
  return static_cast<unsigned>(__nvvm_atom_add_gen_i(reinterpret_cast<int*>(p), static_cast<int>(0u - v)));
}
// Operations on the bits, for the types of 32 and 64 bits that CUDA gives them for.
#define TARE_ATOMIC(name, op, type, bits, suffix)                                                          \
  TARE_DEVICE type name(type* p, type v) {                                                                 \
    return static_cast<type>(                                                                              \
        __nvvm_atom_##op##_gen_##suffix(reinterpret_cast<bits*>(p), static_cast<bits>(v)));                \
  }
#define TARE_ATOMIC_BITS(type, bits, suffix)                                                               \
  TARE_ATOMIC(atomicExch, xchg, type, bits, suffix)                                                        \
  TARE_ATOMIC(atomicAnd, and, type, bits, suffix)                                                          \
  TARE_ATOMIC(atomicOr, or, type, bits, suffix)                                                            \
  TARE_ATOMIC(atomicXor, xor, type, bits, suffix)                                                          \
  TARE_DEVICE type atomicCAS(type* p, type compare, type v) {                                              \
    return static_cast<type>(__nvvm_atom_cas_gen_##suffix(                                                 \
        reinterpret_cast<bits*>(p), static_cast<bits>(compare), static_cast<bits>(v)));                    \
  }
TARE_ATOMIC(atomicAdd, add, unsigned, int, i)
TARE_ATOMIC(atomicAdd, add, unsigned long long, long long, ll)
TARE_ATOMIC_BITS(int, int, i)
TARE_ATOMIC_BITS(unsigned, int, i)
TARE_ATOMIC_BITS(unsigned long long, long long, ll)
#undef TARE_ATOMIC_BITS
#undef TARE_ATOMIC

// Loads through the read-only cache.
#define TARE_LDG(type, suffix) \
  TARE_DEVICE type __ldg(const type* p) { return __nvvm_ldg_##suffix(p); }
TARE_LDG(char, c)
TARE_LDG(signed char, sc)
TARE_LDG(short, s)
TARE_LDG(int, i)
TARE_LDG(long, l)
TARE_LDG(long long, ll)
TARE_LDG(unsigned char, uc)
TARE_LDG(unsigned short, us)
TARE_LDG(unsigned, ui)
TARE_LDG(unsigned long, ul)
TARE_LDG(unsigned long long, ull)
TARE_LDG(float, f)
TARE_LDG(double, d)
#undef TARE_LDG
TARE_DEVICE float2 __ldg(const float2* p) {
  typedef float Vector __attribute__((ext_vector_type(2)));
  const Vector v = __nvvm_ldg_f2(reinterpret_cast<const Vector*>(p));
  return make_float2(v[0], v[1]);
}
TARE_DEVICE float4 __ldg(const float4* p) {
  typedef float Vector __attribute__((ext_vector_type(4)));
  const Vector v = __nvvm_ldg_f4(reinterpret_cast<const Vector*>(p));
  return make_float4(v[0], v[1], v[2], v[3]);
}
TARE_DEVICE int4 __ldg(const int4* p) {
  typedef int Vector __attribute__((ext_vector_type(4)));
  const Vector v = __nvvm_ldg_i4(reinterpret_cast<const Vector*>(p));
  return make_int4(v[0], v[1], v[2], v[3]);
}

TARE_DEVICE int clock() { return static_cast<int>(__nvvm_read_ptx_sreg_clock()); }
TARE_DEVICE long long clock64() { return static_cast<long long>(__nvvm_read_ptx_sreg_clock64()); }
TARE_DEVICE void __nanosleep(unsigned nanoseconds) { asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds)); }
