// Device functions, and what is refused by name.
#include <gtest/gtest.h>

#include <vector>

#include "harness.hpp"

namespace tare::cpu::codegen::test {
namespace {

TEST(Call, DeviceFunctionsReturnTheirValuesThroughParameters) {
  Loaded loaded(std::string(kHeader) + R"(
.func (.param .b32 result) twice_plus(.param .b32 x, .param .b32 y)
{
  .reg .pred %p<2>; .reg .b32 %r<8>;
  ld.param.u32 %r1, [x];
  ld.param.u32 %r2, [y];
  setp.gt.u32 %p1, %r1, 40;
  @%p1 bra LARGE;
  shl.b32 %r3, %r1, 1;
  add.s32 %r4, %r3, %r2;
  st.param.b32 [result], %r4;
  ret;
LARGE:
  st.param.b32 [result], %r1;
  ret;
}
.func (.reg .b32 result) nested(.reg .b32 x)
{
  .reg .b32 %r<4>;
  .param .b32 a; .param .b32 c; .param .b32 r;
  st.param.b32 [a], x;
  st.param.b32 [c], 7;
  call.uni (r), twice_plus, (a, c);
  ld.param.b32 %r1, [r];
  add.s32 result, %r1, 1;
  ret;
}
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 5;
  setp.ne.s32 %p1, %r1, 3;
  @%p1 call (%r2), nested, (%r1);
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
})");
  loaded.expect_words(64, [](std::uint32_t i) { return i == 3 ? 5 : (i > 40 ? i + 1 : 2 * i + 8); });
}

TEST(Call, AParameterIsReachedThroughARegister) {
  Loaded loaded(std::string(kHeader) + R"(
.func (.param .b32 result) sixth(.param .align 1 .b8 bytes[8])
{
  .reg .b64 %rd<3>; .reg .b32 %r<3>;
  mov.u64 %rd1, bytes;
  add.s64 %rd2, %rd1, 4;
  ld.param.u8 %r1, [%rd2+1];
  st.param.b32 [result], %r1;
  ret;
}
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  { .param .align 1 .b8 a[8]; .param .b32 q;
    st.param.b8 [a+5], %r1;
    call.uni (q), sixth, (a);
    ld.param.b32 %r2, [q]; }
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
})");
  loaded.expect_words(64, [](std::uint32_t i) { return i; });
}

TEST(Call, BarrierInsideADeviceFunctionSynchronisesTheBlock) {
  Loaded loaded(std::string(kHeader) + R"(
.func (.param .b32 result) exchange(.param .b32 x, .param .b32 from)
{
  .reg .b32 %r<8>;
  .shared .align 4 .b8 values[256];
  mov.u32 %r3, values;
  mov.u32 %r4, %tid.x;
  shl.b32 %r4, %r4, 2;
  add.s32 %r5, %r3, %r4;
  ld.param.u32 %r1, [x];
  bar.sync 0;
  st.shared.u32 [%r5], %r1;
  bar.sync 0;
  ld.param.u32 %r2, [from];
  shl.b32 %r2, %r2, 2;
  add.s32 %r6, %r3, %r2;
  ld.shared.u32 %r7, [%r6];
  st.param.b32 [result], %r7;
  ret;
}
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  .param .b32 a; .param .b32 c; .param .b32 r;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.lo.s32 %r2, %r1, 3;
  sub.s32 %r3, 63, %r1;
  st.param.b32 [a], %r2;
  st.param.b32 [c], %r3;
  call.uni (r), exchange, (a, c);
  ld.param.b32 %r4, [r];
  st.param.b32 [a], %r4;
  st.param.b32 [c], %r3;
  call.uni (r), exchange, (a, c);
  ld.param.b32 %r5, [r];
  mad.lo.s32 %r6, %r5, 1000, %r4;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
})");
  loaded.expect_words(64, [](std::uint32_t i) { return i * 3 * 1000 + (63 - i) * 3; });
}

std::string message_of(const std::string& body, const std::string& before = "") {
  Loaded loaded(std::string(kHeader) + before +
                ".visible .entry k()\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n" + body +
                "\nret;\n}\n");
  const auto result = loaded.compile("k", {});
  const auto* error = std::get_if<CompileError>(&result);
  if (error == nullptr) return "compiled";
  EXPECT_TRUE(error->unsupported);
  return error->message;
}

TEST(Refusal, NamesInstructionLineAndKernel) {
  EXPECT_EQ(message_of("mbarrier.pending_count.b64 %r1, %rd1;"),
            "mbarrier.pending_count.b64 at line 7 of kernel `k` is not supported by the CPU device");
  EXPECT_EQ(message_of("\nbarrier.cluster.arrive;"),
            "barrier.cluster.arrive at line 8 of kernel `k` is not supported by the CPU device");
  EXPECT_EQ(
      message_of("mov.u32 %r1, %pm0;"),
      "mov.u32 with the special register %pm0 at line 7 of kernel `k` is not supported by the CPU device");
}

TEST(Refusal, NamesTheFunctionOfACallThatHasNoBody) {
  EXPECT_EQ(message_of("call.uni outside, ();", ".extern .func outside();\n"),
            "call.uni of `outside` at line 8 of kernel `k` is not supported by the CPU device");
}

TEST(Refusal, OneKernelsRefusalLeavesTheOthersOfItsModuleAlone) {
  Loaded loaded(std::string(kHeader) + R"(
.visible .entry bad() { .reg .b32 %r<2>; mov.u32 %r1, %pm0; ret; }
.visible .entry good() { ret; }
)");
  EXPECT_TRUE(std::holds_alternative<CompileError>(loaded.compile("bad", {})));
  EXPECT_TRUE(std::holds_alternative<CompiledKernel>(loaded.compile("good", {})));
}

}  // namespace
}  // namespace tare::cpu::codegen::test
