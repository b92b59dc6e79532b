// Every kind of scalar that a kernel can be given by value, with the bits that a conversion would change.
// snippet: kernel
#include <cuda_fp16.h>

__global__ void scalars(bool yes, bool no, signed char i8, unsigned char u8, short i16, unsigned short u16,
                        int i32, unsigned int u32, long long i64, unsigned long long u64, __half half_way,
                        __half half_zero, __half half_signalling, __half half_tiny, float tenth, float zero,
                        float nan32, float signalling32, float tiny32, double tenth64, double nan64,
                        double signalling64, double tiny64, bool* yes_out, bool* no_out, signed char* i8_out,
                        unsigned char* u8_out, short* i16_out, unsigned short* u16_out, int* i32_out,
                        unsigned int* u32_out, long long* i64_out, unsigned long long* u64_out,
                        __half* half_way_out, __half* half_zero_out, __half* half_signalling_out,
                        __half* half_tiny_out, float* tenth_out, float* zero_out, float* nan32_out,
                        float* signalling32_out, float* tiny32_out, double* tenth64_out, double* nan64_out,
                        double* signalling64_out, double* tiny64_out) {
  *yes_out = yes;
  *no_out = no;
  *i8_out = i8;
  *u8_out = u8;
  *i16_out = i16;
  *u16_out = u16;
  *i32_out = i32;
  *u32_out = u32;
  *i64_out = i64;
  *u64_out = u64;
  *half_way_out = half_way;
  *half_zero_out = half_zero;
  *half_signalling_out = half_signalling;
  *half_tiny_out = half_tiny;
  *tenth_out = tenth;
  *zero_out = zero;
  *nan32_out = nan32;
  *signalling32_out = signalling32;
  *tiny32_out = tiny32;
  *tenth64_out = tenth64;
  *nan64_out = nan64;
  *signalling64_out = signalling64;
  *tiny64_out = tiny64;
}
// end snippet

// snippet: reference
void reference(bool yes, bool no, signed char i8, unsigned char u8, short i16, unsigned short u16, int i32,
               unsigned int u32, long long i64, unsigned long long u64, __half half_way, __half half_zero,
               __half half_signalling, __half half_tiny, float tenth, float zero, float nan32,
               float signalling32, float tiny32, double tenth64, double nan64, double signalling64,
               double tiny64, bool* yes_out, bool* no_out, signed char* i8_out, unsigned char* u8_out,
               short* i16_out, unsigned short* u16_out, int* i32_out, unsigned int* u32_out,
               long long* i64_out, unsigned long long* u64_out, __half* half_way_out, __half* half_zero_out,
               __half* half_signalling_out, __half* half_tiny_out, float* tenth_out, float* zero_out,
               float* nan32_out, float* signalling32_out, float* tiny32_out, double* tenth64_out,
               double* nan64_out, double* signalling64_out, double* tiny64_out) {
  *yes_out = yes;
  *no_out = no;
  *i8_out = i8;
  *u8_out = u8;
  *i16_out = i16;
  *u16_out = u16;
  *i32_out = i32;
  *u32_out = u32;
  *i64_out = i64;
  *u64_out = u64;
  *half_way_out = half_way;
  *half_zero_out = half_zero;
  *half_signalling_out = half_signalling;
  *half_tiny_out = half_tiny;
  *tenth_out = tenth;
  *zero_out = zero;
  *nan32_out = nan32;
  *signalling32_out = signalling32;
  *tiny32_out = tiny32;
  *tenth64_out = tenth64;
  *nan64_out = nan64;
  *signalling64_out = signalling64;
  *tiny64_out = tiny64;
}
// end snippet
