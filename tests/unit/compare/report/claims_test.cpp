// The language of claims: what parses, what it means, and when a claim is held, refuted or undecided.
#include "compare/report/claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/report/statistics.hpp"
#include "unit/compare/report/records.hpp"

namespace tare::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace tare::compare::testing;

/// nvrtc, raw and nvcc, of which raw and nvcc keep what they compiled; clang was skipped.
Record lesson() {
  Record record = gpu_record();
  add_passes(record, [](const std::string& pass) {
    const bool cold = pass == "cold";
    std::vector<RowResult> rows{matching_row("nvrtc", cold ? 20 : 19, 0.3, 0.0169),
                                matching_row("raw", 0.01, cold ? 22 : 0.8, 0.0168),
                                matching_row("nvcc", cold ? 410 : 1.2, 0.3, 0.0170)};
    rows.push_back(row_without_figures("clang", Status::skipped, "clang not found: looked in PATH"));
    return rows;
  });
  return record;
}

ClaimResult judged(const Record& record, const std::string& holds, std::vector<std::string> only = {}) {
  return judge_claim({"a claim", holds, std::move(only), 7}, record, 1);
}

Verdict verdict(const Record& record, const std::string& holds, std::vector<std::string> only = {}) {
  return judged(record, holds, std::move(only)).verdict;
}

std::string complaint(const std::string& holds, const std::vector<std::string>& only = {},
                      const std::vector<std::string>& known = {}) {
  try {
    check_claim({"a claim", holds, only, 7}, "my.toml", known);
  } catch (const CaseError& error) {
    return error.what();
  }
  return "";
}

RowResult& row_of(Record& record, const std::string& pass, const std::string& name) {
  for (PassResult& each : record.passes)
    for (RowResult& row : each.rows)
      if (each.name == pass && row.row == name) return row;
  throw std::runtime_error("no such row");
}

TEST(ClaimArithmetic, FollowsTheUsualPrecedence) {
  const Record record = lesson();
  for (const char* truth :
       {"1 + 2 * 3 == 7", "(1 + 2) * 3 == 9", "8 / 4 / 2 == 1", "2 - 3 - 4 == -5", "-2 * -3 == 6",
        "1e-3 < .5", "abs(2 - 5) == 3", "max(1, 4, 2) == 4", "min(3, 2) == 2", "sum(1, 2, 3) == 6",
        "median(9, 1, 2) == 2", "1 < 2 and 2 < 3", "1 > 2 or 2 < 3", "not 1 > 2", "not (1 > 2 and 1 < 2)",
        "1 > 2 and 1 < 2 or 3 == 3", "3 != 4", "2 >= 2", "2 <= 2"})
    EXPECT_EQ(verdict(record, truth), Verdict::held) << truth;
  EXPECT_EQ(verdict(record, "1 + 1 == 3"), Verdict::refuted);
  EXPECT_EQ(verdict(record, "1 / 0 > 0 / 0"), Verdict::undecided);
}

