#include <thread>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

abi::Context current() {
  abi::Context context = nullptr;
  EXPECT_OK(call("cuCtxGetCurrent", &context));
  return context;
}

class Contexts : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(call("cuInit", 0u));
    ASSERT_OK(call("cuCtxSetCurrent", abi::Context{}));
  }
};

TEST_F(Contexts, ThePrimaryContextIsOneAndIsCounted) {
  unsigned flags = 9;
  int active = -1;
  EXPECT_OK(call("cuDevicePrimaryCtxGetState", 0, &flags, &active));
  EXPECT_EQ(active, 0);
  abi::Context first = nullptr, second = nullptr;
  ASSERT_OK(call("cuDevicePrimaryCtxRetain", &first, 0));
  ASSERT_OK(call("cuDevicePrimaryCtxRetain", &second, 0));
  EXPECT_EQ(first, second);
  EXPECT_EQ(current(), nullptr) << "retaining does not make it current";
  EXPECT_OK(call("cuDevicePrimaryCtxRelease_v2", 0));
  EXPECT_OK(call("cuDevicePrimaryCtxGetState", 0, &flags, &active));
  EXPECT_EQ(active, 1);
  EXPECT_OK(call("cuDevicePrimaryCtxRelease_v2", 0));
  EXPECT_OK(call("cuDevicePrimaryCtxGetState", 0, &flags, &active));
  EXPECT_EQ(active, 0);
  EXPECT_RESULT(abi::kInvalidContext, call("cuDevicePrimaryCtxRelease_v2", 0));
}

TEST_F(Contexts, UseAfterThePrimaryContextIsGoneIsAnError) {
  abi::Context primary = nullptr;
  ASSERT_OK(call("cuDevicePrimaryCtxRetain", &primary, 0));
  ASSERT_OK(call("cuCtxSetCurrent", primary));
  DevicePointer pointer = 0;
  ASSERT_OK(call("cuMemAlloc_v2", &pointer, std::size_t{64}));
  ASSERT_OK(call("cuDevicePrimaryCtxRelease_v2", 0));
  EXPECT_RESULT(abi::kContextIsDestroyed, call("cuMemAlloc_v2", &pointer, std::size_t{64}));
  EXPECT_OK(call("cuCtxSetCurrent", abi::Context{}));
}

TEST_F(Contexts, CreatedContextsAreAStack) {
  abi::Context first = nullptr, second = nullptr, popped = nullptr;
  ASSERT_OK(call("cuCtxCreate_v2", &first, 0u, abi::Device{0}));
  ASSERT_OK(
      call("cuCtxCreate_v4", &second, static_cast<abi::ContextCreateParams*>(nullptr), 0u, abi::Device{0}));
  EXPECT_NE(first, second);
  EXPECT_EQ(current(), second);
  EXPECT_OK(call("cuCtxPopCurrent_v2", &popped));
  EXPECT_EQ(popped, second);
  EXPECT_EQ(current(), first);
  EXPECT_OK(call("cuCtxPushCurrent_v2", second));
  EXPECT_EQ(current(), second);
  EXPECT_OK(call("cuCtxDestroy_v2", second));
  EXPECT_EQ(current(), first);
  EXPECT_OK(call("cuCtxDestroy_v2", first));
  EXPECT_EQ(current(), nullptr);
  EXPECT_RESULT(abi::kInvalidContext, call("cuCtxPopCurrent_v2", &popped));
  EXPECT_RESULT(abi::kInvalidContext, call("cuCtxDestroy_v2", first));
  EXPECT_RESULT(abi::kInvalidContext, call("cuCtxSetCurrent", first));
}

TEST_F(Contexts, TheLastUserToDetachDestroysTheContext) {
  abi::Context context = nullptr, attached = nullptr;
  EXPECT_RESULT(abi::kInvalidContext, call("cuCtxAttach", &attached, 0u)) << "there is no current one";
  ASSERT_OK(call("cuCtxCreate_v2", &context, 0u, abi::Device{0}));
  EXPECT_RESULT(abi::kInvalidValue, call("cuCtxAttach", &attached, 1u));
  EXPECT_RESULT(abi::kInvalidValue, call("cuCtxAttach", static_cast<abi::Context*>(nullptr), 0u));
  EXPECT_OK(call("cuCtxAttach", &attached, 0u));
  EXPECT_EQ(attached, context);
  EXPECT_OK(call("cuCtxDetach", context));
  EXPECT_EQ(current(), context) << "one user is left";
  EXPECT_OK(call("cuCtxSynchronize"));

  abi::Context popped = nullptr;
  EXPECT_OK(call("cuCtxPopCurrent_v2", &popped));
  EXPECT_RESULT(abi::kInvalidContext, call("cuCtxDetach", context)) << "it is not current";
  EXPECT_OK(call("cuCtxPushCurrent_v2", context));
  EXPECT_OK(call("cuCtxDetach", context));
  EXPECT_EQ(current(), nullptr);
  EXPECT_RESULT(abi::kInvalidContext, call("cuCtxDetach", context)) << "it is gone";
  EXPECT_RESULT(abi::kInvalidContext, call("cuCtxPushCurrent_v2", context));
}

