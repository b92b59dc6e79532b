// What the program answers to what people type first: each mistake in one line, with the way out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/command_line.hpp"
#include "unit/cli/program.hpp"

namespace tare::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using testing::run_tare;

class Mistakes : public ::testing::Test {
 protected:
  Mistakes() {
    std::string name = (fs::temp_directory_path() / "tare-mistakes-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Mistakes() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

std::string complaint(const std::string& arguments) {
  const Ran ran = run_tare(arguments);
  EXPECT_EQ(ran.code, 2) << arguments << ran.out;
  return ran.err.substr(0, ran.err.find('\n'));
}

TEST_F(Mistakes, AnOptionOfAnotherCommandIsToldWhose) {
  for (const std::string option : {"--quick", "--samples", "--cold-l2", "--timeline", "--first-boot"})
    EXPECT_EQ(complaint("sweep " + option),
              "tare: `" + option + "` is an option of tare compare, not of tare sweep");
}

TEST_F(Mistakes, ANumberOutOfRangeIsToldWhatItMustBe) {
  EXPECT_EQ(complaint("compare --samples 0"), "tare: --samples: `0` is not a whole number from 1 upwards");
  EXPECT_EQ(complaint("compare --timed -3"), "tare: --timed: `-3` is not a whole number from 1 upwards");
  EXPECT_EQ(complaint("compare --warmup -1"), "tare: --warmup: `-1` is not a whole number from 0 upwards");
  EXPECT_EQ(complaint("compare --timeout -1"), "tare: --timeout: `-1` is not a number of seconds above 0");
  EXPECT_EQ(complaint("compare --timeout 0"), "tare: --timeout: `0` is not a number of seconds above 0");
  EXPECT_EQ(complaint("compare --rounds many"),
            "tare: --rounds: `many` is not a whole number from 1 upwards");
  EXPECT_EQ(complaint("compare --n -5"), "tare: --n: `-5` is below 0");
}

TEST_F(Mistakes, AKernelInPlaceOfACaseLeadsToInit) {
  const Ran ran = run_tare("compare 'a dir/my.cu'");
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err,
            "tare: `a dir/my.cu` is a kernel's source, not a case\n"
            "  hint: tare init 'a dir/my.cu' writes a first case for it\n");
}

TEST_F(Mistakes, SpacesAroundTheNamesOfRowsDoNotCount) {
  const char* const arguments[] = {"tare", "compare", "--rows", "clang, nvrtc ,raw"};
  EXPECT_THAT(parse_command_line(4, arguments).compare.rows, ElementsAre("clang", "nvrtc", "raw"));
}

TEST_F(Mistakes, HelpIsACommandToo) {
  const Ran all = run_tare("help"), one = run_tare("help cache stats");
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.out, run_tare("--help").out);
  EXPECT_EQ(one.out, run_tare("cache stats --help").out);
  EXPECT_EQ(one.code, 0);
}

TEST_F(Mistakes, EachCommandsHelpHasItsOwnExamples) {
  const std::string doctor = run_tare("doctor --help").out;
  EXPECT_THAT(doctor, HasSubstr("tare doctor --device cpu"));
  EXPECT_THAT(doctor, Not(HasSubstr("tare compare")));
  const std::string stats = run_tare("cache stats --help").out;
  EXPECT_THAT(stats, HasSubstr("tare cache stats --dir"));
  EXPECT_THAT(stats, Not(HasSubstr("tare cache explain")));
}

TEST_F(Mistakes, NoGpuLeadsToTheOption) {
  const Ran ran = run_tare("compare --device gpu --n 0");
  if (ran.code == 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THAT(ran.err, HasSubstr("take the CPU device with --device cpu\n"));
}

TEST_F(Mistakes, ATableThatCouldNotBeWrittenIsAnError) {
  const std::string errors = (folder_ / "errors").string();
  const Ran ran = run_tare("compare --n 0 --device cpu > /dev/full 2> " + errors + " #");
  EXPECT_EQ(ran.code, 1);
  std::ifstream in(errors);
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(in), {}}),
            "tare: cannot write to standard output: No space left on device\n");
}

TEST_F(Mistakes, ATableWithoutAStandardOutputIsAnError) {
  const std::string errors = (folder_ / "errors").string();
  EXPECT_EQ(run_tare("compare --n 0 --device cpu >&- 2> " + errors + " #").code, 1);
  std::ifstream in(errors);
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(in), {}}),
            "tare: cannot write to standard output: Bad file descriptor\n");
}

TEST_F(Mistakes, AReaderThatHasGoneMayMissTheTableButNotTheRecord) {
  const std::string code = (folder_ / "code").string();
  const auto code_of = [&](const std::string& options) {
    // The pipe's reader ends before the program starts, and SIGPIPE is ignored, as many callers have it.
    run_tare("--version; trap '' PIPE; { sleep 0.3; " TARE_BINARY_DIR
             "/bin/tare compare --n 0 --device cpu " +
             options + "; echo $? > " + code + "; } 2> /dev/null | true #");
    std::ifstream in(code);
    int value = -1;
    in >> value;
    return value;
  };
  EXPECT_EQ(code_of(""), 0);
  EXPECT_EQ(code_of("--json -"), 1);
}

TEST_F(Mistakes, ALimitOfOpenFilesThatIsTooLowIsNamed) {
  for (const char* command :
       {"compare --device cpu --n 0", "rows --device cpu", "rows install --device cpu"}) {
    const Ran ran = run_tare(command, "sh -c 'ulimit -n 8; exec \"$0\" \"$@\"'");
    EXPECT_EQ(ran.code, 2) << command;
    EXPECT_THAT(ran.err, HasSubstr("tare: at most 8 files may be open at once here (ulimit -n), "))
        << command;
  }
}

TEST_F(Mistakes, InitWritesFromAnywhereToAnywhere) {
  const std::string cu = write("src/wsum.cu", "__global__ void k(float* x, int n) { x[0] = n; }\n");
  fs::create_directories(folder_ / "my cases");
  const std::string toml = (folder_ / "my cases/w.toml").string();
  const Ran ran = run_tare("init " + cu + " -o '" + toml + "'");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, toml + " written; next: tare compare '" + toml + "'\n");
  std::ifstream in(toml);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(text, HasSubstr("#   tare compare '" + toml + "'\n"));
  EXPECT_THAT(text, HasSubstr("file = \"../src/wsum.cu\"\n"));
  EXPECT_EQ(run_tare("compare --n 0 --device cpu '" + toml + "'").code, 0);
}

TEST_F(Mistakes, InitSaysWhatIsLeftToDo) {
  const std::string cu =
      write("p.cu",
            "#include <vector>\nstruct P { int a; };\n__global__ void k(P* p, int n) {}\nint main() "
            "{}\n");
  const Ran ran = run_tare("init " + cu);
  const std::string toml = (folder_ / "p.toml").string();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(
      ran.out,
      toml +
          " written; before it can run:\n"
          "  - p.cu: it has code for the host in it (main(), <vector>): put `// snippet: kernel` on a line "
          "before the kernel and what that needs, and `// end snippet` after it; only what stands between "
          "them is compiled by the rows\n"
          "  - `p` of k is of type `P*`: say what that is, at the line marked FILL IN\n"
          "then: tare compare " +
          toml + "\n");
}

}  // namespace
}  // namespace tare::cli
