// The order of a thread's own accesses, and of those of a warp that goes in step. In the suite Kernels, so in
// every way of compiling.
#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

using Kernels = WithContext;

// As numba-cuda 0.30 writes two calls that give their results through memory of the caller's, once they are
// put in place. The two loads of local memory lie side by side; a store to a generic address comes between
// them.
TEST_F(Kernels, ALoadOfLocalMemoryIsNotTakenToItsNeighbourAcrossAStoreToItsPlace) {
  const std::string text = ptx(R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 n)
{
  .local .align 4 .b8  depot[8];
  .reg .b64 %sp;
  .reg .b64 %spl;
  .reg .pred %p<6>;
  .reg .b32 %r<25>;
  .reg .b64 %rd<26>;
  mov.u64 %spl, depot;
  cvta.local.u64 %sp, %spl;
  ld.param.u64 %rd5, [out];
  ld.param.u64 %rd6, [n];
  ld.param.u64 %rd7, [in];
  add.u64 %rd9, %sp, 0;
  add.u64 %rd1, %spl, 0;
  add.u64 %rd10, %sp, 4;
  add.u64 %rd2, %spl, 4;
  mov.u32 %r2, %tid.x;
  cvt.s64.s32 %rd11, %r2;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %ctaid.x;
  mul.wide.s32 %rd12, %r3, %r4;
  add.s64 %rd3, %rd12, %rd11;
  setp.ge.s64 %p1, %rd3, %rd6;
  @%p1 bra L6;
  cvta.to.global.u64 %rd13, %rd7;
  mov.u64 %rd16, %rd3;
  shl.b64 %rd17, %rd16, 2;
  add.s64 %rd4, %rd13, %rd17;
  ld.global.u32 %r6, [%rd4];
  mov.u32 %r7, 0;
  st.local.u32 [%rd2], %r7;
  shl.b32 %r20, %r6, 1; st.u32 [%rd10], %r20;
L3:
  ld.local.u32 %r1, [%rd2];
  ld.global.u32 %r9, [%rd4];
  cvt.u32.u64 %r10, %rd3;
  add.s32 %r11, %r9, %r10;
  st.local.u32 [%rd1], %r7;
  shl.b32 %r20, %r11, 1; st.u32 [%rd9], %r20;
L5:
  ld.local.u32 %r13, [%rd1];
  add.s32 %r14, %r13, %r1;
  mov.u64 %rd22, %rd3;
  cvta.to.global.u64 %rd23, %rd5;
  shl.b64 %rd24, %rd22, 2;
  add.s64 %rd25, %rd23, %rd24;
  st.global.u32 [%rd25], %r14;
L6:
  ret;
}
)");
  std::vector<std::uint32_t> values(10);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i;
  DeviceArray<std::uint32_t> in(values), out(values.size());
  std::uint64_t n = values.size();
  run(text, "k", {{1, 1, 1}, {32, 1, 1}}, in.argument(), out.argument(), &n);
  const auto got = out.read();
  for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(got[i], 6 * i) << i;
}

// The last steps of a reduction as they were written before Volta; PyCUDA's still are.
TEST_F(Kernels, AWarpInStepExchangesValuesThroughVolatileSharedMemory) {
  std::string steps;
  for (const char* const distance : {"128", "64", "32", "16", "8", "4"}) {
    steps += std::string("  ld.volatile.shared.u32 %v, [%s]; ld.volatile.shared.u32 %w, [%s+") + distance +
             "];\n  add.u32 %v, %v, %w; st.volatile.shared.u32 [%s], %v;\n";
  }
  const std::string text =
      ptx(".visible .entry k(.param .u64 out) {\n"
          "  .shared .align 4 .b8 tile[512]; .reg .u64 %o, %x; .reg .u32 %t, %s, %v, %w, %c; .reg .pred %p;\n"
          "  ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x;\n"
          "  mov.u32 %s, tile; mad.lo.u32 %s, %t, 4, %s; add.u32 %v, %t, %c; st.shared.u32 [%s], %v;\n"
          "  bar.sync 0; setp.gt.u32 %p, %t, 31; @%p bra done;\n" +
          steps +
          "  setp.ne.u32 %p, %t, 0; @%p bra done;\n"
          "  mul.wide.u32 %x, %c, 4; add.u64 %o, %o, %x; st.global.u32 [%o], %v;\n"
          "done:\n  ret;\n}\n");
  DeviceArray<std::uint32_t> out(5);
  run(text, "k", {{5, 1, 1}, {64, 1, 1}}, out.argument());
  const auto got = out.read();
  for (std::uint32_t block = 0; block < 5; ++block) EXPECT_EQ(got[block], 63 * 64 / 2 + 64 * block);
}

}  // namespace
}  // namespace tare::conformance
