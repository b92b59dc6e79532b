// Kernels with a fault: each is caught, said exactly, and the table is printed all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::HasSubstr;

struct Caught {
  Scratch scratch;
  Ran ran;
  explicit Caught(const std::string& kernel)
      : ran(compare(scratch, {data("wrong/" + kernel + ".toml"), "--rows", "clang"})) {}
  const json& row(const std::string& pass = "cold") const { return row_of(ran.record, pass, "clang"); }
};

TEST(WrongKernel, ThatWritesNowhereLeavesThePoison) {
  const Caught caught("writes_nowhere");
  EXPECT_EQ(caught.ran.code, 1);
  EXPECT_EQ(caught.row()["status"], "wrong");
  EXPECT_EQ(caught.row()["reason"],
            "out[0] is -nan (0xffffffff), want 0.5 (0x3f000000); 4707 of 4707 elements differ");
  EXPECT_EQ(caught.row()["bits"]["differing"], 4707);
  EXPECT_TRUE(caught.row()["mean_ms"].is_number());
  EXPECT_THAT(caught.ran.out, HasSubstr("clang"));
  EXPECT_THAT(caught.ran.out, HasSubstr("0xffffffff"));
}

TEST(WrongKernel, ThatIsOffByOneIsCaughtAtItsFirstElement) {
  const Caught caught("off_by_one");
  EXPECT_EQ(caught.ran.code, 1);
  EXPECT_EQ(caught.row()["reason"],
            "out[0] is -nan (0xffffffff), want 0.5 (0x3f000000); 4707 of 4707 elements differ");
}

TEST(WrongKernel, ThatSkipsTheTailIsCaughtThere) {
  const Caught caught("skips_the_tail");
  EXPECT_EQ(caught.ran.code, 1);
  EXPECT_EQ(caught.row()["reason"],
            "out[4096] is -nan (0xffffffff), want 4096.5 (0x45800400); 611 of 4707 elements differ");
  EXPECT_EQ(caught.row()["bits"]["first_index"], 4096);
}

TEST(WrongKernel, ThatIsRightOnlyOnceIsCaughtAfterTheTimedLaunches) {
  const Caught caught("right_once");
  EXPECT_EQ(caught.ran.code, 1);
  EXPECT_EQ(caught.row()["status"], "wrong");
  EXPECT_EQ(caught.row()["reason"],
            "right after the first launch, wrong after the timed ones: out[0] is 1.5 (0x3fc00000), want 0.5 "
            "(0x3f000000); 4707 of 4707 elements differ");
  EXPECT_EQ(caught.row()["bits"]["outputs"][0]["equal"], true);
  EXPECT_EQ(caught.row()["bits"]["late_outputs"][0]["equal"], false);
  EXPECT_EQ(caught.row("rehearsal")["status"], "ok");
}

TEST(WrongKernel, ThatDoesNotCompileFailsWithTheFilesOwnLine) {
  const Caught caught("does_not_compile");
  EXPECT_EQ(caught.ran.code, 1);
  EXPECT_EQ(caught.row()["status"], "failed");
  EXPECT_THAT(caught.row()["detail"].get<std::string>(), HasSubstr("does_not_compile.cu:6:"));
  EXPECT_THAT(caught.row()["detail"].get<std::string>(), HasSubstr("undeclared identifier 'c'"));
  EXPECT_THAT(caught.ran.out, HasSubstr("does_not_compile.cu:6:"));
}

}  // namespace
}  // namespace tare::test
