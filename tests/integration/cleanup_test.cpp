// Nothing is left of a comparison that is interrupted, or whose owner is killed: no process, no directory,
// no memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::IsEmpty;

class Cleanup : public ::testing::Test {
 protected:
  // Runs a comparison whose worker hangs, with a child of its own, and sends `signal` once that child is
  // there.
  Ran interrupt(int signal) {
    return run_tare(scratch_, {"compare", "--n", "4096", "--rows", "clang,self,hang"},
                    {{"TARE_ROWS_DIR", data("workers")}, {"TARE_TEST_MARK", scratch_.path()}},
                    [&](pid_t pid) {
                      EXPECT_TRUE(eventually([&] { return hanging(); }));
                      EXPECT_FALSE(scratch_.left_behind().empty());
                      kill(pid, signal);
                    });
  }
  bool hanging() const {
    for (const pid_t pid : processes_with(scratch_.path())) {
      std::ifstream name("/proc/" + std::to_string(pid) + "/comm");
      std::string text;
      if (name >> text && text == "sleep") return true;
    }
    return false;
  }
  void expect_nothing_left() {
    EXPECT_TRUE(eventually([&] { return processes_with(scratch_.path()).empty(); }));
    EXPECT_TRUE(eventually([&] { return scratch_.left_behind().empty(); }));
  }
  Scratch scratch_;
};

TEST_F(Cleanup, AnInterruptEndsEveryProcessAndRemovesTheDirectory) {
  const Ran ran = interrupt(SIGINT);
  EXPECT_EQ(ran.code, 130);
  EXPECT_THAT(processes_with(scratch_.path()), IsEmpty());
  EXPECT_THAT(scratch_.left_behind(), IsEmpty());
}

TEST_F(Cleanup, ATerminationDoesTheSame) {
  const Ran ran = interrupt(SIGTERM);
  EXPECT_EQ(ran.code, 143);
  EXPECT_THAT(processes_with(scratch_.path()), IsEmpty());
  EXPECT_THAT(scratch_.left_behind(), IsEmpty());
}

TEST_F(Cleanup, AKilledOwnerLeavesNothingEither) {
  const Ran ran = interrupt(SIGKILL);
  EXPECT_EQ(ran.signal, SIGKILL);
  expect_nothing_left();
}

TEST_F(Cleanup, AnOrdinaryRunLeavesNothing) {
  const Ran ran = run_tare(scratch_, {"compare", "--n", "4096", "--rows", "clang,self", "--quick"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  expect_nothing_left();
}

}  // namespace
}  // namespace tare::test
