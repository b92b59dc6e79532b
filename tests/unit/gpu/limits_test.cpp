// Launches that a device refuses: the code is the driver's, the sentence says which limit and what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tare/driver.hpp"
#include "unit/gpu/support.hpp"

namespace tare::testing_support {
namespace {

using testing::HasSubstr;

constexpr int kInvalidValue = 1;
constexpr int kOptInAttribute = 97;

class Limits : public OnDevice {
 protected:
  Error refused(const Launch& shape, const std::string& ptx = kNothing, const std::string& name = "nothing") {
    const auto kernel = load(ptx).kernel(name);
    return error_of([&] { kernel.launch(stream_, shape); });
  }
};

TEST_F(Limits, AnEmptyAxisIsNamed) {
  const auto error = refused({.grid = {0, 1, 1}, .block = {32}});
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  EXPECT_EQ(error.code(), kInvalidValue);
  EXPECT_EQ(error.code_name(), "CUDA_ERROR_INVALID_VALUE");
  EXPECT_STREQ(error.what(), "grid.x of kernel `nothing` is 0");
  EXPECT_EQ(error.hint(), "every axis needs at least 1; skip the launch where there is no work");
  EXPECT_STREQ(refused({.grid = {1, 0, 1}}).what(), "grid.y of kernel `nothing` is 0");
  EXPECT_STREQ(refused({.grid = {1, 1, 0}}).what(), "grid.z of kernel `nothing` is 0");
  EXPECT_STREQ(refused({.block = {32, 0, 1}}).what(), "block.y of kernel `nothing` is 0");
}

TEST_F(Limits, AGridThatIsTooLongIsNamedWithTheLimit) {
  const auto error = refused({.grid = {1, 65536, 1}});
  EXPECT_EQ(error.code(), kInvalidValue);
  EXPECT_STREQ(error.what(), "grid.y of kernel `nothing` is 65536 blocks, the device allows 65535");
  EXPECT_EQ(error.hint(), "grid.x may be larger than grid.y");
  EXPECT_STREQ(refused({.grid = {1, 1, 70000}}).what(),
               "grid.z of kernel `nothing` is 70000 blocks, the device allows 65535");
}

TEST_F(Limits, ABlockThatIsTooLargeIsNamedWithTheLimit) {
  EXPECT_STREQ(refused({.block = {1, 1, 65}}).what(),
               "block.z of kernel `nothing` is 65 threads, the device allows 64");
  EXPECT_STREQ(refused({.block = {1025}}).what(),
               "block.x of kernel `nothing` is 1025 threads, the device allows 1024");
  EXPECT_EQ(refused({.block = {1025}}).hint(), "use at most 1024 threads per block, and more blocks");
  const auto error = refused({.block = {64, 32}});
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  EXPECT_EQ(error.code(), kInvalidValue);
  EXPECT_STREQ(error.what(), "the block of kernel `nothing` has 2048 threads, the device allows 1024");
  EXPECT_EQ(error.hint(), "use at most 1024 threads per block, and more blocks");
}

TEST_F(Limits, ALimitDeclaredInTheKernelIsNamedWithTwoWaysOut) {
  const auto error =
      refused({.block = {512}}, std::string(kHeader) + ".visible .entry small() .maxntid 256, 1, 1 { ret; }",
              "small");
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  EXPECT_EQ(error.code(), kInvalidValue);
  EXPECT_THAT(error.what(), HasSubstr("kernel `small` allows at most 256 threads per block"));
  EXPECT_THAT(error.what(), HasSubstr("the block has 512"));
  EXPECT_EQ(error.hint(),
            "use at most 256 threads per block, or compile the kernel for larger ones (max_registers or "
            "__launch_bounds__(512))");
}

TEST_F(Limits, ACooperativeGridBeyondWhatTheDeviceHoldsIsNamedInBlocks) {
  const Launch far{.grid = {1u << 20}, .block = {64}, .cooperative = true};
  const auto error = refused(far);
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  EXPECT_EQ(error.code_name(), "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
  unsigned held = 0;
  const int read = std::sscanf(error.what(),
                               "the cooperative grid of kernel `nothing` has 1048576 blocks, the "
                               "device holds %u at once",
                               &held);
  ASSERT_EQ(read, 1) << error.what();
  // As many as that are launched, and not one more: the grid is never made smaller on the way.
  load(kNothing).kernel("nothing").launch(stream_, {.grid = {held}, .block = {64}, .cooperative = true});
  stream_.synchronize();
  EXPECT_THAT(refused({.grid = {held + 1}, .block = {64}, .cooperative = true}).what(),
              HasSubstr("has " + std::to_string(held + 1) + " blocks"));
}

TEST_F(Limits, AClusterIsRefusedWhereThereAreNoneAndNeverDropped) {
  if (!driver_info().is_cpu_device) GTEST_SKIP() << "this device has clusters: tare_gpu_check launches them";
  const std::string fixed =
      std::string(kHeader) + ".visible .entry four() .explicitcluster .reqnctapercluster 4, 1, 1 { ret; }";
  EXPECT_EQ(refused({.grid = {128}}, fixed, "four").code_name(), "CUDA_ERROR_NOT_SUPPORTED");
  EXPECT_EQ(refused({.grid = {128}, .cluster = Dim3{4}}).code_name(), "CUDA_ERROR_NOT_SUPPORTED");
}

TEST_F(Limits, ARefusedLaunchLeavesTheStreamUsable) {
  refused({.grid = {0, 1, 1}});
  load(kNothing).kernel("nothing").launch(stream_, {});
  EXPECT_NO_THROW(stream_.synchronize());
}

/// sum(float* o, int n): d[i] = i in n floats of dynamic shared memory; o[0] = d[0] + d[1024] + ... It has 4
/// bytes of static shared memory of its own, as a block of one thread.
const std::string kShared = std::string(kHeader) + R"(
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
  st.shared.f32 [total], %f2;
  mov.u32 %r3, 0;
add:
  setp.ge.s32 %p2, %r3, %r1;
  @%p2 bra added;
  shl.b32 %r4, %r3, 2;
  add.s32 %r5, %r2, %r4;
  ld.shared.f32 %f3, [%r5];
  ld.shared.f32 %f2, [total];
  add.rn.f32 %f4, %f2, %f3;
  st.shared.f32 [total], %f4;
  add.s32 %r3, %r3, 1024;
  bra add;
added:
  ld.shared.f32 %f2, [total];
  st.global.f32 [%rd1], %f2;
  ret;
}
)";

class SharedMemory : public OnDevice {
 protected:
  float sum(const Kernel& kernel, unsigned bytes) {
    Buffer out(context_, sizeof(float));
    kernel.launch(stream_, {.dynamic_shared_bytes = bytes}, out.pointer(), static_cast<int>(bytes / 4));
    stream_.synchronize();
    return host_copy<float>(out)[0];
  }
  unsigned most() const { return static_cast<unsigned>(context_.device().attribute(kOptInAttribute)); }