TEST(ClaimSyntax, MistakesAreCaseErrorsWithTheClaimsLineAndColumn) {
  EXPECT_EQ(complaint("max(mean_ms) / min(mean_ms) <= 1.05"), "");
  EXPECT_EQ(complaint("max(mean_ms"),
            "my.toml:7: claim `max(mean_ms`: `)` was expected, not the end (column 12)");
  EXPECT_EQ(complaint(""), "my.toml:7: claim ``: it is empty (column 1)");
  EXPECT_EQ(complaint("mean_ms"),
            "my.toml:7: claim `mean_ms`: it is a number, not a statement: compare it, as in `... <= 1.05` "
            "(column 1)");
  EXPECT_EQ(complaint("mean_sm < 1"),
            "my.toml:7: claim `mean_sm < 1`: no figure `mean_sm`; did you mean `mean_ms`? (column 1)");
  EXPECT_THAT(complaint("mean_ms = 1"), HasSubstr("write == for equality (column 9)"));
  EXPECT_THAT(complaint("1 < 2 < 3"), HasSubstr("one comparison at a time: join two with `and` (column 7)"));
  EXPECT_THAT(complaint("1 < 2 && 2 < 3"), HasSubstr("write `and` and `or`"));
  EXPECT_THAT(complaint("mean_ms < 1 and 3"), HasSubstr("`and` joins statements, and `3` is a number"));
  EXPECT_THAT(complaint("(1 < 2) + 1 == 2"), HasSubstr("`+` takes numbers, and `(1 < 2)` is a statement"));
  EXPECT_THAT(complaint("max(3) < 4"),
              HasSubstr("`max` goes over rows, and `3` is the same for all of them"));
  EXPECT_THAT(complaint("max(nvcc.mean_ms) < 4"), HasSubstr("goes over rows"));
  EXPECT_THAT(complaint("abs(1, 2) < 4"), HasSubstr("`abs` takes one argument"));
  EXPECT_THAT(complaint("mode(mean_ms) < 4"), HasSubstr("no function `mode`"));
  EXPECT_THAT(complaint("1 < 2 3"), HasSubstr("`3` was not expected here (column 7)"));
  EXPECT_THAT(complaint("1x < 2"), HasSubstr("this is not a number"));
  EXPECT_THAT(complaint("1 $ 2"), HasSubstr("the character `$` means nothing here"));
  EXPECT_THAT(complaint(std::string(100000, '(') + "1"), HasSubstr("nested too deeply"));
  EXPECT_THAT(complaint("1 < " + std::string(100000, '-') + "1"), HasSubstr("nested too deeply"));
}

TEST(ClaimSyntax, RowsThatDoNotExistAreNamedWithTheNearestThatDoes) {
  const std::vector<std::string> known{"nvrtc", "nvrtc-fast", "cuda.core", "raw"};
  EXPECT_EQ(complaint("nvrtc-fast.cold.build_ms < warm.cuda.core.build_ms", {"raw"}, known), "");
  EXPECT_THAT(complaint("nvrct.mean_ms < 1", {}, known), HasSubstr("no row `nvrct`; did you mean `nvrtc`?"));
  EXPECT_THAT(complaint("mean_ms < 1", {"row"}, known), HasSubstr("no row `row`; did you mean `raw`?"));
}

TEST(ClaimSyntax, AMinusSignInARowsNameIsNoSubtraction) {
  Record record = lesson();
  for (PassResult& pass : record.passes) pass.rows[1].row = "nvrtc-fast";
  EXPECT_EQ(verdict(record, "nvrtc-fast.mean_ms < 0.01685"), Verdict::held);
  EXPECT_EQ(verdict(record, "abs(nvcc.mean_ms-nvrtc-fast.mean_ms-0.0002) < 1e-6"), Verdict::held);
}

TEST(ClaimVerdict, SteadyFiguresWithoutPrefixAreTheWarmPasses) {
  Record record = lesson();
  row_of(record, "cold", "nvcc").mean_ms = 99;
  row_of(record, "cold", "nvcc").rounds.clear();
  const ClaimResult result = judged(record, "max(mean_ms) / min(mean_ms) <= 1.05");
  EXPECT_EQ(result.verdict, Verdict::held);
  EXPECT_THAT(result.figures, HasSubstr("max(mean_ms) / min(mean_ms) = 1.012"));
  EXPECT_THAT(result.figures, HasSubstr(", claimed <= 1.05"));
  EXPECT_THAT(result.figures, HasSubstr("left out: clang (skipped)"));
  EXPECT_EQ(verdict(record, "max(mean_ms) / min(mean_ms) <= 1.01"), Verdict::refuted);
  EXPECT_EQ(verdict(record, "max(cold.mean_ms) == 99"), Verdict::held);
}

TEST(ClaimVerdict, IsUndecidedWhereTheIntervalSpansTheBound) {
  Record record = lesson();
  RowResult& raw = row_of(record, "warm", "raw");
  for (std::size_t i = 0; i < raw.rounds.size(); ++i) raw.rounds[i].mean_ms = i % 2 == 0 ? 0.016 : 0.0176;
  const ClaimResult result = judged(record, "raw.mean_ms < nvrtc.mean_ms");
  EXPECT_EQ(result.verdict, Verdict::undecided);
  EXPECT_THAT(result.figures,
              HasSubstr("raw.mean_ms = 0.0168 ms (0.016 to 0.0176 ms), claimed < nvrtc.mean_ms = 0.0169 ms"));
}

