// The printed report, as golden files, and the pieces it is laid out with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "compare/report/text.hpp"
#include "unit/compare/report/golden.hpp"
#include "unit/compare/report/records.hpp"

namespace tare::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace tare::compare::testing;

std::vector<Claim> lesson_claims() {
  return {
      {"every way gives the same bits", "bits.differing == 0", {}, 1},
      {"the wrappers do not change steady-state throughput", "max(mean_ms) / min(mean_ms) <= 1.05", {}, 2},
      {"only the deferred way gets faster in a second process",
       "warm.first_ms < cold.first_ms / 3",
       {"raw", "cupy"},
       3},
      {"compiling takes no time", "cold.build_ms < 1", {"nvrtc"}, 4}};
}

std::vector<RowResult> three_rows(const std::string& pass) {
  const bool cold = pass == "cold";
  RowResult nvrtc = matching_row("nvrtc", cold ? 21.4 : 20.8, 0.31, 0.0169);
  RowResult raw = matching_row("raw", 0.002, cold ? 22.7 : 0.84, 0.0168);
  RowResult nvcc = matching_row("nvcc", cold ? 1411.2 : 1.31, 0.29, 0.0170);
  compiles_in(nvrtc, "build");
  compiles_in(raw, "first");
  compiles_in(nvcc, "build");
  if (!cold) {
    raw.cache = {"hit", 0, {}};
    nvcc.cache = {"hit", 0, {}};
  }
  return {nvrtc, raw, nvcc};
}

std::string rendered(Record record, const std::vector<Claim>& claims = {}, unsigned width = 120,
                     bool colour = false) {
  judge(record, claims);
  return render(record, colour, width);
}

TEST(RenderGolden, EveryRowMatches) {
  Record record = gpu_record();
  add_passes(record, three_rows);
  expect_golden("table_ok.txt", rendered(record, lesson_claims()));
}

TEST(RenderGolden, RowsThatAreWrongFailedAndSkipped) {
  Record record = gpu_record();
  add_passes(record, [](const std::string& pass) {
    std::vector<RowResult> rows = three_rows(pass);
    rows[0].status = Status::wrong;
    rows[0].differences = {differing_output(611, 4194304, "nan (0xffffffff)", "2.5 (0x40200000)")};
    rows[0].late_differences = rows[0].differences;
    rows[1].status = Status::wrong;
    rows[1].late_differences = {differing_output(1, 0, "2.50000024 (0x40200001)", "2.5 (0x40200000)", 1)};
    rows[2] = row_without_figures("nvcc", Status::failed, "nvcc refused the source");
    rows[2].detail =
        "vector_add.cu(12): error: identifier \"blockIxd\" is undefined\n"
        "      const size_t i = blockIxd.x * blockDim.x + threadIdx.x;\n"
        "                       ^\n\n1 error detected in the compilation of \"vector_add.cu\".\n";
    rows.push_back(row_without_figures(
        "clang", Status::skipped,
        "clang not found: looked in TARE_CLANG (not set), PATH, /usr/lib/llvm-19/bin, /usr/local/bin"));
    return rows;
  });
  expect_golden("table_wrong_failed_skipped.txt", rendered(record, lesson_claims()));
}

TEST(RenderGolden, HostBoundL2AndAbovePeak) {
  Record record = gpu_record();
  add_passes(record, [](const std::string& pass) {
    std::vector<RowResult> rows = three_rows(pass);
    rows[0].gb_label = "L2";
    rows[1].host_bound = true;
    rows[1].launch_us = 15.2;
    rows[1].kernel_ms = 0.0035;
    rows[1].gb_per_s.reset();
    rows[2].gb_label = "above peak";
    rows[2].gb_per_s = 5123.4;
    return rows;
  });
  expect_golden("table_host_bound_l2_peak.txt", rendered(record));
}

TEST(RenderGolden, TheCpuDeviceIsNamedInTheHeadsAndInOneLine) {
  Record record = cpu_record();
  add_passes(record, [](const std::string& pass) {
    std::vector<RowResult> rows = three_rows(pass);
    for (RowResult& row : rows) {
      *row.mean_ms *= 200;
      *row.kernel_ms *= 200;
      *row.gb_per_s /= 200;
      for (Round& round : row.rounds) round.mean_ms *= 200;
    }
    rows.push_back(row_without_figures("aot", Status::skipped, "needs a GPU"));
    return rows;
  });
  const std::string text = rendered(record);
  EXPECT_THAT(text, HasSubstr("mean ms (cpu)"));
  EXPECT_THAT(text, HasSubstr("--rows clang needs none of it."));
  expect_golden("table_cpu.txt", text);
}

