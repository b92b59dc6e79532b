// A caller may close standard input, output and error: nothing of ours takes their place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

namespace fs = std::filesystem;

class ClosedDescriptors : public ::testing::TestWithParam<std::vector<int>> {
 protected:
  /// Starts a comparison whose last row hangs. Variables are inherited, but for the temporary folder.
  pid_t start(const std::vector<std::string>& arguments) const {
    const std::string tare = TARE_BINARY_DIR "/bin/tare", mark = "TMPDIR=" + scratch_.path().string();
    std::vector<std::string> words{"env", mark, "TARE_ROWS_DIR=" + data("workers"), tare};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int descriptor : GetParam()) posix_spawn_file_actions_addclose(&actions, descriptor);
    pid_t pid = 0;
    EXPECT_EQ(posix_spawnp(&pid, "env", &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
  }
  Scratch scratch_;
};

TEST_P(ClosedDescriptors, StayWithTheNullDevice) {
  const pid_t pid = start({"compare", "--n", "4096", "--rows", "clang,self,hang"});
  EXPECT_TRUE(
      eventually([&] {  // the worker of the row that hangs has a child: the owner has opened everything
        for (const pid_t each : processes_with(scratch_.path())) {
          std::error_code none;
          if (fs::read_symlink("/proc/" + std::to_string(each) + "/exe", none).filename() == "sleep")
            return true;
        }
        return false;
      }));
  for (const int descriptor : GetParam())
    EXPECT_EQ(fs::read_symlink("/proc/" + std::to_string(pid) + "/fd/" + std::to_string(descriptor)),
              "/dev/null")
        << descriptor;
  kill(pid, SIGTERM);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
  EXPECT_TRUE(scratch_.left_behind().empty());
}

TEST_P(ClosedDescriptors, CostNoRowItsResult) {
  const fs::path file = scratch_.path() / "record.json";
  const pid_t pid = start(
      {"compare", "--n", "4096", "--rows", "clang,self", "--samples", "1", "--rounds", "3", "--json", file});
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  // The table that nobody gets is the only thing that is wrong.
  const bool no_output = std::find(GetParam().begin(), GetParam().end(), 1) != GetParam().end();
  EXPECT_EQ(WEXITSTATUS(status), no_output ? 1 : 0);
  std::ifstream in(file);
  const json record = json::parse(in);
  for (const char* const row : {"clang", "self"}) {
    EXPECT_EQ(row_of(record, "warm", row)["status"], "ok");
    EXPECT_EQ(row_of(record, "warm", row)["bits"]["equal"], true);
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, ClosedDescriptors,
                         ::testing::Values(std::vector{0}, std::vector{1}, std::vector{2}, std::vector{0, 1},
                                           std::vector{0, 2}, std::vector{1, 2}, std::vector{0, 1, 2}));

}  // namespace
}  // namespace tare::test
