// SIGSEGV belongs to the program as well: what the device does with those that are not its own.
#include <csignal>

#include "conformance/driver.hpp"
#include "conformance/fresh_process.hpp"

namespace tare::conformance {
namespace {

struct sigaction of_the_device;

/// As Python's faulthandler does: tells, puts back what was there before, and raises the signal again.
void hand_on(int signal) {
  std::fprintf(stderr, "seen\n");
  sigaction(signal, &of_the_device, nullptr);
  raise(signal);
}

void fault_behind_a_handler() {
  EXPECT_IN_CHILD(call("cuInit", 0u) == abi::kSuccess);
  struct sigaction in_front {};
  in_front.sa_handler = hand_on;
  in_front.sa_flags = SA_NODEFER;
  sigaction(SIGSEGV, &in_front, &of_the_device);
  abi::Context context = nullptr;
  EXPECT_IN_CHILD(call("cuDevicePrimaryCtxRetain", &context, 0) == abi::kSuccess);
  EXPECT_IN_CHILD(call("cuCtxSetCurrent", context) == abi::kSuccess);
  const abi::Function function = function_of(load(ptx(".visible .entry k() { .reg .b64 %a; mov.u64 %a, 16; "
                                                      "st.global.u8 [%a], 7; ret; }\n")),
                                             "k");
  EXPECT_IN_CHILD(launch(function, {}, {}) == abi::kSuccess);
  EXPECT_IN_CHILD(call("cuCtxSynchronize") == abi::kIllegalAddress);
  EXPECT_IN_CHILD(last_error() == "kernel `k` accessed memory that is not there, at 0x10");
}

TEST(Signals, AFaultThatAHandlerInFrontRaisesAgainIsToldWithItsOwnAddress) {
  expect_fresh_process_succeeds(fault_behind_a_handler, "^seen\n$");
}

TEST(Signals, OneThatSomebodySendsEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        alarm(20);
        call("cuInit", 0u);
        kill(getpid(), SIGSEGV);
        std::exit(0);
      },
      ::testing::KilledBySignal(SIGSEGV), "^$");
}

}  // namespace
}  // namespace tare::conformance