TEST(RenderGolden, ManyRowsWithLongNamesInANarrowTerminal) {
  Record record = gpu_record();
  record.machine.ipc = false;
  record.machine.ipc_note = "the driver refuses IPC handles, so every worker has buffers of its own";
  add_passes(record, [](const std::string& pass) {
    std::vector<RowResult> rows = three_rows(pass);
    for (int i = 0; i < 14; ++i)
      rows.push_back(
          matching_row("a-launcher-of-someone-elses-" + std::to_string(i), 100.0 * i, 0.01 * i, 0.0169));
    return rows;
  });
  expect_golden("table_many_rows_narrow.txt", rendered(record, lesson_claims(), 80));
}

TEST(RenderGolden, ColourPaintsVerdictsAndStatesOnly) {
  Record record = gpu_record();
  add_passes(record, [](const std::string& pass) {
    std::vector<RowResult> rows = three_rows(pass);
    rows[0].status = Status::wrong;
    rows[0].differences = {differing_output(611, 4194304, "nan (0xffffffff)", "2.5 (0x40200000)")};
    rows.push_back(row_without_figures("clang", Status::skipped, "clang not found: looked in PATH"));
    return rows;
  });
  expect_golden("table_colour.txt", rendered(record, lesson_claims(), 120, true));
}

TEST(Render, OneCompilersLogIsPrintedOnceForAllRows) {
  Record record = gpu_record();
  add_passes(record, [](const std::string&) {
    std::vector<RowResult> rows;
    for (const char* name : {"nvrtc", "nvrtc-fast", "raw", "nvcc"}) {
      rows.push_back(row_without_figures(name, Status::failed, "cannot compile k.cu"));
      rows.back().detail = std::string(name) == "nvcc" ? "another log" : "k.cu(1): error: the log";
    }
    return rows;
  });
  const std::string text = rendered(record);
  EXPECT_THAT(text, HasSubstr("\nnvrtc, nvrtc-fast and raw:\n    k.cu(1): error: the log\n"));
  EXPECT_THAT(text, HasSubstr("\nnvcc:\n    another log\n"));
  EXPECT_EQ(text.find("the log"), text.rfind("the log"));
}

TEST(Render, WhereACompilerWasLookedForIsPrintedOnceBelow) {
  const std::string places =
      "NVRTC not found: looked in TARE_NVRTC (not set), CUDA_PATH (not set), PATH (nothing)";
  Record record = gpu_record();
  add_passes(record, [&](const std::string& pass) {
    std::vector<RowResult> rows = three_rows(pass);
    for (const char* name : {"array", "self"})
      rows.push_back(row_without_figures(name, Status::skipped, places));
    return rows;
  });
  const std::string text = rendered(record);
  EXPECT_THAT(text, HasSubstr("skipped: NVRTC not found in the places named below\n"));
  EXPECT_EQ(text.find("TARE_NVRTC"), text.rfind("TARE_NVRTC"));
  EXPECT_GT(text.find("\nNVRTC not found: looked in TARE_NVRTC"), text.find("warm:"));
}

TEST(Render, AHintStandsUnderTheDifferenceThatItExplains) {
  Record record = gpu_record();
  add_passes(record, [](const std::string& pass) {
    std::vector<RowResult> rows = three_rows(pass);
    rows[0].status = Status::wrong;
    rows[0].late_differences = {differing_output(1, 0, "2 (0x00000002)", "1 (0x00000001)")};
    rows[0].late_differences[0].hint = "it adds up";
    return rows;
  });
  EXPECT_THAT(rendered(record), HasSubstr("1 of 4194915 differ\n    hint: it adds up\n"));
}

TEST(Render, ARowThatWasHeldAgainstItselfIsNotSaidToMatch) {
  Record record = gpu_record();
  record.reference = "out as row nvrtc gave it";
  add_passes(record, [](const std::string&) {
    std::vector<RowResult> rows{matching_row("nvrtc", 20, 0.3, 0.0169),
                                matching_row("self", 20, 0.3, 0.0169)};
    rows[1].twin = "nvrtc";
    for (RowResult& row : rows) row.differences[0].giver = row.late_differences[0].giver = "nvrtc";
    rows.push_back(row_without_figures("clang", Status::skipped, "needs more"));
    return rows;
  });
  EXPECT_THAT(rendered(record), HasSubstr("\nChecks: nvrtc and self were only held against what they gave "
                                          "themselves: there is no reference, and "
                                          "no other row ran; skipped: clang\n"));
  for (PassResult& pass : record.passes)
    for (RowResult& row : pass.rows)
      for (auto* differences : {&row.differences, &row.late_differences})
        for (Difference& difference : *differences) difference.giver.clear();
  EXPECT_THAT(rendered(record), HasSubstr("\nChecks: 2 rows match; skipped: clang\n"));
}

