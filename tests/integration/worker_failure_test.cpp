// Workers that misbehave: each is its own row's failure, in one line, and never the run's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kSmall = "4096";

class WorkerFailure : public ::testing::Test {
 protected:
  // The row beside one that works, so that every test also shows that the others go on.
  const json& fails(const std::string& row, const std::string& reason) {
    ran_ = compare(scratch_, {"--n", kSmall, "--rows", "clang," + row, "--timeout", "20"},
                   {{"TARE_ROWS_DIR", data("workers")}});
    EXPECT_EQ(ran_.code, 1);
    EXPECT_EQ(row_of(ran_.record, "cold", "clang")["status"], "ok");
    EXPECT_EQ(row_of(ran_.record, "warm", "clang")["status"], "ok");
    EXPECT_THAT(scratch_.left_behind(), IsEmpty());
    const json& failed = row_of(ran_.record, "cold", row);
    EXPECT_EQ(failed["status"], "failed");
    EXPECT_EQ(failed["reason"], reason);
    EXPECT_EQ(row_of(ran_.record, "warm", row)["reason"], reason);
    return failed;
  }
  Scratch scratch_;
  Ran ran_;
};

TEST_F(WorkerFailure, ACrashNamesTheSignalAndShowsTheLastLines) {
  const json& row = fails("crash", "its worker was killed by SIGSEGV during `hello`");
  EXPECT_EQ(row["detail"], "last lines of its stderr:\nfirst words\nabout to crash");
}

TEST_F(WorkerFailure, AnEarlyExitNamesTheCode) {
  const json& row = fails("exits", "its worker exited with code 3 during `hello`");
  EXPECT_EQ(row["detail"], "last lines of its stderr:\ncannot find my library");
}

TEST_F(WorkerFailure, AHangEndsAtTheTimeLimitWithItsChildren) {
  ran_ = compare(scratch_, {"--n", kSmall, "--rows", "clang,hang", "--timeout", "3"},
                 {{"TARE_ROWS_DIR", data("workers")}});
  EXPECT_EQ(ran_.code, 1);
  EXPECT_EQ(row_of(ran_.record, "cold", "clang")["status"], "ok");
  EXPECT_EQ(row_of(ran_.record, "cold", "hang")["reason"], "its worker did not answer `hello` within 3 s");
  EXPECT_TRUE(eventually([&] { return processes_with(scratch_.path()).empty(); }));
}

TEST_F(WorkerFailure, AFloodOfErrorsIsReadToItsEndAndOnlyTheEndIsKept) {
  const json& row = fails("flood", "its worker exited with code 1 during `hello`");
  EXPECT_THAT(row["detail"].get<std::string>(), HasSubstr("xxx...\nthe last line"));
  EXPECT_LT(row["detail"].get<std::string>().size(), 1000u);
}

TEST_F(WorkerFailure, GarbageIsQuoted) {
  fails("garbage",
        "its worker answered `hello` with something that is not JSON: Segmentation fault? No: ? garbage");
}

TEST_F(WorkerFailure, HalfALineIsQuoted) {
  fails("half_line",
        "its worker exited with code 0 during `hello`, in the middle of a line: {\"reply\":\"hel");
}

TEST_F(WorkerFailure, ClosedRepliesAreNoticedAtOnce) {
  fails("closes", "its worker closed its replies before it answered `hello`");
}

TEST_F(WorkerFailure, AReplyToAnotherQuestionIsNoReply) {
  fails("other_reply", "its worker answered `hello` with a reply to `build`");
}

TEST_F(WorkerFailure, AMissingFigureIsNamed) {
  fails("no_figure", "its worker answered `open` with no open_ms");
}

TEST_F(WorkerFailure, ANegativeTimeIsRefused) {
  fails("negative", "its worker answered `open` with open_ms = -1");
}

TEST_F(WorkerFailure, AnAnswerBeforeTheQuestionIsRefused) {
  fails("eager", "its worker answered before it was asked: {\"reply\":\"open\",\"open_ms\":1}");
}

TEST_F(WorkerFailure, AMissingProgramIsNamed) {
  fails("missing", "its worker cannot be started: program not found: " + data("workers/not-there"));
}

TEST_F(WorkerFailure, WhatALibraryCannotTakeIsSkippedWithItsReason) {
  ran_ = compare(scratch_, {"--n", kSmall, "--rows", "clang,cannot,unmet"},
                 {{"TARE_ROWS_DIR", data("workers")}});
  EXPECT_EQ(ran_.code, 0);
  EXPECT_EQ(row_of(ran_.record, "cold", "cannot")["status"], "skipped");
  EXPECT_EQ(row_of(ran_.record, "cold", "cannot")["reason"], "my library has no size_t");
  EXPECT_EQ(row_of(ran_.record, "cold", "unmet")["status"], "skipped");
  EXPECT_EQ(row_of(ran_.record, "cold", "unmet")["reason"], "no-such-program-here not found: looked in PATH");
}

TEST_F(WorkerFailure, WhatAWorkerPrintsDoesNotMatter) {
  ran_ = compare(scratch_, {"--n", kSmall, "--rows", "clang,chatty"}, {{"TARE_ROWS_DIR", data("workers")}});
  EXPECT_EQ(ran_.code, 0);
  const json& row = row_of(ran_.record, "cold", "chatty");
  EXPECT_EQ(row["status"], "ok");
  EXPECT_EQ(row["bits"]["equal"], true);
  EXPECT_THAT(row["stderr_tail"].get<std::string>(), HasSubstr("zzz..."));
}

TEST_F(WorkerFailure, OnlyRowsThatFailedIsExitCodeOne) {
  ran_ = compare(scratch_, {"--n", kSmall, "--rows", "crash,exits"}, {{"TARE_ROWS_DIR", data("workers")}});
  EXPECT_EQ(ran_.code, 1);
}

TEST_F(WorkerFailure, NoRowThatRanIsExitCodeThree) {
  ran_ = compare(scratch_, {"--n", kSmall, "--rows", "unmet"}, {{"TARE_ROWS_DIR", data("workers")}});
  EXPECT_EQ(ran_.code, 3);
}

TEST(WorkerFigures, OfLaunchesThatBlockAndOfEventsElsewhereAreDoubted) {
  Scratch scratch;
  const Ran ran = compare(scratch, {"--n", kSmall, "--rows", "clang,blocks,early_events,waits,queued"},
                          {{"TARE_ROWS_DIR", data("workers")}});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(row_of(ran.record, "warm", "blocks").dump(),
              HasSubstr("its launches seem to block: 201.0 us to submit one, 200.0 us on the device"));
  EXPECT_THAT(
      row_of(ran.record, "warm", "early_events").dump(),
      HasSubstr("its device time does not cover its launches: 200.0 us between the events, 5000.0 us until"));
  EXPECT_THAT(row_of(ran.record, "warm", "clang").dump(), Not(HasSubstr("seem to block")));
  // What a batch of any size waits is the machine's, not the launches'.
  EXPECT_EQ(row_of(ran.record, "warm", "waits")["detail"], "");
  // Not the host's pace: a call takes longer than a launch.
  EXPECT_EQ(row_of(ran.record, "warm", "queued")["host_bound"], false);
  EXPECT_THAT(
      ran.record["findings"].dump(),
      HasSubstr("the launches of queued (a call takes 13 us of the host's time, a launch 5 us) were queued "
                "before the device began"));
}

}  // namespace
}  // namespace tare::test
