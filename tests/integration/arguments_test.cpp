// Arguments that do not fit the compiled kernel are refused by every row before the first launch, and those
// that just fit arrive whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::HasSubstr;

class WrongArguments : public ::testing::Test {
 protected:
  /// Compares the kernel k with these arguments, in rows that need no device of NVIDIA's.
  Ran run(const std::string& kernel, const std::string& arguments,
          const std::string& rows = "nvrtc,raw,nvcc,clang") {
    std::ofstream(scratch_.path() / "k.cu") << kernel;
    std::ofstream(scratch_.path() / "k.toml")
        << "[kernel]\nfile = \"k.cu\"\nname = \"k\"\n[values]\nn = 1\n[launch]\nblock = [1]\ngrid = [1]\n" +
               arguments;
    return compare(scratch_, {scratch_.path() / "k.toml", "--rows", rows});
  }
  /// Every row that could run failed with this.
  void expect_refused(const Ran& ran, const std::string& why) {
    EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
    EXPECT_EQ(row_of(ran.record, "cold", "clang")["status"], "failed");
    for (const json& row : ran.record["passes"][1]["rows"]) {
      if (row["status"] == "skipped") continue;
      EXPECT_EQ(row["status"], "failed") << row["row"];
      EXPECT_THAT(row["reason"].get<std::string>(), HasSubstr(why)) << row["row"];
    }
  }
  static std::string scalar(const std::string& name) {
    return "[[arguments]]\nname = \"" + name + "\"\ntype = \"int\"\nvalue = 1\n";
  }
  const std::string out_ = "[[arguments]]\nname = \"out\"\ntype = \"int*\"\ncount = 1\ncheck = \"bits\"\n";
  Scratch scratch_;
};

TEST_F(WrongArguments, OneTooFewOrTooManyIsRefusedWithBothNumbers) {
  const std::string kernel = "__global__ void k(int* out, int a, int b) { *out = a + b; }\n";
  expect_refused(run(kernel, out_ + scalar("a")), "kernel `k` takes 3 arguments, 2 were given");
  expect_refused(run(kernel, out_ + scalar("a") + scalar("b") + scalar("c")),
                 "kernel `k` takes 3 arguments, 4 were given");
}

TEST_F(WrongArguments, AStructWithoutOneOfItsFieldsIsRefusedWithBothSizes) {
  const std::string kernel =
      "struct P { char tag; double mass; short kind; };\n"
      "__global__ void k(int* out, P p) { *out = p.kind; }\n";
  const Ran ran = run(kernel, out_ +
                                  "[[arguments]]\nname = \"p\"\ntype = \"struct P\"\nfields = [ { name = "
                                  "\"tag\", type = \"char\" }, { name = \"mass\", type = \"double\" } ]\n");
  expect_refused(ran, "16 bytes");
  expect_refused(ran, "24");
}

TEST_F(WrongArguments, TheLongestParametersThatThereMayBeArriveWhole) {
  // 32764 bytes in all: a pointer and a struct of 8189 words. clang's PTX 7.8 has no more than 4352.
  const std::string text =
      "// snippet: kernel\nstruct Large { int v[8189]; };\n"
      "__global__ void k(int* out, Large x) { out[0] = x.v[0] + 2 * x.v[8188]; }\n"
      "// end snippet\n// snippet: reference\nvoid reference(int* out, Large x) { out[0] = 3 * x.v[8188]; }\n"
      "// end snippet\n";
  const Ran ran = run(text,
                      out_ +
                          "[[arguments]]\nname = \"x\"\ntype = \"struct Large\"\nfields = [ { name = \"v\", "
                          "type = \"int\", count = 8189, value = 7 } ]\n",
                      "nvrtc,raw,nvcc");
  if (ran.code == 3) GTEST_SKIP() << row_of(ran.record, "cold", "nvrtc")["reason"];
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  for (const json& row : ran.record["passes"][1]["rows"])
    EXPECT_TRUE(row["status"] == "ok" || row["status"] == "skipped") << row["row"] << row["reason"];
}

}  // namespace
}  // namespace tare::test
