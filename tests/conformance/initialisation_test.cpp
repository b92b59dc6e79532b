// What may be called when: before cuInit, with no context, in a forked child, while the process ends.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "conformance/driver.hpp"
#include "conformance/fresh_process.hpp"

namespace tare::conformance {
namespace {

/// Runs the body in a child forked from here; its exit status.
int in_forked_child(void (*body)()) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    body();
    std::exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Initialisation, CallsBeforeCuInitAreRefused) {
  expect_fresh_process_succeeds([] {
    int count = 0;
    abi::Context context = nullptr;
    EXPECT_IN_CHILD(call("cuDeviceGetCount", &count) == abi::kNotInitialized);
    EXPECT_IN_CHILD(call("cuCtxGetCurrent", &context) == abi::kNotInitialized);
    EXPECT_IN_CHILD(call("cuDriverGetVersion", &count) == abi::kSuccess && count == 13000);
    std::exit(0);
  });
}

TEST(Initialisation, CuInitTakesNoFlags) {
  EXPECT_RESULT(abi::kInvalidValue, call("cuInit", 1u));
  EXPECT_OK(call("cuInit", 0u));
  EXPECT_OK(call("cuInit", 0u));
}

TEST(Initialisation, CallsThatNeedAContextSaySo) {
  ASSERT_OK(call("cuInit", 0u));
  ASSERT_OK(call("cuCtxSetCurrent", abi::Context{}));
  DevicePointer pointer = 0;
  EXPECT_RESULT(abi::kInvalidContext, call("cuMemAlloc_v2", &pointer, std::size_t{16}));
  EXPECT_RESULT(abi::kInvalidContext, call("cuCtxSynchronize"));
  abi::Stream stream = nullptr;
  EXPECT_RESULT(abi::kInvalidContext, call("cuStreamCreate", &stream, 0u));
}

TEST(Initialisation, AForkedChildIsRefusedAndDoesNotHang) {
  ASSERT_OK(call("cuInit", 0u));
  abi::Context context = nullptr;
  ASSERT_OK(call("cuDevicePrimaryCtxRetain", &context, 0));
  ASSERT_OK(call("cuCtxSetCurrent", context));
  ASSERT_OK(call("cuMemsetD8_v2", DevicePointer{0}, std::uint8_t{0}, std::size_t{0}));
  EXPECT_EQ(in_forked_child([] {
              DevicePointer pointer = 0;
              EXPECT_IN_CHILD(call("cuMemAlloc_v2", &pointer, std::size_t{16}) == abi::kNotInitialized);
              EXPECT_IN_CHILD(call("cuCtxSynchronize") == abi::kNotInitialized);
              EXPECT_IN_CHILD(call("cuInit", 0u) == abi::kNotInitialized);
              EXPECT_IN_CHILD(last_error().find("forked") != std::string::npos);
              std::exit(0);
            }),
            0);
  EXPECT_OK(call("cuCtxSynchronize"));
  EXPECT_OK(call("cuDevicePrimaryCtxRelease_v2", 0));
}

TEST(Initialisation, AProcessMayEndWithWorkInItsQueues) {
  expect_fresh_process_succeeds([] {
    EXPECT_IN_CHILD(call("cuInit", 0u) == abi::kSuccess);
    abi::Context context = nullptr;
    EXPECT_IN_CHILD(call("cuDevicePrimaryCtxRetain", &context, 0) == abi::kSuccess);
    EXPECT_IN_CHILD(call("cuCtxSetCurrent", context) == abi::kSuccess);
    abi::Stream stream = nullptr;
    EXPECT_IN_CHILD(call("cuStreamCreate", &stream, 0u) == abi::kSuccess);
    auto* gate = new Gate;  // never opened
    gate->hold(stream);
    DevicePointer pointer = 0;
    EXPECT_IN_CHILD(call("cuMemAlloc_v2", &pointer, std::size_t{1} << 20) == abi::kSuccess);
    for (int i = 0; i < 100; ++i) {
      call("cuMemsetD8Async", pointer, std::uint8_t{1}, std::size_t{1} << 20, stream);
    }
    std::exit(0);
  });
}

TEST(Initialisation, CallsWhileTheProcessEndsAreDeinitialised) {
  expect_fresh_process_succeeds([] {
    // Registered before cuInit, so it runs after the driver's own end.
    std::atexit([] {
      int count = 0;
      _exit(call("cuDeviceGetCount", &count) == abi::kDeinitialized &&
                    call("cuInit", 0u) == abi::kDeinitialized
                ? 0
                : 1);
    });
    EXPECT_IN_CHILD(call("cuInit", 0u) == abi::kSuccess);
    std::exit(2);
  });
}

}  // namespace
}  // namespace tare::conformance
