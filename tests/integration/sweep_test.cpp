// `tare sweep`, and what `tare compare` prints only if it is asked: through the real program, on the CPU
// device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class Sweep : public ::testing::Test {
 protected:
  Ran sweep(std::vector<std::string> arguments) {
    const fs::path file = scratch_.path() / "sweep.json";
    arguments.insert(arguments.begin(), {"sweep", "--json", file, "--rounds", "3"});
    Ran ran = run_tare(scratch_, arguments);
    if (std::ifstream in(file); in) ran.record = json::parse(in);
    return ran;
  }
  Scratch scratch_;
};

TEST_F(Sweep, ChecksAndTimesEveryRowAtEverySize) {
  const Ran ran = sweep({"--rows", "clang,aot", "--n", "1K..16K"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.record["schema"], "tare.sweep/1");
  EXPECT_EQ(ran.record["machine"]["is_cpu_device"], true);
  ASSERT_EQ(ran.record["sizes"].size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    const json& size = ran.record["sizes"][i];
    EXPECT_EQ(size["n"], 1024 << i);
    EXPECT_EQ(size["moved_bytes"], 12.0 * (1024 << i));
    EXPECT_EQ(size["rows"][0]["row"], "clang");
    EXPECT_EQ(size["rows"][0]["status"], "ok");
    EXPECT_GT(size["rows"][0]["mean_ms"], 0);
    EXPECT_EQ(size["rows"][0]["rounds_ms"].size(), 3u);
  }
  ASSERT_EQ(ran.record["crossings"].size(), 1u);
  EXPECT_EQ(ran.record["crossings"][0]["row"], "clang");
  EXPECT_EQ(ran.record["crossings"][0]["bytes_per_element"], 12);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("16,384"), HasSubstr("aot skipped: "),
                             HasSubstr("where the cost per call and the cost per byte are equal"),
                             HasSubstr("\n 1,024  "),
                             EndsWith("\nChecks: 1 row matches at all 5 sizes; skipped: aot\n")));
}

TEST_F(Sweep, OfAWrongKernelSaysSoAtTheSizesWhereItIsAndFails) {
  const Ran ran =
      sweep({data("wrong/skips_the_tail.toml"), "--rows", "clang", "--n", "1000..1024", "--points", "2"});
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, EndsWith("\nChecks: no row matches; wrong: clang\n"));
}

TEST_F(Sweep, OfACaseWithoutNIsRefused) {
  std::ofstream(scratch_.path() / "fixed.cu") << "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n";
  std::ofstream(scratch_.path() / "fixed.toml")
      << "[kernel]\nfile = \"fixed.cu\"\nname = \"k\"\n[launch]\nblock = [32]\ngrid = [1]\n"
         "[[arguments]]\nname = \"x\"\ntype = \"float*\"\ncount = 32\n";
  const Ran ran = sweep({(scratch_.path() / "fixed.toml").string(), "--rows", "clang"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("`n`"));
}

TEST_F(Sweep, TimelineIsAsciiUnlessTheLocaleIsOneOfUtf8) {
  const std::vector<std::string> arguments{"compare", "--n",      "4096", "--rows",     "clang",
                                           "--quick", "--rounds", "2",    "--timeline", "--first-boot"};
  const Ran ascii = run_tare(scratch_, arguments, {{"LC_ALL", "C"}});
  EXPECT_EQ(ascii.code, 0) << ascii.err;
  EXPECT_THAT(ascii.out, AllOf(HasSubstr("time line: "), HasSubstr("(in build)"), HasSubstr("first boot")));
  for (const char c : ascii.out) EXPECT_LT(static_cast<unsigned char>(c), 128);
  const Ran utf8 = run_tare(scratch_, arguments, {{"LC_ALL", "C.UTF-8"}});
  EXPECT_THAT(utf8.out, HasSubstr("\u2501"));
  EXPECT_THAT(
      run_tare(scratch_, {"compare", "--n", "4096", "--rows", "clang", "--quick", "--rounds", "2"}).out,
      AllOf(Not(HasSubstr("time line")), Not(HasSubstr("first boot"))));
}

}  // namespace
}  // namespace tare::test
