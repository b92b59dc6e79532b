// Findings: each sentence appears where the figures bear it out, and not where they do not.
#include "compare/report/findings.hpp"

#include "compare/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/report/float_options.hpp"
#include "compare/report/pace.hpp"
#include "unit/compare/report/records.hpp"

namespace tare::compare {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace tare::compare::testing;

Record lesson() {
  Record record = gpu_record();
  add_passes(record, [](const std::string& pass) {
    const bool cold = pass == "cold";
    RowResult nvrtc = matching_row("nvrtc", cold ? 20 : 19.8, 0.3, 0.0169);
    RowResult raw = matching_row("raw", 0.01, cold ? 22 : 0.8, 0.0169);
    RowResult nvcc = matching_row("nvcc", cold ? 410 : 1.2, 0.3, 0.0169);
    compiles_in(nvrtc, "build");
    compiles_in(raw, "first");
    compiles_in(nvcc, "build");
    if (!cold) raw.cache = {"hit", 0, {}}, nvcc.cache = {"hit", 0, {}};
    return std::vector<RowResult>{nvrtc, raw, nvcc};
  });
  return record;
}

/// Two rows whose outputs differ by contraction: nvrtc's and nvcc's differ, clang's do not.
Record contraction() {
  Record record = gpu_record();
  add_passes(record, [](const std::string&) {
    std::vector<RowResult> rows{matching_row("nvrtc", 20, 0.3, 0.0169),
                                matching_row("nvcc", 410, 0.3, 0.0169),
                                matching_row("clang", 30, 0.3, 0.0169)};
    for (RowResult* row : {&rows[0], &rows[1]}) {
      row->status = Status::wrong;
      row->differences = {differing_output(1234, 3, "1 (0x3f800001)", "1 (0x3f800000)", 1)};
      row->late_differences = row->differences;
    }
    rows[0].compiler = "NVRTC 13.0";
    rows[0].options = {"--gpu-architecture=sm_90"};
    rows[1].compiler = "nvcc 13.0.88";
    rows[2].compiler = "clang 19.1.7";
    rows[2].options = {"-O3", "-ffp-contract=off"};
    return rows;
  });
  return record;
}

TEST(Findings, EachNamesTheDeviceAndTheDriver) {
  const auto findings = work_out_findings(lesson());
  EXPECT_GE(findings.size(), 3u);
  EXPECT_THAT(findings, Each(StartsWith("On NVIDIA H200 (driver 13.0): ")));
}

TEST(Findings, SayWhereEachRowCompiles) {
  EXPECT_THAT(
      work_out_findings(lesson()),
      Contains(HasSubstr("the compiler runs in build for nvrtc (20 ms) and nvcc (410 ms); in first for "
                         "raw (22 ms).")));
}

TEST(Findings, DoNotGuessWhereARowCompiles) {
  Record record = lesson();
  for (PassResult& pass : record.passes)
    for (RowResult& row : pass.rows)
      for (Sample& sample : row.samples) sample.events.clear();
  EXPECT_THAT(work_out_findings(record), Each(Not(HasSubstr("compiler runs in"))));
}

TEST(Findings, SayWhichCachesOutlivedTheProcessByCountNotByTime) {
  const auto findings = work_out_findings(lesson());
  EXPECT_THAT(findings, Contains(HasSubstr("a second process runs no compiler with raw (first 22 ms, "
                                           "then 0.8 ms) and nvcc (build 410 ms, then 1.2 ms).")));
  EXPECT_THAT(findings, Contains(HasSubstr(
                            "a second process runs the compiler again with nvrtc (build 20 ms, then 19.8 "
                            "ms).")));
}

TEST(Findings, NameACacheBelowTheRowOnlyWhereTheRangesAreApart) {
  Record record = lesson();
  RowResult& warm = record.passes[1].rows[0];
  warm.build_ms = Sampled{9, 8, 10, 3};
  EXPECT_THAT(work_out_findings(record), Contains(HasSubstr("a cache below the row kept it")));
  warm.build_ms = Sampled{9, 8, 30, 3};
  EXPECT_THAT(work_out_findings(record), Each(Not(HasSubstr("a cache below the row kept it"))));
  warm.build_ms = Sampled{9, 9, 9, 1};
  EXPECT_THAT(work_out_findings(record), Each(Not(HasSubstr("a cache below the row kept it"))));
}

TEST(Findings, SayThatNoRowDiffersByMoreThanTheNoise) {
  EXPECT_THAT(work_out_findings(lesson()),
              Contains(HasSubstr("no row differs from nvrtc by more than the noise; 95% intervals of the "
                                 "per-round ratios, corrected for 2 rows.")));
}

TEST(Findings, NameTheRowsThatDifferByMoreThanTheNoise) {
  Record record = lesson();
  RowResult& nvcc = record.passes[1].rows[2];
  nvcc.mean_ms = 0.0169 * 1.03;
  for (Round& round : nvcc.rounds) round.mean_ms *= 1.03;
  EXPECT_THAT(work_out_findings(record),
              Contains(HasSubstr(
                  "more than the noise, against nvrtc: nvcc takes 1.030 times as long (1.030 to 1.030)")));
  for (Round& round : nvcc.rounds) round.mean_ms *= 2;
  EXPECT_THAT(work_out_findings(record),
              Contains(HasSubstr("nvcc takes 2.060 times as long (2.060 to 2.060)")));
}

TEST(Findings, SayWhenThereAreTooFewRounds) {
  Record record = lesson();
  for (RowResult& row : record.passes[1].rows) row.rounds.resize(5);
  EXPECT_THAT(work_out_findings(record),
              Contains(HasSubstr("too few rounds to tell that from noise (5 of at least 7).")));
}

TEST(Findings, SayWhichRowsTheLauncherHoldsBack) {
  Record record = lesson();
  RowResult& raw = record.passes[1].rows[1];
  raw.host_bound = true;
  raw.launch_us = 15.0;
  EXPECT_THAT(
      work_out_findings(record),
      Contains(HasSubstr("the launching, not the kernel, sets the pace of raw (a call takes 15 us of the "
                         "host's time, a launch 16.9 us).")));
}

TEST(Pace, IsTheHostsOnlyWhereTheKernelIsFasterAndTheDeviceDidNotLag) {
  EXPECT_EQ(pace_of(2.7, 0.0169, 0.0168), Pace::kernel);
  EXPECT_EQ(pace_of(56.8, 0.0609, 0.0175), Pace::host);
  EXPECT_EQ(pace_of(55.6, 0.0463, 0.0173), Pace::host) << "a call may be measured a little longer";
  EXPECT_EQ(pace_of(14, 0.0150, 0.0148), Pace::kernel) << "the kernel takes as long by itself";
  EXPECT_EQ(pace_of(14, 0.0150, std::nullopt), Pace::host) << "nothing says otherwise";
  EXPECT_EQ(pace_of(13, 0.005, 0.0049), Pace::queued);
  EXPECT_EQ(pace_of(13, 0.005, 0.001), Pace::queued);
}

TEST(Pace, WorkOutsideOfTheEventsGrowsWithTheLaunchesAndAWaitDoesNot) {
  EXPECT_FALSE(seems_uncovered({64, 20}, 10, 5));
  EXPECT_TRUE(seems_uncovered({64, 800}, 10, 5));
  EXPECT_TRUE(is_uncovered({64, 800}, {8, 810}, 10, 5));
  EXPECT_TRUE(is_uncovered({64, 800}, {8, 600}, 10, 5));
  EXPECT_FALSE(is_uncovered({64, 800}, {8, 6400}, 10, 5)) << "51 ms, whatever the batch";
  EXPECT_FALSE(is_uncovered({64, 800}, {8, 12}, 10, 5)) << "gone the second time";
  EXPECT_FALSE(is_uncovered({64, 800}, {8, 810}, 700, 5)) << "the events say so now too";
}

TEST(Findings, SayWhichLaunchesWereQueuedFirst) {
  Record record = lesson();
  RowResult& raw = record.passes[1].rows[1];
  raw.launch_us = 40;
  EXPECT_THAT(
      work_out_findings(record),
      Contains(HasSubstr("the launches of raw (a call takes 40 us of the host's time, a launch 16.9 us) were "
                         "queued before the device began: their mean is not the launching's pace.")));
  EXPECT_THAT(work_out_findings(record), Each(Not(HasSubstr("sets the pace"))));
}

TEST(Findings, HoldTheCheckRowAgainstItsTwin) {
  Record record = lesson();
  RowResult self = matching_row("self", 20, 0.3, 0.0169);
  self.twin = "nvrtc";
  record.passes[1].rows.push_back(self);
  EXPECT_THAT(work_out_findings(record),
              Contains(HasSubstr(
                  "nvrtc runs the same on memory of its own as on the shared buffers, within the noise "
                  "(1.000 times as long, 95% interval 1.000 to 1.000).")));
  for (Round& round : record.passes[1].rows[3].rounds) round.mean_ms *= 0.9;
  EXPECT_THAT(
      work_out_findings(record),
      Contains(HasSubstr("nvrtc does not run the same on memory of its own as on the shared buffers")));
}

TEST(Findings, NameTheOptionThatExplainsDifferingBits) {
  EXPECT_THAT(
      work_out_findings(contraction()),
      Contains(HasSubstr("under --fp default these differ from the reference: nvrtc in 1234 elements by at "
                         "most 1 ulp and nvcc in 1234 elements by at most 1 ulp; the rows that differ may "
                         "contract a * b + c into one fma, which rounds once (nvrtc and nvcc: no "
                         "--fmad=false), the others may not (clang: -ffp-contract=off).")));
}

TEST(Findings, ExplainNothingThatTheOptionsDoNotSeparate) {
  Record record = contraction();
  for (PassResult& pass : record.passes)
    pass.rows[2].options = {"-O3"};  // clang may contract too, and matches
  EXPECT_THAT(
      work_out_findings(record),
      Contains(HasSubstr("no option that was passed separates them from the rows that do not differ.")));
}

TEST(Findings, LeaveOpenWhatNoMatchingRowConfirms) {
  Record record = contraction();
  for (PassResult& pass : record.passes) pass.rows.pop_back();
  EXPECT_THAT(work_out_findings(record),
              Contains(HasSubstr("and the reference may not; --fp strict tells whether that is all.")));
}

TEST(Findings, DoNotBlameOptionsUnderTheStrictContractOrForIntegers) {
  Record strict = contraction();
  strict.settings.fp = "strict";
  EXPECT_THAT(work_out_findings(strict), Each(Not(HasSubstr("fma"))));
  Record integers = contraction();
  integers.job.arguments[2].element.kind = ElementType::Kind::unsigned_integer;
  EXPECT_THAT(work_out_findings(integers), Each(Not(HasSubstr("fma"))));
}

TEST(Findings, AreNoneForARunWithoutFigures) {
  Record record = gpu_record();
  add_passes(record, [](const std::string&) {
    return std::vector<RowResult>{
        row_without_figures("nvcc", Status::skipped, "nvcc not found: looked in PATH")};
  });
  EXPECT_TRUE(work_out_findings(record).empty());
}

TEST(FloatOptions, ReadEverySpellingOfNvidiasContractionSwitch) {
  RowResult row;
  row.compiler = "nvcc 13.0.88";
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--fmad=false"}, {"-fmad=false"}, {"-fmad", "false"}, {"--use_fast_math", "--fmad=false"}}) {
    row.options = options;
    EXPECT_FALSE(may_contract(row)->allowed) << options[0];
  }
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{}, {"--fmad=true"}, {"--fmad=false", "--fmad=true"}}) {
    row.options = options;
    EXPECT_TRUE(may_contract(row)->allowed);
  }
  row.options = {};
  EXPECT_EQ(may_contract(row)->option, "no --fmad=false");
}

