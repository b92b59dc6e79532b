// The order of a thread's own accesses, and of those of a warp that goes in step. In the suite Kernels, so in
// every way of compiling.
#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

using Kernels = WithContext;

// Accesses that lie side by side in memory, with one between them that has another name for the same place.
TEST_F(Kernels, ALoadIsNotTakenToItsNeighbourAcrossAStoreToItsPlace) {
  const std::string text = ptx(R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 out, .param .u32 n) {
  .reg .u64 %a, %b, %o, %x, %y; .reg .u32 %n, %i, %t, %c, %v, %w; .reg .pred %p;
  ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %o, [out]; ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %i, %ntid.x; mad.lo.u32 %i, %c, %i, %t;
  setp.ge.u32 %p, %i, %n; @%p bra done;
  mul.wide.u32 %x, %i, 8; mul.wide.u32 %y, %i, 4;
  add.u64 %a, %a, %x; add.u64 %b, %b, %x; add.u64 %o, %o, %y;
  ld.global.u32 %v, [%b];
  add.u32 %w, %v, 1000;
  st.global.u32 [%a+4], %w;
  ld.global.u32 %w, [%b+4];
  add.u32 %v, %v, %w;
  st.global.u32 [%o], %v;
done:
  ret;
})");
  std::uint32_t n = 1003;
  std::vector<std::uint32_t> pairs(2 * n);
  for (std::uint32_t i = 0; i < 2 * n; ++i) pairs[i] = i;
  DeviceArray<std::uint32_t> both(pairs), out(n);
  run(text, "k", {{8, 1, 1}, {128, 1, 1}}, both.argument(), both.argument(), out.argument(), &n);
  const auto got = out.read();
  for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(got[i], 4 * i + 1000) << i;
}

TEST_F(Kernels, AStoreThroughAGenericAddressIsSeenByALoadOfLocalMemory) {
  const std::string text = ptx(R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .local .align 4 .b8 depot[8];
  .reg .u64 %sp, %spl, %o, %x, %g0, %g1, %l0, %l1; .reg .u32 %n, %i, %t, %c, %v, %w, %zero; .reg .pred %p;
  ld.param.u64 %o, [out]; ld.param.u32 %n, [n];
  mov.u64 %spl, depot; cvta.local.u64 %sp, %spl;
  add.u64 %g0, %sp, 0; add.u64 %l0, %spl, 0; add.u64 %g1, %sp, 4; add.u64 %l1, %spl, 4;
  mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %i, %ntid.x; mad.lo.u32 %i, %c, %i, %t;
  setp.ge.u32 %p, %i, %n; @%p bra done;
  mul.wide.u32 %x, %i, 4; add.u64 %o, %o, %x;
  mov.u32 %zero, 0;
  st.local.u32 [%l1], %zero;
  shl.b32 %v, %i, 1;
  st.u32 [%g1], %v;
  ld.local.u32 %v, [%l1];
  st.local.u32 [%l0], %zero;
  shl.b32 %w, %i, 2;
  st.u32 [%g0], %w;
  ld.local.u32 %w, [%l0];
  add.u32 %v, %v, %w;
  st.global.u32 [%o], %v;
done:
  ret;
})");
  std::uint32_t n = 1003;
  DeviceArray<std::uint32_t> out(n);
  run(text, "k", {{8, 1, 1}, {128, 1, 1}}, out.argument(), &n);
  const auto got = out.read();
  for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(got[i], 6 * i) << i;
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
