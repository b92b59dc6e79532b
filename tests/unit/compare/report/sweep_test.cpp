// Sweeps: which sizes, the printed table with its crossings, and the JSON.
#include "compare/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/compare/report/golden.hpp"
#include "unit/compare/report/records.hpp"

namespace tare::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(SweepSizes, ArePowersOfTwoTimesTheFirstAndTheLast) {
  EXPECT_THAT(sweep_sizes(1024, 8192, 0), ElementsAre(1024, 2048, 4096, 8192));
  EXPECT_THAT(sweep_sizes(100, 500, 0), ElementsAre(100, 200, 400, 500));
  EXPECT_THAT(sweep_sizes(7, 7, 0), ElementsAre(7));
  EXPECT_THAT(sweep_sizes(std::int64_t{1} << 61, INT64_MAX, 0),
              ElementsAre(std::int64_t{1} << 61, std::int64_t{1} << 62, INT64_MAX));
}

TEST(SweepSizes, AreEvenlySpacedWherePointsAreAskedFor) {
  EXPECT_THAT(sweep_sizes(10, 1000, 3), ElementsAre(10, 100, 1000));
  EXPECT_THAT(sweep_sizes(1, 3, 9), ElementsAre(1, 2, 3));
}

/// nvrtc with 4 us a call, cupy with 16 us, both 12 ps an element; raw fails from 4,096 on.
Sweep by_hand() {
  Sweep sweep;
  for (std::int64_t n = 1024; n <= 64 << 20; n *= 2) {
    Record record = testing::gpu_record();
    record.job.values["n"] = n;
    record.job.moved_bytes = 12.0 * static_cast<double>(n);
    record.settings.samples = 1;
    const auto row = [&](const char* name, double per_call_ms) {
      RowResult result =
          testing::matching_row(name, 20, 1, std::max(per_call_ms, 1.2e-8 * static_cast<double>(n)));
      result.host_bound = n < (1 << 18);
      return result;
    };
    record.passes.push_back({"cold", {row("nvrtc", 0.004), row("cupy", 0.016)}});
    record.passes.back().rows.push_back(
        n < 4096 ? row("raw", 0.004) : testing::row_without_figures("raw", Status::failed, "it died"));
    record.passes.back().rows.push_back(testing::row_without_figures("aot", Status::skipped, "needs a GPU"));
    RowResult twin = row("self", 0.004);
    twin.twin = "nvrtc";
    record.passes.back().rows.push_back(twin);
    sweep.sizes.push_back({n, std::move(record)});
  }
  find_crossings(sweep);
  return sweep;
}

TEST(Sweep, NamesTheCrossingOfEveryMeasuredRowButTheCheckRow) {
  const Sweep sweep = by_hand();
  ASSERT_EQ(sweep.crossings.size(), 3u);
  EXPECT_EQ(sweep.crossings[0].row, "nvrtc");
  EXPECT_NEAR(sweep.crossings[0].crossing.n, 333333, 10000);
  EXPECT_EQ(sweep.crossings[0].bytes_per_element, 12);
  EXPECT_EQ(sweep.crossings[1].row, "cupy");
  EXPECT_NEAR(sweep.crossings[1].crossing.n, 1333333, 40000);
  EXPECT_EQ(sweep.crossings[2].row, "raw");
  EXPECT_EQ(sweep.crossings[2].crossing.reason, "2 sizes measured, at least 5 are needed");
  EXPECT_EQ(exit_code(sweep), kWrongOrFailed);
}

TEST(Sweep, ExplainsTheGlyphOnlyWhereItStandsInTheTable) {
  Sweep sweep = by_hand();
  EXPECT_THAT(render(sweep, false, 120), HasSubstr("h: host-bound"));
  for (SweepSize& size : sweep.sizes)
    for (RowResult& row : size.record.passes.front().rows) row.host_bound = false;
  EXPECT_THAT(render(sweep, false, 120), Not(HasSubstr("h: host-bound")));
}

