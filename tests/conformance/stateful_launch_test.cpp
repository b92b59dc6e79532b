// Launching as before CUDA 4: what is set in the function is what its launches take.
#include <vector>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

class StatefulLaunches : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    // out[ctaid.y * nctaid.x + ctaid.x] += value + ntid.y + the dynamic shared bytes, once per block
    const abi::Module module = load(ptx(R"(
.visible .entry tell(.param .u64 out, .param .u32 value) {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  or.b32 %r1, %r1, %r2;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra done;
  mov.u32 %r3, %ctaid.y;
  mov.u32 %r4, %nctaid.x;
  mov.u32 %r5, %ctaid.x;
  mad.lo.u32 %r3, %r3, %r4, %r5;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.param.u32 %r6, [value];
  mov.u32 %r7, %ntid.y;
  add.u32 %r6, %r6, %r7;
  mov.u32 %r8, %dynamic_smem_size;
  add.u32 %r6, %r6, %r8;
  st.global.u32 [%rd1], %r6;
done:
  ret;
}
.visible .entry plain() { ret; }
)"));
    tell_ = function_of(module, "tell");
    plain_ = function_of(module, "plain");
  }
  abi::Function tell_ = nullptr, plain_ = nullptr;
};

TEST_F(StatefulLaunches, TakeBlockSharedMemoryAndParametersFromTheFunction) {
  const DeviceArray<unsigned> out(std::vector<unsigned>(6, 0));
  DevicePointer address = out.pointer();
  ASSERT_OK(call("cuFuncSetBlockShape", tell_, 8, 4, 1));
  ASSERT_OK(call("cuFuncSetSharedSize", tell_, 256u));
  ASSERT_OK(call("cuParamSetv", tell_, 0, static_cast<void*>(&address), 8u));
  ASSERT_OK(call("cuParamSeti", tell_, 8, 1000u));
  ASSERT_OK(call("cuParamSetSize", tell_, 12u));
  EXPECT_OK(call("cuLaunchGrid", tell_, 3, 2));
  EXPECT_OK(call("cuCtxSynchronize"));
  EXPECT_EQ(out.read(), std::vector<unsigned>(6, 1260));
  ASSERT_OK(call("cuParamSeti", tell_, 8, 2000u));
  EXPECT_OK(call("cuLaunch", tell_));
  EXPECT_OK(call("cuCtxSynchronize"));
  EXPECT_EQ(out.read(), (std::vector<unsigned>{2260, 1260, 1260, 1260, 1260, 1260}));
}

TEST_F(StatefulLaunches, AFunctionWithoutParametersNeedsNone) {
  abi::Stream stream = nullptr;
  ASSERT_OK(call("cuStreamCreate", &stream, 1u));
  EXPECT_OK(call("cuLaunchGridAsync", plain_, 2, 2, stream));
  EXPECT_OK(call("cuStreamSynchronize", stream));
  EXPECT_OK(call("cuStreamDestroy_v2", stream));
}

TEST_F(StatefulLaunches, RefuseWhatALaunchCouldNotTake) {
  for (const auto& [x, y, z] : {std::array{0, 1, 1}, std::array{1, -1, 1}, std::array{1025, 1, 1},
                                std::array{1, 1, 65}, std::array{512, 2, 2}})
    EXPECT_RESULT(abi::kInvalidValue, call("cuFuncSetBlockShape", tell_, x, y, z));
  EXPECT_RESULT(abi::kInvalidHandle, call("cuFuncSetBlockShape", abi::Function{nullptr}, 1, 1, 1));
  EXPECT_RESULT(abi::kInvalidValue, call("cuParamSetSize", tell_, 32765u));
  EXPECT_RESULT(abi::kInvalidValue, call("cuParamSeti", tell_, -4, 1u));
  EXPECT_RESULT(abi::kInvalidValue, call("cuParamSeti", tell_, 32764, 1u));
  EXPECT_RESULT(abi::kInvalidValue, call("cuParamSetv", tell_, 0, static_cast<void*>(nullptr), 8u));
  EXPECT_RESULT(abi::kInvalidValue, call("cuLaunchGrid", tell_, 0, 1));
  ASSERT_OK(call("cuParamSetSize", tell_, 8u));
  EXPECT_RESULT(abi::kInvalidValue, call("cuLaunchGrid", tell_, 1, 1)) << "the kernel takes 12 bytes";
}

}  // namespace
}  // namespace tare::conformance