TEST(FloatOptions, ReadThoseOfLibNvvmAndOfClangWhereItCompilesIr) {
  RowResult row;
  row.compiler = "libNVVM 2.0";
  row.options = {"-arch=compute_90"};
  EXPECT_TRUE(may_contract(row)->allowed);
  EXPECT_EQ(may_contract(row)->option, "no -fma=0");
  row.options = {"-arch=compute_90", "-fma=0", "-ftz=0"};
  EXPECT_FALSE(may_contract(row)->allowed);
  EXPECT_EQ(may_contract(row)->option, "-fma=0");
  row.compiler = "clang 19.1.7";
  row.options = {"-cc1", "-mllvm", "-nvptx-fma-level=2"};
  EXPECT_TRUE(may_contract(row)->allowed);
  row.options = {"-cc1", "-mllvm", "-nvptx-fma-level=0"};
  EXPECT_FALSE(may_contract(row)->allowed);
}

TEST(FloatOptions, ReadClangsAndKnowNothingOfOthers) {
  RowResult row;
  row.compiler = "clang 19.1.7";
  EXPECT_TRUE(may_contract(row)->allowed);
  EXPECT_EQ(may_contract(row)->option, "no -ffp-contract=off");
  row.options = {"-ffp-contract=off"};
  EXPECT_FALSE(may_contract(row)->allowed);
  row.options = {"-ffp-contract=fast"};
  EXPECT_TRUE(may_contract(row)->allowed);
  row.compiler = "numba-cuda 0.20";
  EXPECT_FALSE(may_contract(row).has_value());
}

