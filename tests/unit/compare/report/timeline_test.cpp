// Time lines: drawn to scale, aligned, in ASCII where the locale is not one of UTF-8.
#include "compare/report/timeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/compare/report/golden.hpp"
#include "unit/compare/report/records.hpp"

namespace tare::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Record record_with_events() {
  Record record = testing::gpu_record();
  RowResult nvrtc = testing::matching_row("nvrtc", 20, 1, 0.0169),
            cupy = testing::matching_row("cupy", 0.1, 60, 0.017);
  testing::compiles_in(nvrtc, "build");
  cupy.samples.front().events = {{310.2, "imported"}, {420, "opened"}, {420.1, "build"},
                                 {480, "compiler"},   {482, "load"},   {483, "first"}};
  cupy.cache.compiles = 1;
  RowResult failed = testing::row_without_figures("numba", Status::failed, "it died");
  RowResult quiet = testing::matching_row("quiet", 1, 1, 1);
  record.passes = {{"cold", {nvrtc, cupy, failed, quiet}}};
  return record;
}

TEST(Timeline, GoldenAscii) {
  testing::expect_golden("timeline_ascii.txt", timeline(record_with_events(), 100, false, Painter{}));
}

TEST(Timeline, GoldenUtf8) {
  testing::expect_golden("timeline_utf8.txt", timeline(record_with_events(), 100, true, Painter{}));
}

TEST(Timeline, InAsciiHoldsNothingElse) {
  for (const char c : timeline(record_with_events(), 80, false, Painter{}))
    EXPECT_LT(static_cast<unsigned char>(c), 128);
}

TEST(Timeline, SaysWhereTheCompilerRan) {
  const std::string text = timeline(record_with_events(), 160, false, Painter{});
  EXPECT_THAT(text, HasSubstr("compiled 30.0 (in build)"));
  EXPECT_THAT(text, HasSubstr("compiled 480 (in first)"));
  EXPECT_THAT(text, HasSubstr("steady 0.0169 ms a launch"));
}

TEST(Timeline, LeavesOutRowsWithoutEventsAndItselfWithoutRows) {
  EXPECT_THAT(timeline(record_with_events(), 100, false, Painter{}), Not(HasSubstr("numba")));
  EXPECT_THAT(timeline(record_with_events(), 100, false, Painter{}), Not(HasSubstr("quiet")));
  EXPECT_THAT(timeline(testing::gpu_record(), 100, false, Painter{}), IsEmpty());
}

TEST(Timeline, IsPrintedOnlyIfAskedFor) {
  Record record = record_with_events();
  EXPECT_THAT(render(record, false, 100), Not(HasSubstr("time line")));
  EXPECT_THAT(render(record, false, 100, {.timeline = true}), HasSubstr("time line"));
}

TEST(FirstBoot, ShowsTheRehearsalsBuildBesideTheColdOneOnly) {
  Record record = testing::gpu_record();
  RowResult rehearsal = testing::matching_row("nvrtc", 181.5, 1, 0.0169);
  rehearsal.build_ms = Sampled{181.5, 181.5, 181.5, 1};
  RowResult cold = testing::matching_row("nvrtc", 20, 1, 0.0169);
  record.passes = {{"rehearsal", {rehearsal}}, {"cold", {cold}}, {"warm", {cold}}};
  EXPECT_THAT(render(record, false, 120), Not(HasSubstr("first boot")));
  const std::string text = render(record, false, 120, {.first_boot = true});
  EXPECT_THAT(text, HasSubstr("first boot ms  first ms"));
  EXPECT_THAT(text, HasSubstr("181.50"));
  EXPECT_EQ(text.find("181.50", text.find("warm: ")), std::string::npos);
  EXPECT_THAT(text, HasSubstr("It includes reading files"));
  EXPECT_THAT(text, HasSubstr("where it is not above build ms"));
}

}  // namespace
}  // namespace tare::compare
