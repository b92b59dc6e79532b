// Machines that lack something: each row says what, and what can run does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::HasSubstr;

const Environment kNothing{{"TARE_TOOLKIT_SEARCH", "explicit"},
                           {"TARE_NVRTC", ""},
                           {"TARE_NVCC", ""},
                           {"TARE_NVVM", ""},
                           {"TARE_CLANG", ""}};

std::string reason(const Ran& ran, const std::string& row) {
  const json& result = row_of(ran.record, "cold", row);
  EXPECT_EQ(result["status"], "skipped") << row;
  return result["reason"];
}

TEST(Toolkit, WithNoneAtAllEveryRowSaysWhereItLookedAndTheExitCodeIsThree) {
  Scratch scratch;
  const Ran ran = compare(
      scratch, {"--n", "1000", "--rows", "nvrtc,nvrtc-fast,raw,jit,jit-cached,nvcc,clang,aot,pycuda,self"},
      kNothing);
  EXPECT_EQ(ran.code, 3);
  const std::string places = " (not set), nowhere else (TARE_TOOLKIT_SEARCH=explicit)";
  for (const char* const row : {"nvrtc", "nvrtc-fast", "raw"})
    EXPECT_EQ(reason(ran, row), "NVRTC not found: looked in TARE_NVRTC" + places);
  for (const char* const row : {"jit", "jit-cached"})
    EXPECT_EQ(reason(ran, row), "libNVVM not found: looked in TARE_NVVM" + places +
                                    "; clang not found: looked in TARE_CLANG" + places);
  EXPECT_EQ(reason(ran, "nvcc"), "nvcc not found: looked in TARE_NVCC" + places);
  EXPECT_EQ(reason(ran, "clang"), "clang not found: looked in TARE_CLANG" + places);
  EXPECT_EQ(reason(ran, "aot"), "needs a GPU");
  EXPECT_EQ(reason(ran, "self"), "NVRTC not found: looked in TARE_NVRTC" + places +
                                     "; clang not found: looked in TARE_CLANG" + places);
  EXPECT_THAT(ran.out, HasSubstr("skipped: clang not found"));
}

TEST(Toolkit, WithOnlyClangTheComparisonSucceeds) {
  Scratch scratch;
  Environment environment = kNothing;
  environment["TARE_CLANG"] = find_clang();
  const Ran ran = compare(scratch, {"--n", "1000"}, environment);
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(row_of(ran.record, "warm", "clang")["status"], "ok");
  EXPECT_EQ(row_of(ran.record, "warm", "self")["status"], "ok");
  EXPECT_EQ(row_of(ran.record, "warm", "self")["twin"], "clang");
  for (const char* const row : {"jit", "jit-cached"}) {
    EXPECT_EQ(row_of(ran.record, "warm", row)["status"], "ok");
    EXPECT_THAT(row_of(ran.record, "cold", row)["compiler"].get<std::string>(), HasSubstr("clang"));
  }
  EXPECT_THAT(reason(ran, "nvrtc"), HasSubstr("NVRTC not found"));
}

TEST(Toolkit, ANamedLibNvvmThatIsNotThereIsNotReplacedByClang) {
  Scratch scratch;
  Environment environment = kNothing;
  environment["TARE_CLANG"] = find_clang();
  environment["TARE_NVVM"] = "/nope";
  const Ran ran = compare(scratch, {"--n", "1000", "--rows", "clang,jit"}, environment);
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(reason(ran, "jit"), "libNVVM not found: looked in TARE_NVVM (no such file: /nope)");
}

TEST(Toolkit, NvccWithoutAHostCompilerIsSkippedNotFailed) {
  if (const std::string why = why_not("nvcc"); !why.empty()) GTEST_SKIP() << why;
  Scratch scratch;
  const Ran before = compare(scratch, {"--n", "1000", "--rows", "nvcc"});
  ASSERT_EQ(before.code, 0) << before.out << before.err;
  const std::string nvcc = row_of(before.record, "cold", "nvcc")["compiler_path"];
  const Ran ran = compare(scratch, {"--n", "1000", "--rows", "nvcc"},
                          {{"PATH", scratch.path()}, {"TARE_NVCC", nvcc}, {"NVCC_CCBIN", ""}});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(reason(ran, "nvcc"), "nvcc needs a host compiler: no gcc on PATH, and NVCC_CCBIN is not set");
}

TEST(Toolkit, ACompileErrorNamesTheFilesOwnLineInEveryRowAndTheOthersGoOn) {
  Scratch scratch;
  const Ran ran =
      compare(scratch, {data("wrong/does_not_compile.toml"), "--rows", "nvrtc,raw,nvcc,clang,self"});
  EXPECT_EQ(ran.code, 1);
  int failed = 0;
  for (const json& row : ran.record["passes"][1]["rows"]) {
    if (row["status"] == "skipped") continue;
    EXPECT_EQ(row["status"], "failed") << row["row"];
    EXPECT_THAT(row["detail"].get<std::string>(), HasSubstr("does_not_compile.cu")) << row["row"];
    EXPECT_THAT(row["detail"].get<std::string>(), ::testing::ContainsRegex("does_not_compile.cu[:(]6"))
        << row["row"];
    ++failed;
  }
  EXPECT_GE(failed, 2);
}

}  // namespace
}  // namespace tare::test