TEST(FloatOptions, TellFlushingFromContraction) {
  RowResult flushing, exact;
  flushing.row = "cupy";
  exact.row = "nvrtc";
  flushing.compiler = exact.compiler = "NVRTC 13.0";
  flushing.options = {"-ftz=true", "--fmad=false"};
  exact.options = {"--fmad=false"};
  EXPECT_EQ(explain_by_options({&flushing}, {&exact}),
            "the rows that differ may flush subnormal numbers to zero (cupy: --ftz=true), the others may not "
            "(nvrtc: no --ftz=true)");
}

void clock_at(Record& record, int low_mhz, int high_mhz) {
  int turn = 0;
  for (PassResult& pass : record.passes)
    for (RowResult& row : pass.rows)
      for (Round& round : row.rounds) {
        round.sm_mhz = turn++ % 2 == 0 ? low_mhz : high_mhz;
        round.memory_mhz = 3201;
      }
}

TEST(Findings, SayHowTheClocksRanAndWhatHeldThemBack) {
  Record record = lesson();
  EXPECT_THAT(work_out_findings(record), Each(Not(HasSubstr("MHz"))));

  clock_at(record, 1980, 1980);
  EXPECT_THAT(
      work_out_findings(record),
      Contains(HasSubstr("the multiprocessors ran at 1980 MHz in all 180 turns, held back by nothing")));

  clock_at(record, 1410, 1980);
  record.passes.back().rows[1].rounds[7].slowed_by = {"power cap"};
  record.passes.back().rows[1].rounds[8].slowed_by = {"power cap", "heat"};
  EXPECT_THAT(
      work_out_findings(record),
      Contains(HasSubstr("the multiprocessors ran at 1410 to 1980 MHz; throttled in 2 of 180 turns by "
                         "power cap and heat")));

  record.passes.back().retaken = 2;
  EXPECT_THAT(work_out_findings(record),
              Contains(HasSubstr(
                  "1980 MHz; 2 rounds in which something held them back were taken again; throttled")));
}