TEST(Render, TheBitsNameTheFartherOfTheTwoComparisons) {
  Record record = gpu_record();
  add_passes(record, [](const std::string&) {
    std::vector<RowResult> rows{matching_row("nvrtc", 20, 0.3, 0.0169)};
    rows[0].differences[0].max_ulp = 1;
    rows[0].late_differences[0].max_ulp = 3;
    return rows;
  });
  EXPECT_THAT(rendered(record), HasSubstr("within 3 ulp"));
}

TEST(Render, ARowThatDiffersByItsOwnDoingIsWrongWithoutAReferenceToo) {
  Record record = gpu_record();
  add_passes(record, [](const std::string&) {
    std::vector<RowResult> rows{matching_row("nvrtc", 20, 0.3, 0.0169), matching_row("raw", 20, 0.3, 0.0169)};
    for (RowResult& row : rows) {
      row.differences[0].giver = "nvrtc";
      row.late_differences = {differing_output(1, 0, "2 (0x40000000)", "1 (0x3f800000)")};
      row.late_differences[0].giver = "nvrtc";
      row.status = Status::wrong;
    }
    rows[0].late_differences[0].hint = "it adds up";
    return rows;
  });
  const std::string text = rendered(record);
  EXPECT_THAT(text,
              HasSubstr("wrong after the timed launches: out[0]: got 2 (0x40000000), it gave first 1 "));
  EXPECT_THAT(
      text,
      HasSubstr("differs from nvrtc after the timed launches: out[0]: got 2 (0x40000000), nvrtc gave 1 "));
  EXPECT_THAT(
      text,
      HasSubstr("\nChecks: no row matches; wrong: nvrtc; differing from nvrtc: raw (either may be wrong)\n"));
}

TEST(Render, ValuesHaveTheOrderOfTheCase) {
  Record record = gpu_record();
  record.job.values = {{"h", 771}, {"w", 1025}, {"a", 1}};
  record.job.value_names = {"w", "h"};
  EXPECT_THAT(rendered(record), HasSubstr("values     w = 1,025, h = 771, a = 1\n"));
}

TEST(Render, ColourChangesNothingButColour) {
  Record record = gpu_record();
  add_passes(record, three_rows);
  std::string painted = rendered(record, lesson_claims(), 100, true);
  const std::string plain = rendered(record, lesson_claims(), 100, false);
  EXPECT_THAT(plain, Not(HasSubstr("\033")));
  for (std::size_t at; (at = painted.find("\033[")) != std::string::npos;)
    painted.erase(at, painted.find('m', at) - at + 1);
  EXPECT_EQ(painted, plain);
}

TEST(Render, KeepsToTheWidthWhereOnlyTextIsTooLong) {
  Record record = gpu_record();
  add_passes(record, three_rows);
  const std::string text = rendered(record, lesson_claims(), 80);
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    EXPECT_LE(end - begin, 80u) << text.substr(begin, end - begin);
}

TEST(Render, SaysThatAnEmptyLaunchIsNone) {
  Record record = gpu_record();
  record.job.empty = true;
  record.job.values = {{"n", 0}};
  EXPECT_THAT(rendered(record),
              HasSubstr("launch     nothing: the launch covers no element, so nothing is launched"));
}

TEST(Render, DropsColumnsThatNoRowFills) {
  Record record = gpu_record();
  add_passes(record, [](const std::string& pass) {
    std::vector<RowResult> rows = three_rows(pass);
    if (pass == "cold")
      for (RowResult& row : rows) row.mean_ms = row.kernel_ms = row.gb_per_s = row.launch_us = std::nullopt;
    return rows;
  });
  const std::string text = rendered(record);
  const std::string cold = text.substr(0, text.find("warm:"));
  EXPECT_THAT(cold, Not(HasSubstr("mean ms")));
  EXPECT_THAT(text.substr(cold.size()), HasSubstr("mean ms"));
}