TEST_F(Contexts, DetachingLeavesThePrimaryContextToThoseWhoRetainIt) {
  abi::Context primary = nullptr, attached = nullptr;
  ASSERT_OK(call("cuDevicePrimaryCtxRetain", &primary, 0));
  ASSERT_OK(call("cuCtxSetCurrent", primary));
  EXPECT_RESULT(abi::kInvalidContext, call("cuCtxDetach", primary)) << "nobody attached";
  EXPECT_OK(call("cuCtxAttach", &attached, 0u));
  EXPECT_EQ(attached, primary);
  EXPECT_OK(call("cuCtxDetach", primary));
  EXPECT_RESULT(abi::kInvalidContext, call("cuCtxDetach", primary));
  EXPECT_OK(call("cuCtxSynchronize"));
  EXPECT_EQ(current(), primary);
  EXPECT_OK(call("cuCtxSetCurrent", abi::Context{}));
  EXPECT_OK(call("cuDevicePrimaryCtxRelease_v2", 0));
}

TEST_F(Contexts, EachThreadHasItsOwnStack) {
  abi::Context context = nullptr;
  ASSERT_OK(call("cuCtxCreate_v2", &context, 0u, abi::Device{0}));
  abi::Context elsewhere = context;
  std::thread([&] { elsewhere = current(); }).join();
  EXPECT_EQ(elsewhere, nullptr);
  EXPECT_OK(call("cuCtxDestroy_v2", context));
}

TEST_F(Contexts, FlagsLimitsAndDeviceCanBeRead) {
  abi::Context context = nullptr;
  EXPECT_RESULT(abi::kInvalidValue, call("cuCtxCreate_v2", &context, 0x1000u, abi::Device{0}));
  EXPECT_RESULT(abi::kInvalidDevice, call("cuCtxCreate_v2", &context, 0u, abi::Device{5}));
  ASSERT_OK(call("cuCtxCreate_v2", &context, 0x08u, abi::Device{0}));
  unsigned flags = 0;
  EXPECT_OK(call("cuCtxGetFlags", &flags));
  EXPECT_EQ(flags, 0x08u);
  abi::Device device = -1;
  EXPECT_OK(call("cuCtxGetDevice", &device));
  EXPECT_EQ(device, 0);
  std::size_t value = 0;
  EXPECT_OK(call("cuCtxGetLimit", &value, abi::Enum{0}));
  EXPECT_EQ(value, 1024u);
  EXPECT_OK(call("cuCtxSetLimit", abi::Enum{0}, std::size_t{4096}));
  EXPECT_OK(call("cuCtxGetLimit", &value, abi::Enum{0}));
  EXPECT_EQ(value, 4096u);
  EXPECT_RESULT(abi::kInvalidValue, call("cuCtxGetLimit", &value, abi::Enum{77}));
  int least = 1, greatest = 1;
  EXPECT_OK(call("cuCtxGetStreamPriorityRange", &least, &greatest));
  EXPECT_EQ(least, 0);
  EXPECT_EQ(greatest, -5);
  EXPECT_OK(call("cuCtxDestroy_v2", context));
}

TEST_F(Contexts, DestroyingOneOpensItsGatesAndFreesItsMemory) {
  abi::Context context = nullptr;
  ASSERT_OK(call("cuCtxCreate_v2", &context, 0u, abi::Device{0}));
  abi::Stream stream = nullptr;
  ASSERT_OK(call("cuStreamCreate", &stream, 1u));
  DevicePointer word = 0;
  ASSERT_OK(call("cuMemAlloc_v2", &word, std::size_t{4}));
  ASSERT_OK(call("cuMemsetD32_v2", word, 0u, std::size_t{1}));
  ASSERT_OK(call("cuCtxSynchronize"));
  ASSERT_OK(call("cuStreamWaitValue32_v2", stream, word, 1u, 0u));
  EXPECT_OK(call("cuCtxDestroy_v2", context));
  EXPECT_RESULT(abi::kInvalidHandle, call("cuStreamQuery", stream));
}

}  // namespace
}  // namespace tare::conformance