TEST(ClaimVerdict, NoiseAloneRefutesNoClaimAboutExtremes) {
  const char* names[] = {"nvrtc", "nvrtc-fast", "raw", "nvcc", "clang", "aot"};
  int spread_wide = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Draws draws(seed);
    Record record = gpu_record();
    add_passes(record, [&](const std::string&) {
      std::vector<RowResult> rows;
      for (const char* name : names) {
        rows.push_back(matching_row(name, 20, 0.3, 1));
        std::vector<double> means;
        // One in three rounds is disturbed by neighbours; all rows have the same true mean.
        for (Round& round : rows.back().rounds) {
          round.mean_ms = 1 + 0.02 * static_cast<double>(draws.below(100)) / 100;
          if (draws.below(3) == 0) round.mean_ms += 0.3 * static_cast<double>(draws.below(100)) / 100;
          means.push_back(round.mean_ms);
        }
        rows.back().mean_ms = median(means);
      }
      return rows;
    });
    const ClaimResult result = judged(record, "max(mean_ms) / min(mean_ms) <= 1.002");
    EXPECT_NE(result.verdict, Verdict::refuted) << "seed " << seed << ": " << result.figures;
    double low = 2, high = 0;
    for (const RowResult& row : record.passes.back().rows) {
      low = std::min(low, *row.mean_ms);
      high = std::max(high, *row.mean_ms);
    }
    spread_wide += high / low > 1.005;
  }
  EXPECT_GT(spread_wide, 10) << "the bound is to be one that the medians miss";
}

TEST(ClaimVerdict, PairsTheRoundsOfAPass) {
  // Both rows swing by half, together: far more than the 1 % between them.
  Record record = lesson();
  for (const char* name : {"nvrtc", "raw"}) {
    RowResult& row = row_of(record, "warm", name);
    for (std::size_t i = 0; i < row.rounds.size(); ++i)
      row.rounds[i].mean_ms = (std::string(name) == "raw" ? 0.99 : 1.0) * (i % 2 == 0 ? 0.01 : 0.02);
    row.mean_ms = std::string(name) == "raw" ? 0.99 * 0.015 : 0.015;
  }
  EXPECT_EQ(verdict(record, "raw.mean_ms < nvrtc.mean_ms"), Verdict::held);
}

TEST(ClaimVerdict, AStatementOfEveryRowFailsByOne) {
  Record record = lesson();
  EXPECT_EQ(verdict(record, "bits.differing == 0"), Verdict::held);
  EXPECT_THAT(judged(record, "bits.differing == 0").figures,
              HasSubstr("cold and warm: holds for nvrtc, raw and nvcc (bits.differing = 0, claimed == 0); "
                        "not judged: clang (skipped)"));
  RowResult& nvcc = row_of(record, "warm", "nvcc");
  nvcc.status = Status::wrong;
  nvcc.late_differences = {differing_output(611, 4194304, "nan", "2.5")};
  EXPECT_EQ(verdict(record, "bits.differing == 0"), Verdict::refuted);
  EXPECT_EQ(verdict(record, "bits.equal == 1"), Verdict::refuted);
  EXPECT_EQ(verdict(record, "cold.bits.differing == 0"), Verdict::held);
  EXPECT_EQ(verdict(record, "bits.max_ulp <= 4"), Verdict::refuted);
  EXPECT_THAT(judged(record, "bits.differing == 0").figures,
              HasSubstr("does not hold for nvcc (bits.differing = 611, claimed == 0)"));
}