TEST(Render, PrintsWhatTheRecordSaysOfAWrongRowWithoutDifferences) {
  Record record = gpu_record();
  add_passes(record, [](const std::string& pass) {
    std::vector<RowResult> rows = three_rows(pass);
    rows[0].status = Status::wrong;
    rows[0].differences.clear();
    rows[0].late_differences.clear();
    rows[0].reason = "the rows do not agree";
    return rows;
  });
  EXPECT_THAT(rendered(record), HasSubstr("wrong: the rows do not agree\n"));
}

TEST(ExitCode, FollowsTheWorstThatHappened) {
  const auto with = [](std::vector<RowResult> rows) {
    Record record = gpu_record();
    record.passes = {{"cold", rows}, {"warm", rows}};
    return exit_code(record);
  };
  const RowResult good = matching_row("raw", 1, 1, 1);
  const RowResult skipped = row_without_figures("nvcc", Status::skipped, "nvcc not found");
  EXPECT_EQ(with({good, skipped}), kAllMatched);
  EXPECT_EQ(with({good, row_without_figures("nvcc", Status::failed, "it died")}), kWrongOrFailed);
  EXPECT_EQ(with({good, row_without_figures("nvcc", Status::wrong, "")}), kWrongOrFailed);
  EXPECT_EQ(with({row_without_figures("nvcc", Status::failed, "it died")}), kWrongOrFailed);
  const RowResult loose = row_without_figures("numba", Status::incomparable, "");
  EXPECT_EQ(with({good, loose}), kAllMatched);
  EXPECT_EQ(with({loose, skipped}), kNothingRan);
  EXPECT_EQ(with({skipped}), kNothingRan);
  EXPECT_EQ(with({}), kNothingRan);
}

TEST(Text, FixedNeverPrintsASmallFigureAsZero) {
  EXPECT_EQ(fixed(1.005, 2), "1.00");
  EXPECT_EQ(fixed(0.0049, 2), "<0.01");
  EXPECT_EQ(fixed(0.005001, 2), "0.01");
  EXPECT_EQ(fixed(0, 2), "0.00");
  EXPECT_EQ(fixed(-0.25, 1), "-0.2");
  EXPECT_EQ(fixed(1411.2, 0), "1411");
  EXPECT_EQ(fixed(std::numeric_limits<double>::quiet_NaN(), 2), "-");
}

TEST(Text, SignificantDigitsHaveNoExponentInTheUsualRange) {
  EXPECT_EQ(significant(1411.2, 3), "1410");
  EXPECT_EQ(significant(21.44, 3), "21.4");
  EXPECT_EQ(significant(0.0169, 3), "0.0169");
  EXPECT_EQ(significant(9.996, 3), "10");
  EXPECT_EQ(significant(611, 4), "611");
  EXPECT_EQ(significant(-0.25, 2), "-0.25");
  EXPECT_EQ(significant(0, 3), "0");
  EXPECT_EQ(significant(1234567, 4), "1235000");
  EXPECT_EQ(significant(std::numeric_limits<double>::infinity(), 3), "inf");
}

TEST(Text, GroupsDigitsByThree) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(4194915), "4,194,915");
  EXPECT_EQ(grouped(18446744073709551615u), "18,446,744,073,709,551,615");
}

TEST(Text, BytesAreInBinaryUnits) {
  EXPECT_EQ(binary_bytes(0), "0 bytes");
  EXPECT_EQ(binary_bytes(1023), "1023 bytes");
  EXPECT_EQ(binary_bytes(1536), "1.5 KiB");
  EXPECT_EQ(binary_bytes(60.0 * 1024 * 1024), "60.0 MiB");
}

TEST(Text, WrapsAtSpacesAndNeverInsideAWord) {
  EXPECT_EQ(wrapped("one two three", 7, 2, 0), "one two\n  three");
  EXPECT_EQ(wrapped("one two three", 0, 2, 0), "one two three");
  EXPECT_EQ(wrapped("averyveryverylongword and more", 10, 0, 0), "averyveryverylongword\nand more");
  EXPECT_EQ(wrapped("a b", 20, 4, 19), "a\n    b");
}

TEST(Text, IndentsEveryLineAndEndsTheLast) {
  EXPECT_EQ(indented("a\n\nb", 2), "  a\n\n  b\n");
  EXPECT_EQ(indented("a\n", 2), "  a\n");
  EXPECT_EQ(indented("", 2), "");
}

}  // namespace
}  // namespace tare::compare
