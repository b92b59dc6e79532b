// Waiting for a kernel that another thread makes, where that thread's lambda does not return.
#include "frontend/jit/turn.hpp"

#include <gmock/gmock.h>

#include <future>

#include "tare/error.hpp"

namespace tare::detail {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

std::string said_by_a_thread_that_wants(TurnHolder& holder) {
  return std::async(std::launch::async,
                    [&] {
                      try {
                        const Turn turn(holder, "the kernel `k`", milliseconds(1));
                      } catch (const Error& error) {
                        EXPECT_EQ(error.kind(), ErrorKind::argument);
                        EXPECT_THAT(error.hint(),
                                    HasSubstr("must not wait for a thread that launches the same"));
                        return std::string(error.what());
                      }
                      return std::string("its turn");
                    })
      .get();
}

TEST(JitTurn, ALambdaThatWaitsForAThreadThatWantsItsKernelEndsInAnErrorThere) {
  TurnHolder holder;
  {
    const Turn mine(holder, "the kernel `k`");
    EXPECT_THAT(said_by_a_thread_that_wants(holder),
                HasSubstr("the kernel `k` has been traced by another thread for a minute"));
  }
  EXPECT_EQ(said_by_a_thread_that_wants(holder), "its turn");
}

TEST(JitTurn, ACompilerMayTakeAsLongAsItNeeds) {
  TurnHolder holder;
  std::future<std::string> other;
  {
    Turn mine(holder, "the kernel `k`");
    mine.lambda_has_returned();
    other = std::async(std::launch::async, [&] { return said_by_a_thread_that_wants(holder); });
    EXPECT_EQ(other.wait_for(milliseconds(4 * kMostBeats)), std::future_status::timeout);
  }
  EXPECT_EQ(other.get(), "its turn");
}

}  // namespace
}  // namespace tare::detail
