// What is said of a row's bits where the check cannot tell right from wrong: without a reference, without
// another row, and where a library cannot keep the floating-point contract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class BitsSaid : public ::testing::Test {
 protected:
  /// examples/contraction, whose bits tell whether a row contracts, without its reference.
  std::string without_reference() {
    std::ofstream(scratch_.path() / "k.cu") << "__global__ void k(const float* a, float* out, int n) {\n"
                                               "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                               "  if (i < n) out[i] = a[i] * a[i] - 1.00048828125f;\n}\n";
    std::ofstream(scratch_.path() / "k.toml")
        << "[kernel]\nfile = \"k.cu\"\nname = \"k\"\n[values]\nn = 300\n[launch]\nblock = [128]\ncovers = "
           "[\"n\"]\n"
           "[[arguments]]\nname = \"a\"\ntype = \"const float*\"\ncount = \"n\"\n"
           "fill = { constant = 1.000244140625 }\n"
           "[[arguments]]\nname = \"out\"\ntype = \"float*\"\ncount = \"n\"\ncheck = \"bits\"\n"
           "[[arguments]]\nname = \"n\"\ntype = \"int\"\nvalue = \"n\"\n";
    return scratch_.path() / "k.toml";
  }
  Ran compare_rows(const std::string& file, const std::string& rows, const std::string& fp = "default") {
    return compare(scratch_, {file, "--rows", rows, "--fp", fp}, {{"TARE_ROWS_DIR", data("workers")}});
  }
  Scratch scratch_;
};

TEST_F(BitsSaid, OneRowWithoutAReferenceIsComparedWithItself) {
  const Ran ran = compare_rows(without_reference(), "clang");
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_EQ(row_of(ran.record, "cold", "clang")["bits"]["given_by"], "clang");
  EXPECT_THAT(ran.out, HasSubstr("  itself\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("equal\n")));
  EXPECT_THAT(ran.out, HasSubstr("Checks: clang was only held against what it gave itself"));
  EXPECT_THAT(ran.record["findings"].dump(),
              HasSubstr("every element of `out` is to be 5.96046448e-08 (0x33800000), so equal bits"));
}

TEST_F(BitsSaid, RowsThatDisagreeWithoutAReferenceAreNotCalledWrong) {
  const Ran ran = compare_rows(without_reference(), "clang,exact");
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_EQ(row_of(ran.record, "cold", "exact")["reason"],
            "out[0] is 0 (0x00000000), clang gave 5.96046448e-08 (0x33800000); 300 of 300 elements differ; "
            "there is "
            "no reference: either may be wrong");
  EXPECT_THAT(ran.out,
              HasSubstr("differs from clang: out[0]: got 0 (0x00000000), clang gave 5.96046448e-08"));
  EXPECT_THAT(ran.out, HasSubstr("; differing from clang: exact (either may be wrong)"));
  EXPECT_THAT(ran.out, Not(HasSubstr("wrong: ")));
}

TEST_F(BitsSaid, ALibraryThatCannotBeStrictIsNotComparableRatherThanWrong) {
  const std::string contraction = TARE_SOURCE_DIR "/examples/contraction/contraction.toml";
  const Ran ran = compare_rows(contraction, "clang,loose", "strict");
  EXPECT_EQ(ran.code, 0) << ran.out;
  const json& loose = row_of(ran.record, "cold", "loose");
  EXPECT_EQ(loose["status"], "incomparable");
  EXPECT_EQ(loose["not_strict"], "no switch of its library keeps it from contracting");
  EXPECT_THAT(ran.out, HasSubstr("  not comparable\n"));
  EXPECT_THAT(ran.out, HasSubstr("under --fp strict: no switch of its library keeps it from contracting"));
  const std::size_t said = ran.out.find("keeps it from contracting");
  EXPECT_EQ(ran.out.find("keeps it from contracting", said + 1), std::string::npos) << "once: " << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("Checks: 1 row matches; not comparable: loose"));
  // Nothing was checked where no other row ran, and by default the contract is the library's own.
  EXPECT_EQ(compare_rows(contraction, "loose", "strict").code, 3);
  EXPECT_EQ(row_of(compare_rows(contraction, "loose").record, "cold", "loose")["status"], "wrong");
}

TEST_F(BitsSaid, WhatNoRoundingExplainsIsWrongUnderTheStrictContractToo) {
  const Ran ran = compare_rows(data("wrong/writes_nowhere.toml"), "loose", "strict");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(row_of(ran.record, "cold", "loose")["status"], "wrong");
}

TEST_F(BitsSaid, ARunInWhichNothingRanSaysWhyAndThatNothingWasChecked) {
  const Ran ran = compare_rows(without_reference(), "cannot");
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.out, HasSubstr("cold: empty caches\ncannot  skipped: "));
  EXPECT_THAT(ran.out, Not(HasSubstr("warm: ")));
  EXPECT_THAT(ran.out, HasSubstr("\nChecks: no row ran, so nothing was checked; skipped: cannot\n"));
}

}  // namespace
}  // namespace tare::test
