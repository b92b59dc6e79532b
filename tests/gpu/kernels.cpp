#include "kernels.hpp"

#include <fmt/format.h>

namespace tare::gpu_check {

namespace {

constexpr const char* kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

}  // namespace

std::string basic_kernels() {
  return std::string(kHeader) + R"(
.visible .entry nothing() { ret; }
.visible .entry small() .maxntid 256, 1, 1 { ret; }
.visible .entry k(.param .u64 k_o, .param .f32 k_f, .param .u8 k_c, .param .u64 k_q, .param .u8 k_b)
{
  .reg .b64 %rd<3>;
  .reg .f32 %f<2>;
  .reg .f64 %fd<5>;
  .reg .b16 %rs<3>;
  ld.param.u64 %rd1, [k_o];
  ld.param.f32 %f1, [k_f];
  cvt.f64.f32 %fd1, %f1;
  st.global.f64 [%rd1], %fd1;
  ld.param.s8 %rs1, [k_c];
  cvt.rn.f64.s16 %fd2, %rs1;
  st.global.f64 [%rd1+8], %fd2;
  ld.param.u64 %rd2, [k_q];
  cvt.rn.f64.s64 %fd3, %rd2;
  st.global.f64 [%rd1+16], %fd3;
  ld.param.u8 %rs2, [k_b];
  cvt.rn.f64.u16 %fd4, %rs2;
  st.global.f64 [%rd1+24], %fd4;
  ret;
}
.visible .entry structs(.param .u64 o, .param .align 8 .b8 p[24], .param .align 16 .b8 q[16],
                        .param .align 4 .b8 t[12], .param .u32 last)
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  .reg .b16 %rs<3>;
  .reg .f32 %f<3>;
  .reg .f64 %fd<7>;
  ld.param.u64 %rd1, [o];
  ld.param.s8 %rs1, [p];
  cvt.rn.f64.s16 %fd1, %rs1;
  st.global.f64 [%rd1], %fd1;
  ld.param.f64 %fd2, [p+8];
  st.global.f64 [%rd1+8], %fd2;
  ld.param.s16 %rs2, [p+16];
  cvt.rn.f64.s16 %fd3, %rs2;
  st.global.f64 [%rd1+16], %fd3;
  ld.param.f32 %f1, [q+8];
  cvt.f64.f32 %fd4, %f1;
  st.global.f64 [%rd1+24], %fd4;
  ld.param.f32 %f2, [t+8];
  cvt.f64.f32 %fd5, %f2;
  st.global.f64 [%rd1+32], %fd5;
  ld.param.u32 %r1, [last];
  cvt.rn.f64.s32 %fd6, %r1;
  st.global.f64 [%rd1+40], %fd6;
  ret;
}
.visible .entry half(.param .u64 o, .param .b16 h)
{
  .reg .b64 %rd<2>;
  .reg .b16 %rs<2>;
  ld.param.u64 %rd1, [o];
  ld.param.b16 %rs1, [h];
  st.global.b16 [%rd1], %rs1;
  ret;
}
.visible .entry store(.param .u64 o, .param .u32 v)
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [o];
  ld.param.u32 %r1, [v];
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
}

std::string shared_kernel() {
  return std::string(kHeader) + R"(
.extern .shared .align 4 .b8 dynamic[];
.visible .entry sum(.param .u64 o, .param .u32 n)
{
  .shared .align 4 .b8 total[4];
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [o];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, dynamic;
  mov.u32 %r3, 0;
fill:
  setp.ge.s32 %p1, %r3, %r1;
  @%p1 bra filled;
  cvt.rn.f32.s32 %f1, %r3;
  shl.b32 %r4, %r3, 2;
  add.s32 %r5, %r2, %r4;
  st.shared.f32 [%r5], %f1;
  add.s32 %r3, %r3, 1;
  bra fill;
filled:
  mov.f32 %f2, 0f00000000;
  st.volatile.shared.f32 [total], %f2;
  mov.u32 %r3, 0;
add:
  setp.ge.s32 %p2, %r3, %r1;
  @%p2 bra added;
  shl.b32 %r4, %r3, 2;
  add.s32 %r5, %r2, %r4;
  ld.shared.f32 %f3, [%r5];
  ld.volatile.shared.f32 %f2, [total];
  add.rn.f32 %f4, %f2, %f3;
  st.volatile.shared.f32 [total], %f4;
  add.s32 %r3, %r3, 1024;
  bra add;
added:
  ld.volatile.shared.f32 %f2, [total];
  st.global.f32 [%rd1], %f2;
  ret;
}
)";
}

std::string hungry_kernel(int values) {
  auto text = fmt::format(
      "{}.visible .entry hungry(.param .u64 d)\n{{\n  .reg .b64 %rd<2>;\n  .reg .f32 %f<{}>;\n"
      "  ld.param.u64 %rd1, [d];\n",
      kHeader, values);
  // Volatile accesses keep their order, so that the first value is stored only after all have been loaded.
  for (int i = 0; i < values; ++i)
    text += fmt::format("  ld.volatile.global.f32 %f{}, [%rd1+{}];\n", i, 4 * i);
  for (int i = 0; i < values; ++i)
    text += fmt::format("  st.volatile.global.f32 [%rd1+{}], %f{};\n", 4 * i, values - 1 - i);
  return text + "  ret;\n}\n";
}

std::string cluster_kernel() {
  return R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry clustered(.param .u64 o)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [o];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r2, %cluster_nctaid.x;
  st.global.u32 [%rd3], %r2;
  ret;
}
)";
}

}  // namespace tare::gpu_check