TEST(ClaimVerdict, OnlyMeansTheseRowsAndNoOther) {
  const Record record = lesson();
  EXPECT_EQ(verdict(record, "warm.first_ms < cold.first_ms / 3", {"raw"}), Verdict::held);
  EXPECT_EQ(verdict(record, "warm.build_ms < cold.build_ms / 3", {"raw"}), Verdict::refuted);  // nvcc's does
  EXPECT_EQ(verdict(record, "warm.build_ms < cold.build_ms / 3", {"nvcc"}), Verdict::held);
  EXPECT_EQ(verdict(record, "warm.first_ms < cold.first_ms / 3", {"raw", "nvrtc"}), Verdict::refuted);
  const ClaimResult result = judged(record, "warm.first_ms < cold.first_ms / 3", {"raw"});
  EXPECT_THAT(result.figures, HasSubstr("expected of raw and of no other row; holds for raw (warm.first_ms = "
                                        "0.8 ms, claimed < cold.first_ms / 3 = 7.333 ms)"));
}

TEST(ClaimVerdict, IsJudgedOnTheRowsThatRan) {
  const Record record = lesson();
  const ClaimResult result = judged(record, "warm.first_ms < cold.first_ms / 3", {"raw", "cupy"});
  EXPECT_EQ(result.verdict, Verdict::held);
  EXPECT_THAT(result.figures, HasSubstr("not judged: clang (skipped), cupy (not in this run)"));
  EXPECT_EQ(verdict(record, "warm.build_ms < cold.build_ms", {"cupy", "clang"}), Verdict::refuted);
}

TEST(ClaimVerdict, TellsWhereTheCompilerRanByTheEvents) {
  Record record = lesson();
  record.passes[0].rows.push_back(matching_row("nvrtc-fast", 20, 0.3, 0.0169));
  for (const char* name : {"nvrtc", "nvrtc-fast", "raw", "nvcc"}) {
    RowResult& row = row_of(record, "cold", name);
    const bool in_first = row.row == "raw", in_open = row.row == "nvrtc-fast";
    row.samples.assign(1, Sample{});
    row.samples[0].events = {{1, "imported"},
                             {20, "opened"},
                             {in_open    ? 15.0
                              : in_first ? 70.0
                                         : 40.0,
                              "compiler"},
                             {50, "build"},
                             {80, "first"}};
  }
  EXPECT_EQ(verdict(record, "cold.compiles_in_build == 1", {"nvrtc", "nvcc"}), Verdict::held);
  EXPECT_EQ(verdict(record, "cold.compiles_in_first == 1", {"raw"}), Verdict::held);
  EXPECT_EQ(verdict(record, "cold.compiles_in_build == 1", {"nvrtc", "nvcc", "nvrtc-fast"}),
            Verdict::refuted);
}

TEST(ClaimVerdict, IsUndecidedWhereNoRowThatItNeedsRan) {
  const Record record = lesson();
  EXPECT_EQ(verdict(record, "warm.first_ms < cold.first_ms / 3", {"cupy"}), Verdict::refuted);  // raw's does
  EXPECT_EQ(verdict(record, "warm.first_ms > cold.first_ms", {"cupy"}), Verdict::undecided);
  EXPECT_EQ(verdict(record, "clang.mean_ms < 1"), Verdict::undecided);
  EXPECT_THAT(judged(record, "clang.mean_ms < 1").figures, HasSubstr("clang: skipped"));
  // What refutes it already needs no more rows.
  EXPECT_EQ(verdict(record, "warm.build_ms < cold.build_ms / 3", {"raw", "cupy"}), Verdict::refuted);
}

TEST(ClaimVerdict, ARowThatFailedLeavesAStatementOfAllRowsOpen) {
  Record record = lesson();
  row_of(record, "warm", "nvcc") = row_without_figures("nvcc", Status::failed, "nvcc ended with code 1");
  EXPECT_EQ(verdict(record, "max(mean_ms) / min(mean_ms) <= 1.05"), Verdict::undecided);
  EXPECT_EQ(verdict(record, "max(mean_ms) / min(mean_ms) <= 1.001"), Verdict::refuted);
  EXPECT_EQ(verdict(record, "mean_ms < 1"), Verdict::undecided);
  EXPECT_EQ(verdict(record, "max(mean_ms) < 1", {"nvrtc", "raw"}), Verdict::held);
}

TEST(ClaimVerdict, SaysWhereAFunctionHadOneRowOnly) {
  EXPECT_THAT(judged(lesson(), "max(mean_ms) / min(mean_ms) <= 1.05", {"raw"}).figures,
              HasSubstr("max(mean_ms) / min(mean_ms) = 1, claimed <= 1.05; of raw alone"));
  EXPECT_THAT(judged(lesson(), "max(mean_ms) / min(mean_ms) <= 1.05").figures, Not(HasSubstr("alone")));
}

