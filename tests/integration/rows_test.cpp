// Rows of one's own: read from TARE_ROWS_DIR, listed with the others, and refused with their line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::HasSubstr;

class Rows : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / (name + ".toml")) << text;
    return folder_ / (name + ".toml");
  }
  Ran rows() { return run_tare(scratch_, {"rows"}, {{"TARE_ROWS_DIR", folder_}}); }
  Scratch scratch_;
  std::filesystem::path folder_ = scratch_.path() / "rows";
};

TEST_F(Rows, OfOnesOwnAreListedAndReplaceBuiltInOnes) {
  write("mine", "title = \"my launcher\"\nworker = [\"true\"]\n");
  write("clang", "order = 1\ntitle = \"my clang\"\nworker = [\"true\"]\n");
  const Ran ran = rows();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("my launcher"));
  EXPECT_THAT(ran.out, HasSubstr("my clang"));
  EXPECT_EQ(ran.out.find("clang as a child process"), std::string::npos);
  EXPECT_LT(ran.out.find("my clang"), ran.out.find("my launcher"));
}

TEST_F(Rows, AreExplainedBelowAndFitTheTerminal) {
  write("mine", "title = \"" + std::string(30, 'a') + " " + std::string(30, 'b') +
                    "\"\nmoment = \"eager\"\nworker = [\"true\"]\n");
  const Ran ran = rows();
  EXPECT_THAT(ran.out, HasSubstr("eager: making the kernel object compiles"));
  // A terminal of 60 columns, by util-linux's script.
  const std::string command =
      "script -qec 'stty cols 60; TARE_ROWS_DIR=" + folder_.string() + " TARE_DRIVER=" +
      TARE_BINARY_DIR "/lib/tare/cpu/libcuda.so.1 " TARE_BINARY_DIR "/bin/tare rows' /dev/null </dev/null";
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::string line;
  int lines = 0;
  for (int c; (c = fgetc(pipe)) != EOF;) {
    if (c == '\r') continue;
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    ++lines;
    if (line.find('/') == std::string::npos) {   // a path is not broken
      EXPECT_LE(line.size(), 60u + 9u) << line;  // 9: its colour
    }
    line.clear();
  }
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_GT(lines, 20);
}

TEST_F(Rows, WithAnUnknownKeyAreRefusedWithLineAndNearestKey) {
  const std::string file = write("mine", "title = \"my launcher\"\nwroker = [\"true\"]\n");
  const Ran ran = rows();
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr(file + ":2: unknown key `wroker`; did you mean `worker`?"));
}

TEST_F(Rows, WithAValueOfTheWrongTypeAreRefusedWithTheirLine) {
  const std::string file = write("mine", "\nworker = \"true\"\n");
  const Ran ran = rows();
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr(file + ":2: `worker` must be an array of strings"));
}

TEST_F(Rows, WithoutAWorkerAreRefused) {
  const std::string file = write("mine", "title = \"my launcher\"\n");
  const Ran ran = rows();
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err,
              HasSubstr(file + ": `worker` is missing: the command that speaks the worker protocol"));
}

}  // namespace
}  // namespace tare::test
