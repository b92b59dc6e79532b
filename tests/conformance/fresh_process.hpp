// Tests of what is settled once per process: each runs in a process of its own, started anew.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace tare::conformance {

/// Runs the body in a new process in which nothing has been initialised; it ends with exit status 0
/// unless expect_in_child fails, having written to stderr what matches `written`. A body that hangs ends
/// after 20 seconds.
inline void expect_fresh_process_succeeds(void (*body)(), const char* written = "") {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        alarm(20);
        body();
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), written);
}

inline void expect_in_child(bool holds, const char* what = "an expectation") {
  if (holds) return;
  std::fprintf(stderr, "in the child: %s does not hold\n", what);
  std::exit(1);
}
#define EXPECT_IN_CHILD(condition) ::tare::conformance::expect_in_child((condition), #condition)

}  // namespace tare::conformance