TEST(ClaimVerdict, WrongRowsHaveNoTimes) {
  Record record = lesson();
  RowResult& raw = row_of(record, "warm", "raw");
  raw.status = Status::wrong;
  raw.mean_ms = 1e-6;
  EXPECT_THAT(judged(record, "max(mean_ms) / min(mean_ms) <= 1.05").figures,
              HasSubstr("raw (its output is wrong, so its times do not count)"));
}

TEST(ClaimVerdict, PhasesWithoutPrefixMustHoldInBothPasses) {
  const Record record = lesson();
  EXPECT_EQ(verdict(record, "nvrtc.build_ms > nvrtc.first_ms"), Verdict::held);
  EXPECT_EQ(verdict(record, "nvcc.build_ms > 100"), Verdict::refuted);
  EXPECT_EQ(verdict(record, "cold.nvcc.build_ms > 100"), Verdict::held);
  EXPECT_THAT(judged(record, "nvcc.build_ms > 100").figures,
              HasSubstr("cold: nvcc.build_ms = 410 ms (393.6 to 426.4 ms), claimed > 100 ms"));
}

TEST(ClaimVerdict, AggregatesGoOverRowsAndMayBeMixedWithTheRowsOwnFigures) {
  const Record record = lesson();
  EXPECT_EQ(verdict(record, "count(mean_ms) == 3"), Verdict::held);
  EXPECT_EQ(verdict(record, "count(warm.first_ms < cold.first_ms / 3) == 1"), Verdict::held);
  EXPECT_EQ(verdict(record, "count(warm.first_ms < cold.first_ms / 3 or warm.build_ms < 2) == 2"),
            Verdict::held);
  EXPECT_EQ(verdict(record, "count(gb_per_s > 1e9) == 0"), Verdict::held);
  EXPECT_EQ(verdict(record, "median(mean_ms) == nvrtc.mean_ms"), Verdict::held);
  EXPECT_EQ(verdict(record, "abs(sum(launch_us) - 8.1) < 1e-9"), Verdict::held);
  EXPECT_EQ(verdict(record, "mean_ms <= 1.05 * min(mean_ms)"), Verdict::held);
  EXPECT_EQ(verdict(record, "mean_ms == max(mean_ms)", {"nvcc"}), Verdict::held);
  EXPECT_EQ(verdict(record, "max(mean_ms / kernel_ms) < 1.02"), Verdict::held);
}

TEST(ClaimVerdict, FiguresThatARowLacksAreSaid) {
  Record record = lesson();
  RowResult& raw = row_of(record, "warm", "raw");
  raw.gb_per_s.reset();
  raw.host_bound = true;
  EXPECT_THAT(judged(record, "min(gb_per_s) > 10").figures, HasSubstr("raw (host-bound, so no gb_per_s)"));
  EXPECT_EQ(verdict(record, "min(gb_per_s) > 10"), Verdict::held);
  row_of(record, "warm", "nvrtc").kernel_ms.reset();
  EXPECT_EQ(verdict(record, "nvrtc.kernel_ms > 0"), Verdict::undecided);
}

TEST(ClaimVerdict, AnUndecidedOneSaysWhy) {
  Record record = lesson();
  EXPECT_EQ(judged(record, "clang.mean_ms < 1").figures, "because clang: skipped");
  EXPECT_EQ(judged(record, "cupy.mean_ms < 1").figures, "because cupy: not in this run");
  EXPECT_THAT(
      judged(record, "warm.first_ms > cold.first_ms", {"cupy"}).figures,
      HasSubstr(
          "; none of the rows that it speaks of has the figures. expected of cupy and of no other row; "));
  EXPECT_THAT(judged(record, "1 / 0 > 0 / 0").figures, HasSubstr("has no value"));
  row_of(record, "warm", "nvcc") = row_without_figures("nvcc", Status::failed, "nvcc ended with code 1");
  EXPECT_THAT(judged(record, "max(mean_ms) < 1").figures,
              HasSubstr("because it speaks of all rows, and without figures is nvcc (failed). "));
  RowResult& raw = row_of(record, "warm", "raw");
  for (std::size_t i = 0; i < raw.rounds.size(); ++i) raw.rounds[i].mean_ms = i % 2 == 0 ? 0.016 : 0.0176;
  EXPECT_THAT(judged(record, "raw.mean_ms < nvrtc.mean_ms").figures,
              HasSubstr("because the interval of what was measured spans the bound. raw.mean_ms = "));
  record.passes.pop_back();
  EXPECT_THAT(judged(record, "mean_ms < 1").figures, HasSubstr("the warm pass was not run"));
}