TEST(Rounds, AreRetakenWhereSomethingHeldTheClocksBackButNotForEver) {
  Record record = lesson();
  PassResult& pass = record.passes.back();
  EXPECT_FALSE(worth_retaking(pass, 30));
  pass.rows[1].rounds.back().slowed_by = {"heat"};
  EXPECT_TRUE(worth_retaking(pass, 30));
  pass.rows[1].status = Status::wrong;  // its times count for nothing
  EXPECT_FALSE(worth_retaking(pass, 30));
  pass.rows[1].status = Status::ok;
  pass.retaken = 9;
  EXPECT_TRUE(worth_retaking(pass, 30));
  pass.retaken = 10;
  EXPECT_FALSE(worth_retaking(pass, 30));
}

/// contraction() without the row that does not contract, and so far from the reference.
Record all_contract(std::optional<std::uint64_t> max_ulp) {
  Record record = contraction();
  for (PassResult& pass : record.passes) {
    pass.rows.pop_back();
    for (RowResult& row : pass.rows) row.differences[0].max_ulp = row.late_differences[0].max_ulp = max_ulp;
  }
  return record;
}

TEST(Findings, BlameContractionForWhatRoundingCanDo) {
  EXPECT_THAT(work_out_findings(all_contract(64)),
              Contains(HasSubstr(
                  "every row may contract a * b + c into one fma, which rounds once (nvrtc and nvcc: no "
                  "--fmad=false), and the reference may not; --fp strict tells whether that is all")));
}

TEST(Findings, DoNotBlameContractionForWhatIsFarOff) {
  const auto findings = work_out_findings(all_contract(1073656124));
  EXPECT_THAT(findings, Each(Not(HasSubstr("may contract"))));
  EXPECT_THAT(findings,
              Contains(HasSubstr("by at most 1073656124 ulp; so far apart that rounding explains it only "
                                 "where nearly equal numbers are subtracted; --fp strict tells")));
}

TEST(Findings, BlameNoOptionForANaNAgainstANumber) {
  for (Record record : {all_contract(std::nullopt), contraction()}) {
    for (PassResult& pass : record.passes) pass.rows[0].differences[0].max_ulp = std::nullopt;
    const auto findings = work_out_findings(record);
    EXPECT_THAT(findings, Each(Not(HasSubstr("may contract"))));
    EXPECT_THAT(findings, Contains(HasSubstr("no option that was passed ")));
  }
}

TEST(Judging, NothingThatWasLaunchedSettlesNoClaim) {
  Record record = lesson();
  record.job.empty = true;
  judge(record, {{"t", "max(mean_ms) < 1", {}, 1}});
  ASSERT_EQ(record.claims.size(), 1u);
  EXPECT_EQ(record.claims[0].verdict, Verdict::undecided);
  EXPECT_EQ(record.claims[0].figures, "nothing was launched");
  EXPECT_TRUE(record.findings.empty());
}

}  // namespace
}  // namespace tare::compare
