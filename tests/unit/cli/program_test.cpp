// The real program: what it prints for help, version and mistakes, where, and with which exit code. None
// of these needs a device.
#include "unit/cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tare::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Ran;
using testing::run_tare;
using ::testing::StartsWith;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tare-program-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

constexpr const char* kSaxpy =
    "extern \"C\" __global__ void saxpy(float a, const float* x, float* y, size_t n) {\n"
    "  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

TEST(Program, HelpGoesToStandardOutputWithExamples) {
  for (const char* command : {"--help", "compare --help", "sweep --help", "rows --help",
                              "rows install --help", "rows download --help", "init --help", "cache --help"}) {
    const Ran ran = run_tare(command);
    EXPECT_EQ(ran.code, 0) << command;
    EXPECT_THAT(ran.out, HasSubstr("Examples:")) << command;
    EXPECT_THAT(ran.err, IsEmpty()) << command;
    EXPECT_THAT(ran.out, Not(HasSubstr("tare worker"))) << command;
  }
}

TEST(Program, VersionSaysHowItWasBuiltAndLinked) {
  const Ran ran = run_tare("--version");
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, StartsWith("tare " TARE_VERSION "\nbuilt   "));
  EXPECT_THAT(ran.out, HasSubstr("\nlinked  statically, but for "));
  EXPECT_THAT(ran.out, HasSubstr("libc.so.6"));
}

TEST(Program, AMistakeIsOneLineAndAHintOnStandardErrorAndExitCodeTwo) {
  const Ran ran = run_tare("compare --rwos nvrtc");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_EQ(ran.err,
            "tare: unknown option `--rwos`; did you mean `--rows`?\n"
            "  hint: tare compare --help shows what there is\n");
}

TEST(Program, NoCommandIsAMistake) {
  const Ran ran = run_tare("");
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err,
            "tare: which command? tare has compare, sweep, rows, init, cache, with-cpu, doctor\n"
            "  hint: tare --help shows what they do\n");
}

TEST(Program, ARecordThatCouldNotBeWrittenIsRefusedBeforeTheRun) {
  const Ran ran = run_tare("compare --json /nonexistent/run.json");
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "tare: cannot write /nonexistent/run.json: No such file or directory\n");
  EXPECT_THAT(ran.out, IsEmpty());
}

TEST(Program, AClaimWithAMistakeIsRefusedBeforeTheRun) {
  const Folder folder;
  std::ofstream(folder / "saxpy.cu") << kSaxpy;
  ASSERT_EQ(run_tare("init " + folder / "saxpy.cu").code, 0);
  std::ofstream(folder / "saxpy.toml", std::ios::app)
      << "\n[[claim]]\ntext = \"t\"\nholds = \"mean_sm < 1\"\n";
  const Ran bad = run_tare("compare " + folder / "saxpy.toml");
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("no figure `mean_sm`; did you mean `mean_ms`?"));
}

TEST(Program, AClaimAboutARowThatDoesNotExistNamesTheNearest) {
  const Folder folder;
  std::ofstream(folder / "saxpy.cu") << kSaxpy;
  ASSERT_EQ(run_tare("init " + folder / "saxpy.cu").code, 0);
  std::ofstream(folder / "saxpy.toml", std::ios::app)
      << "\n[[claim]]\ntext = \"t\"\nholds = \"mean_ms < 1\"\nonly = [\"clnag\"]\n";
  const Ran bad = run_tare("compare " + folder / "saxpy.toml");
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("saxpy.toml:"));
  EXPECT_THAT(bad.err, HasSubstr("no row `clnag`; did you mean `clang`?"));
}

TEST(Program, InitWritesAFirstCaseAndNeverOverwrites) {
  const Folder folder;
  std::ofstream(folder / "saxpy.cu") << kSaxpy;
  const Ran first = run_tare("init " + folder / "saxpy.cu");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out,
            folder / "saxpy.toml" + " written; next: tare compare " + folder / "saxpy.toml" + "\n");
  const Ran second = run_tare("init " + folder / "saxpy.cu");
  EXPECT_EQ(second.code, 2);
  EXPECT_EQ(second.err,
            "tare: " + folder / "saxpy.toml" + " exists already\n  hint: -o FILE writes to another place\n");
  const Ran printed = run_tare("init " + folder / "saxpy.cu" + " -o -");
  EXPECT_EQ(printed.code, 0);
  EXPECT_THAT(printed.out, HasSubstr("name = \"saxpy\""));
  EXPECT_THAT(printed.out, HasSubstr("# python = \"saxpy.py:saxpy\""));
  const Ran elsewhere = run_tare("init " + folder / "saxpy.cu" + " -o " + folder / "new/cases/saxpy.toml");
  EXPECT_EQ(elsewhere.code, 0) << elsewhere.err;
  std::ifstream made(folder / "new/cases/saxpy.toml");
  const std::string text{std::istreambuf_iterator<char>(made), {}};
  EXPECT_THAT(text, HasSubstr("file = \"../../saxpy.cu\""));
}

TEST(Program, LookingIntoACacheThatIsNotThereMakesNone) {
  const Folder folder;
  const Ran stats = run_tare("cache stats --dir " + folder / "cache");
  EXPECT_EQ(stats.code, 0);
  EXPECT_THAT(stats.out, HasSubstr("not there: nothing was kept yet"));
  const Ran clear = run_tare("cache clear --dir " + folder / "cache");
  EXPECT_EQ(clear.code, 0);
  EXPECT_EQ(clear.out, "0 entries removed from " + folder / "cache" + "\n");
  EXPECT_FALSE(fs::exists(folder / "cache"));
}

TEST(Program, StandardOutputThatIsFullIsAnError) {
  const Ran ran = run_tare("--version >/dev/full #");  // what follows on the line is a comment
  EXPECT_EQ(ran.code, 1);
}

TEST(Program, AWorkerStartedByHandSaysSo) {
  const Ran ran = run_tare("worker nvrtc", "env -u TARE_WORKER_IN");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("started by `tare compare`, not by hand"));
}

}  // namespace
}  // namespace tare::cli
