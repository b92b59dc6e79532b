// Python libraries that are not as they should be: each is one line at its row, and the others go on. The
// libraries are stand-ins (tests/data/python/fakes), the workers are the real ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class PythonFault : public ::testing::Test {
 protected:
  // The row beside one that works, so that every test also shows that the others go on.
  const json& row(const std::string& name, const std::string& n = "4099") {
    ran_ = compare(scratch_, {"--n", n, "--rows", "clang," + name, "--python", "fake=python3"},
                   {{"TARE_ROWS_DIR", data("python")}});
    EXPECT_EQ(row_of(ran_.record, "cold", "clang")["status"], "ok");
    EXPECT_EQ(row_of(ran_.record, "warm", "clang")["status"], "ok");
    EXPECT_THAT(scratch_.left_behind(), IsEmpty());
    return row_of(ran_.record, "cold", name);
  }
  Scratch scratch_;
  Ran ran_;
};

TEST_F(PythonFault, AStandInWithoutOneMatches) {
  const json& works = row("fake-works");
  EXPECT_EQ(ran_.code, 0);
  EXPECT_EQ(works["status"], "ok") << works["reason"];
  EXPECT_EQ(works["version"], "1.0.fake");
  EXPECT_EQ(works["bits"]["equal"], true);
  EXPECT_EQ(works["options"], json({"-arch=sm_90"}));
  EXPECT_EQ(works["libraries"]["numpy"], "0.fake");
  EXPECT_EQ(works["cache"]["compiles"], 1);
  EXPECT_TRUE(works["kernel_ms"].is_number()) << works["detail"];
}

TEST_F(PythonFault, AStandInForCuPyMatchesAndShowsItsOptionsAndItsCache) {
  const json& cold = row("fake-raw");
  EXPECT_EQ(cold["status"], "ok") << cold["reason"];
  EXPECT_EQ(cold["bits"]["equal"], true);
  EXPECT_EQ(cold["options"], json({"-ftz=true"})) << "what the library adds is part of what it passes";
  EXPECT_EQ(cold["cache"]["result"], "miss");
  EXPECT_EQ(cold["cache"]["compiles"], 1);
  const json& warm = row_of(ran_.record, "warm", "fake-raw");
  EXPECT_EQ(warm["cache"]["result"], "hit");
  EXPECT_EQ(warm["cache"]["compiles"], 0);
  EXPECT_EQ(warm["cache"]["details"]["CUPY_CACHE_DIR"], "1 files before, 0 new");
}

TEST_F(PythonFault, AMissingLibraryIsSkippedWithTheInterpreterThatLacksIt) {
  const json& missing = row("fake-missing");
  EXPECT_EQ(ran_.code, 0);
  EXPECT_EQ(missing["status"], "skipped");
  EXPECT_THAT(missing["reason"].get<std::string>(), MatchesRegex("/.*python3.* has no cuda-core"));
}

TEST_F(PythonFault, ALibraryThatIsTooOldIsSkippedWithBothVersions) {
  const json& old = row("fake-old");
  EXPECT_EQ(old["status"], "skipped");
  EXPECT_EQ(old["reason"], "cuda-core 0.3.0 is too old: this row needs 0.5 or newer");
}

TEST_F(PythonFault, AnImportThatBreaksShowsTheTracebacksLastLine) {
  const json& broken = row("fake-broken");
  EXPECT_EQ(ran_.code, 1);
  EXPECT_EQ(broken["status"], "failed");
  EXPECT_EQ(broken["reason"],
            "ImportError: libnvrtc.so.12: cannot open shared object file: No such file or directory");
  EXPECT_THAT(broken["detail"].get<std::string>(), HasSubstr("import cuda.core"));
}

TEST_F(PythonFault, AnErrorOfSeveralLinesIsItsFirstOneAndTheRestIsKept) {
  const json& raises = row("fake-raises");
  EXPECT_EQ(raises["status"], "failed");
  EXPECT_EQ(raises["reason"], "ValueError: the compiler said no");
  EXPECT_THAT(raises["detail"].get<std::string>(), HasSubstr("and why"));
}

TEST_F(PythonFault, ALibraryThatIsKilledNamesTheSignal) {
  EXPECT_EQ(row("fake-killed")["reason"], "its worker was killed by SIGKILL during `build`");
  EXPECT_EQ(ran_.code, 1);
}

TEST_F(PythonFault, WhatALibraryPrintsNeverReachesTheProtocol) {
  const json& prints = row("fake-prints");
  EXPECT_EQ(ran_.code, 0);
  EXPECT_EQ(prints["status"], "ok") << prints["reason"];
  EXPECT_EQ(prints["bits"]["equal"], true);
}

TEST_F(PythonFault, AnotherContextLeftCurrentIsSaid) {
  const json& context = row("fake-context");
  EXPECT_EQ(context["status"], "failed");
  EXPECT_EQ(context["reason"], "cuda.core has left a context that is not the primary one current");
}

TEST_F(PythonFault, LaunchesOnAnotherStreamAreSaid) {
  // Large enough that the work is long beside the events that do not cover it.
  const json& stream = row("fake-stream", "1000003");
  EXPECT_EQ(stream["bits"]["equal"], true);
  EXPECT_THAT(stream["detail"].get<std::string>(), HasSubstr("its device time does not cover its launches"));
}

TEST_F(PythonFault, ALauncherThatDoesNothingIsCaughtByThePoison) {
  const json& nothing = row("fake-nothing");
  EXPECT_EQ(ran_.code, 1);
  EXPECT_EQ(nothing["status"], "wrong");
  EXPECT_EQ(nothing["bits"]["differing"], 4099);
  EXPECT_THAT(nothing["bits"]["got"].get<std::string>(), HasSubstr("0xffffffff"));
}

class PythonArrays : public PythonFault {};

TEST_F(PythonArrays, AResultOfTheLibrarysOwnIsCollectedAndCompared) {
  const json& array = row("fake-array");
  EXPECT_EQ(ran_.code, 0);
  EXPECT_EQ(array["status"], "ok") << array["reason"];
  EXPECT_EQ(array["bits"]["equal"], true);
  EXPECT_EQ(array["bits"]["late_outputs"][0]["equal"], true);
}

TEST_F(PythonArrays, AResultThatNobodyComputedIsCaughtByThePoisonInTheLibrarysPool) {
  const json& nothing = row("fake-array-nothing");
  EXPECT_EQ(nothing["status"], "wrong");
  EXPECT_EQ(nothing["bits"]["differing"], 4099);
  EXPECT_THAT(nothing["bits"]["got"].get<std::string>(), HasSubstr("0xffffffff"));
}

TEST_F(PythonArrays, AnOutArgumentIsTheOwnersBuffer) {
  const json& out = row("fake-array-out");
  EXPECT_EQ(out["status"], "ok") << out["reason"];
  EXPECT_EQ(out["bits"]["equal"], true);
}

TEST_F(PythonArrays, ACaseThatNamesNoExpressionIsSkipped) {
  ran_ = compare(scratch_,
                 {TARE_SOURCE_DIR "/examples/hash/hash.toml", "--n", "4099", "--rows", "clang,fake-array",
                  "--python", "fake=python3"},
                 {{"TARE_ROWS_DIR", data("python")}});
  EXPECT_EQ(row_of(ran_.record, "cold", "fake-array")["reason"],
            "this case does not say which array expression its kernel is ([kernel] array)");
}

}  // namespace
}  // namespace tare::test