TEST(Sweep, DoubtsARowWhoseTimeDoesNotGrowWithItsWork) {
  Sweep sweep = by_hand();
  EXPECT_THAT(sweep.doubts, IsEmpty());
  for (SweepSize& size : sweep.sizes)
    for (RowResult& row : size.record.passes.back().rows)
      if (row.row == "nvrtc") row.mean_ms = row.kernel_ms = 0.002;
  find_crossings(sweep);
  ASSERT_EQ(sweep.doubts.size(), 1u);
  EXPECT_THAT(sweep.doubts[0],
              StartsWith("nvrtc: its time does not grow with n (0.0020 ms at n = 1024, 0.0020 ms at "
                         "n = 67108864), though it moves 65536 times as much"));
  EXPECT_THAT(render(sweep, false, 120), HasSubstr("nvrtc: its time does not grow"));
}

/// Does it to the row at every size.
void for_row(Sweep& sweep, const std::string& name, const auto& change) {
  for (SweepSize& size : sweep.sizes)
    for (RowResult& row : size.record.passes.front().rows)
      if (row.row == name) change(row);
}

TEST(Sweep, ARowThatIsNotComparableIsNeitherSkippedNorMatching) {
  Sweep sweep = by_hand();
  for_row(sweep, "cupy", [](RowResult& row) {
    row.status = Status::incomparable;
    row.reason = "not comparable under --fp strict (cupy: it flushes): out[0] is 1, want 2";
  });
  const std::string text = render(sweep, false, 120);
  EXPECT_THAT(text, EndsWith("\nChecks: 2 rows match at all 17 sizes; not comparable: cupy; failed: raw; "
                             "skipped: aot\n"));
  EXPECT_THAT(text, HasSubstr("\ncupy at n = 1024: not comparable under --fp strict (cupy: it flushes)"));
}

TEST(Sweep, WithoutAReferenceRowsAgreeOrDiffer) {
  Sweep sweep = by_hand();
  for (const char* name : {"nvrtc", "self", "cupy", "raw"})
    for_row(sweep, name, [](RowResult& row) {
      for (auto* differences : {&row.differences, &row.late_differences})
        for (Difference& difference : *differences) difference.giver = "nvrtc";
    });
  EXPECT_THAT(render(sweep, false, 120),
              EndsWith("\nChecks: 3 rows agree with one another at all 17 sizes (there is no reference); "
                       "failed: raw; skipped: aot\n"));
  for_row(sweep, "cupy", [](RowResult& row) {
    row.status = Status::wrong;
    row.differences[0].equal = false;
    row.reason = "out[0] is 1, nvrtc gave 2";
  });
  const std::string text = render(sweep, false, 120);
  EXPECT_THAT(text, EndsWith("\nChecks: nvrtc and self were only held against what they gave themselves: "
                             "there is no reference; differing from nvrtc: cupy (either may be wrong); "
                             "failed: raw; skipped: aot\n"));
  EXPECT_THAT(text, HasSubstr("\ncupy differs at n = 1024: out[0] is 1, nvrtc gave 2\n"));
  EXPECT_THAT(text, HasSubstr("1,024  0.0040 h  differs "));
}

TEST(Sweep, GoldenTable) {
  testing::expect_golden("sweep.txt", render(by_hand(), false, 120));
}

TEST(Sweep, JsonHoldsSizesRowsAndCrossings) {
  const auto object = nlohmann::json::parse(to_json(by_hand()));
  EXPECT_EQ(object["schema"], "tare.sweep/1");
  EXPECT_EQ(object["machine"]["device"], "NVIDIA H200");
  EXPECT_FALSE(object.contains("passes"));
  ASSERT_EQ(object["sizes"].size(), 17u);
  EXPECT_EQ(object["sizes"][0]["n"], 1024);
  EXPECT_EQ(object["sizes"][0]["rows"][0]["row"], "nvrtc");
  EXPECT_EQ(object["sizes"][0]["rows"][0]["rounds_ms"].size(), 30u);
  EXPECT_EQ(object["crossings"][0]["verdict"], "decided");
  EXPECT_EQ(object["crossings"][0]["shape"], "max");
  EXPECT_EQ(object["crossings"][2]["verdict"], "undecided");
  EXPECT_TRUE(object["crossings"][2]["n"].is_null());
}

}  // namespace
}  // namespace tare::compare