TEST(ClaimVerdict, OneProcessOrRoundDecidesNothing) {
  Record record = lesson();
  for (PassResult& pass : record.passes)
    for (RowResult& row : pass.rows) row.samples.resize(std::min<std::size_t>(row.samples.size(), 1));
  const ClaimResult result = judged(record, "cold.nvcc.build_ms < 100");
  EXPECT_EQ(result.verdict, Verdict::undecided);
  EXPECT_EQ(
      result.figures,
      "because build_ms was measured in one process only (--quick, --samples). cold.nvcc.build_ms = 410 ms, "
      "claimed < 100 ms");
  EXPECT_EQ(verdict(record, "count(cold.build_ms < 100) == 2"), Verdict::undecided);
  // What was measured in many rounds or launches, and what the check found, is what it is.
  EXPECT_EQ(verdict(record, "max(mean_ms) / min(mean_ms) <= 1.05"), Verdict::held);
  EXPECT_EQ(verdict(record, "max(launch_us) < 3"), Verdict::held);
  EXPECT_EQ(verdict(record, "bits.differing == 0"), Verdict::held);
  for (RowResult& row : record.passes[1].rows) row.rounds.resize(std::min<std::size_t>(row.rounds.size(), 1));
  EXPECT_THAT(judged(record, "nvcc.mean_ms > 1").figures,
              HasSubstr("mean_ms was measured in one round only"));
}

TEST(ClaimVerdict, NoTimeHasAnIntervalBelowZero) {
  Record record = lesson();
  Draws draws(1);
  for (const char* name : {"nvrtc", "raw", "nvcc"})
    for (Round& round : row_of(record, "warm", name).rounds)
      round.mean_ms = draws.below(5) < 2 ? 0.09 : 0.0169;
  const std::string figures = judged(record, "max(mean_ms) / min(mean_ms) <= 1.005").figures;
  EXPECT_THAT(figures, HasSubstr("max(mean_ms) / min(mean_ms) = 1.012 (0 to "));
  EXPECT_THAT(figures, Not(HasSubstr("(-")));
}

TEST(ClaimVerdict, ARowThatCannotBeComparedIsLeftOutAndNotWaitedFor) {
  Record record = lesson();
  for (PassResult& pass : record.passes) pass.rows[1].status = Status::incomparable;
  const ClaimResult result = judged(record, "max(bits.differing) == 0");
  EXPECT_EQ(result.verdict, Verdict::held);
  EXPECT_THAT(result.figures, HasSubstr("raw (not comparable under --fp strict)"));
}

TEST(ClaimVerdict, TheCheckRowTakesNoPart) {
  Record record = lesson();
  for (PassResult& pass : record.passes) {
    RowResult self = matching_row("self", 20, 0.3, 5.0);
    self.twin = "nvrtc";
    pass.rows.push_back(self);
  }
  EXPECT_EQ(verdict(record, "max(mean_ms) / min(mean_ms) <= 1.05"), Verdict::held);
  EXPECT_THAT(judged(record, "mean_ms < 1").figures, Not(HasSubstr("self")));
}

TEST(ClaimVerdict, APassThatWasNotRunDecidesNothing) {
  Record record = lesson();
  record.passes.pop_back();
  EXPECT_EQ(verdict(record, "mean_ms < 1"), Verdict::undecided);
  EXPECT_EQ(verdict(record, "bits.differing == 0"), Verdict::undecided);
}

}  // namespace
}  // namespace tare::compare