  Kernel kernel_ = load(kShared).kernel("sum");
};

TEST_F(SharedMemory, TheKernelSaysItsStaticShare) {
  EXPECT_EQ(kernel_.attributes().static_shared_bytes, 4);
}

// Static and dynamic bytes share the 48 KiB: 49152 dynamic bytes beside 4 static ones are already over it.
TEST_F(SharedMemory, MoreThan48KibibytesInAllIsAllowedOnTheWay) {
  EXPECT_EQ(sum(kernel_, 49148), 67584.0f);
  EXPECT_EQ(sum(kernel_, 49152), 67584.0f);
  EXPECT_EQ(sum(kernel_, 4096), 0.0f);
}

TEST_F(SharedMemory, TheDevicesOptInLimitIsReachedExactly) {
  const auto bytes = most() - 4;
  float expected = 0;
  for (unsigned i = 0; i < bytes / 4; i += 1024) expected += static_cast<float>(i);
  EXPECT_EQ(sum(kernel_, bytes), expected);
}

TEST_F(SharedMemory, OneWordMoreThanTheOptInLimitIsRefusedWithTheFigures) {
  const auto error = error_of([&] { sum(kernel_, most()); });
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  const auto limit = std::to_string(most());
  EXPECT_EQ(std::string(error.what()), "kernel `sum` needs " + std::to_string(most() + 4) +
                                           " bytes of shared memory per block (4 static and " + limit +
                                           " dynamic), the device allows " + limit);
  EXPECT_EQ(error.hint(), "use fewer dynamic_shared_bytes");
  EXPECT_EQ(sum(kernel_, 49152), 67584.0f);
}

TEST_F(SharedMemory, TwoHandlesOfOneKernelDoNotLowerEachOthersLimit) {
  const auto module = load(kShared);
  const auto large = module.kernel("sum");
  const auto small = module.kernel("sum");
  EXPECT_EQ(sum(large, 65536), 122880.0f);
  EXPECT_EQ(sum(small, 50000), 67584.0f + 12288.0f);
  EXPECT_EQ(sum(large, 65536), 122880.0f);
}

}  // namespace
}  // namespace tare::testing_support
