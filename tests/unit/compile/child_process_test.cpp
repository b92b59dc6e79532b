// Child processes: what they get, how they end, and that nothing of them stays.
#include "compile/child_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "fixture.hpp"
#include "tare/error.hpp"

namespace tare::detail {
namespace {

using namespace std::chrono_literals;
using fixtures::Folder;

ChildRequest shell(const std::string& script) {
  ChildRequest request;
  request.argv = {"/bin/sh", "-c", script};
  return request;
}

bool alive(pid_t process) {
  return ::kill(process, 0) == 0;
}

bool gone_soon(pid_t process) {
  for (int i = 0; i < 200 && alive(process); ++i) std::this_thread::sleep_for(10ms);
  return !alive(process);
}

TEST(ChildProcess, BothStreamsAreCapturedApart) {
  const ChildResult result = run_child(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.how_it_ended(), "exited with status 3");
}

TEST(ChildProcess, FloodsOnBothStreamsNeitherBlockNorGrowWithoutBound) {
  ChildRequest request =
      shell("i=0; while [ $i -lt 400 ]; do printf '%8192s' x; printf '%8192s' y >&2; i=$((i+1)); done");
  request.output_cap = 100'000;
  const ChildResult result = run_child(request);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.output.size(), 100'000u);
  EXPECT_EQ(result.errors.size(), 100'000u);
}

TEST(ChildProcess, ASignalIsToldByNumberAndName) {
  const ChildResult result = run_child(shell("kill -SEGV $$"));
  EXPECT_EQ(result.exit_status, -1);
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(result.how_it_ended(), "was killed by signal 11 (Segmentation fault)");
}

TEST(ChildProcess, AProgramThatIsNotThereIsAnErrorWithItsName) {
  ChildRequest request;
  request.argv = {"/nonexistent/program"};
  try {
    run_child(request);
    FAIL() << "it ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_STREQ(error.what(), "cannot run /nonexistent/program: No such file or directory");
  }
}

TEST(ChildProcess, ArgumentsReachItUnchanged) {
  ChildRequest request;
  request.argv = {"/bin/sh", "-c", "printf '%s|' \"$@\"", "name", "two words", "$HOME; `id`", "\"'\\"};
  EXPECT_EQ(run_child(request).output, "two words|$HOME; `id`|\"'\\|");
}

TEST(ChildProcess, ItReadsNothingAndInheritsNoDescriptor) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);  // without O_CLOEXEC, on purpose
  const ChildResult result = run_child(shell("cat; ls /proc/self/fd | wc -l"));
  // stdin, stdout, stderr, and the folder that ls itself reads
  EXPECT_EQ(std::stoi(result.output), 4);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(ChildProcess, EnvironmentChangesAreSeenAndTheRestIsKept) {
  const fixtures::ScopedEnvironment environment({{"TARE_TEST_KEPT", "kept"}, {"TARE_TEST_CHANGED", "old"}});
  ChildRequest request = shell("echo $TARE_TEST_KEPT $TARE_TEST_CHANGED $TARE_TEST_NEW");
  request.environment = {{"TARE_TEST_CHANGED", "changed"}, {"TARE_TEST_NEW", "new"}};
  EXPECT_EQ(run_child(request).output, "kept changed new\n");
}

TEST(ChildProcess, ATimeLimitEndsTheWholeGroup) {
  const Folder folder;
  ChildRequest request = shell("sleep 1000 & echo $! > " + (folder.path() / "pid").string() + "; wait");
  request.timeout = 300ms;
  const ChildResult result = run_child(request);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.how_it_ended(), "did not finish within 0.3 s");
  pid_t grandchild = 0;
  std::ifstream(folder.path() / "pid") >> grandchild;
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(gone_soon(grandchild));
}

TEST(ChildProcess, AReadableStopDescriptorEndsTheWholeGroup) {
  const Folder folder;
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  ChildRequest request = shell("sleep 1000 & echo $! > " + (folder.path() / "pid").string() + "; wait");
  request.stop_descriptor = pipe[0];
  std::thread stopper([&] {
    std::this_thread::sleep_for(300ms);
    EXPECT_EQ(::write(pipe[1], "x", 1), 1);
  });
  const ChildResult result = run_child(request);
  stopper.join();
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.how_it_ended(), "was stopped");
  pid_t grandchild = 0;
  std::ifstream(folder.path() / "pid") >> grandchild;
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(gone_soon(grandchild));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(ChildProcess, AGrandchildThatKeepsThePipesOpenDoesNotHoldUpTheEnd) {
  const ChildResult result = run_child(shell("echo done; (sleep 1000) & exit 0"));
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.output, "done\n");
  EXPECT_FALSE(result.timed_out);
}

TEST(ChildProcess, ItsWholeGroupDiesWithAKilledParent) {
  const Folder folder;
  const std::string file = (folder.path() / "pid").string();
  const pid_t parent = ::fork();
  if (parent == 0) {
    run_child(shell("sleep 1000 & echo $! > " + file + ".part; mv " + file + ".part " + file + "; wait"));
    ::_exit(0);
  }
  pid_t grandchild = 0;
  for (int i = 0; i < 500 && grandchild == 0; ++i) {
    std::this_thread::sleep_for(10ms);
    std::ifstream(file) >> grandchild;
  }
  ASSERT_GT(grandchild, 0);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(gone_soon(grandchild));
}

}  // namespace
}  // namespace tare::detail
