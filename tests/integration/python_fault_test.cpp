// Python libraries that are not as they should be: each is one line at its row, and the others go on. The
// libraries are stand-ins (tests/data/python/fakes), the workers are the real ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class PythonFault : public ::testing::Test {
 protected:
  // The row beside one that works, so that every test also shows that the others go on. `fault` is one of
  // tests/data/python/fakes/misbehave.py, or one that a stand-in looks for itself; empty: none.
  const json& row(const std::string& fault, const std::string& n = "4099",
                  const std::string& worker = "cuda_core_row.py\"") {
    write_row(fault, worker);
    std::vector<std::string> arguments{"--n", n, "--rows", "clang,fake", "--python", "fake=python3"};
    arguments.insert(arguments.end(), more_.begin(), more_.end());
    ran_ = compare(scratch_, arguments, {{"TARE_ROWS_DIR", rows_.path()}});
    EXPECT_EQ(row_of(ran_.record, "cold", "clang")["status"], "ok");
    EXPECT_EQ(row_of(ran_.record, "warm", "clang")["status"], "ok");
    EXPECT_THAT(scratch_.left_behind(), IsEmpty());
    return row_of(ran_.record, "cold", "fake");
  }
  std::string reason(const std::string& fault) { return row(fault)["reason"]; }
  std::string detail(const std::string& fault, const std::string& n = "4099") {
    return row(fault, n)["detail"];
  }
  // Is right, whatever its library does.
  void goes_on(const std::string& fault) {
    const json& result = row(fault);
    EXPECT_EQ(ran_.code, 0);
    EXPECT_EQ(result["status"], "ok") << result["reason"];
    EXPECT_EQ(result["bits"]["equal"], true);
  }
  void write_row(const std::string& fault, const std::string& worker) {
    std::ofstream(rows_.path() / "fake.toml")
        << "order = 800\nworker = [\"{python}\", \"{workers}/" << worker << "]\n"
        << "[python]\nenvironment = \"fake\"\n"
        << "[environment]\nPYTHONPATH = \"" << data(fault == "missing" ? "python/none" : "python/fakes")
        << "\"\nFAULT = \"" << fault << "\"\n";
  }
  Scratch scratch_, rows_;
  std::vector<std::string> more_;  // arguments
  Ran ran_;
};

TEST_F(PythonFault, AStandInWithoutOneMatches) {
  const json& works = row("");
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
  const json& cold = row("", "4099", "cupy_row.py\"");
  EXPECT_EQ(cold["status"], "ok") << cold["reason"];
  EXPECT_EQ(cold["bits"]["equal"], true);
  EXPECT_EQ(cold["options"], json({"-ftz=true"})) << "what the library adds is part of what it passes";
  EXPECT_EQ(cold["cache"]["result"], "miss");
  EXPECT_EQ(cold["cache"]["compiles"], 1);
  const json& warm = row_of(ran_.record, "warm", "fake");
  EXPECT_EQ(warm["cache"]["result"], "hit");
  EXPECT_EQ(warm["cache"]["compiles"], 0);
  EXPECT_EQ(warm["cache"]["details"]["CUPY_CACHE_DIR"], "1 files before, 0 new");
}

TEST_F(PythonFault, AMissingLibraryIsSkippedWithTheInterpreterThatLacksIt) {
  const json& missing = row("missing");
  EXPECT_EQ(ran_.code, 0);
  EXPECT_EQ(missing["status"], "skipped");
  EXPECT_THAT(missing["reason"].get<std::string>(), MatchesRegex("/.*python3.* has no cuda-core"));
}

TEST_F(PythonFault, ALibraryThatIsTooOldIsSkippedWithBothVersions) {
  const json& old = row("old");
  EXPECT_EQ(old["status"], "skipped");
  EXPECT_EQ(old["reason"], "cuda-core 0.3.0 is too old: this row needs 0.5 or newer");
}

TEST_F(PythonFault, AnImportThatBreaksShowsTheTracebacksLastLine) {
  const json& broken = row("broken");
  EXPECT_EQ(ran_.code, 1);
  EXPECT_EQ(broken["status"], "failed");
  EXPECT_EQ(broken["reason"],
            "ImportError: libnvrtc.so.12: cannot open shared object file: No such file or directory");
  EXPECT_THAT(broken["detail"].get<std::string>(), HasSubstr("misbehave(\"import\")"));
}

TEST_F(PythonFault, AnErrorOfSeveralLinesIsItsFirstOneAndTheRestIsKept) {
  const json& raises = row("raises");
  EXPECT_EQ(raises["status"], "failed");
  EXPECT_EQ(raises["reason"], "ValueError: the compiler said no");
  EXPECT_THAT(raises["detail"].get<std::string>(), HasSubstr("and why"));
}

TEST_F(PythonFault, ALibraryThatIsKilledNamesTheSignal) {
  EXPECT_EQ(row("killed")["reason"], "its worker was killed by SIGKILL during `build`");
  EXPECT_EQ(ran_.code, 1);
}

TEST_F(PythonFault, WhatALibraryPrintsNeverReachesTheProtocol) {
  const json& prints = row("prints");
  EXPECT_EQ(ran_.code, 0);
  EXPECT_EQ(prints["status"], "ok") << prints["reason"];
  EXPECT_EQ(prints["bits"]["equal"], true);
}

TEST_F(PythonFault, ALibraryThatHangsEndsAtTheTimeLimit) {
  more_ = {"--timeout", "3"};
  EXPECT_EQ(reason("hangs"), "its worker did not answer `hello` within 3 s");
}

TEST_F(PythonFault, AnInterruptWhileALibraryCompilesLeavesNothing) {
  write_row("hangs while it compiles", "cuda_core_row.py\"");
  const auto compiling = [&] {
    for (const auto& file : std::filesystem::recursive_directory_iterator(scratch_.path()))
      if (file.path().filename() == "compiling") return true;
    return false;
  };
  const Ran ran = run_tare(scratch_, {"compare", "--n", "4099", "--rows", "fake", "--python", "fake=python3"},
                           {{"TARE_ROWS_DIR", rows_.path()}}, [&](pid_t pid) {
                             EXPECT_TRUE(eventually(compiling));
                             kill(pid, SIGINT);
                           });
  EXPECT_EQ(ran.code, 130);
  EXPECT_THAT(processes_with(rows_.path()), IsEmpty());
  EXPECT_THAT(scratch_.left_behind(), IsEmpty());
}

TEST_F(PythonFault, ALibraryThatEndsTheProcessSaysHow) {
  EXPECT_EQ(reason("exits"), "SystemExit: 3");
  EXPECT_EQ(reason("exits hard"), "its worker exited with code 5 during `build`");
  EXPECT_EQ(reason("is interrupted"), "KeyboardInterrupt");
}

TEST_F(PythonFault, AMistakeInPythonIsToldBeforeItsPlace) {
  EXPECT_EQ(reason("has a mistake"), "SyntaxError: '(' was never closed (library.py, line 1)");
}

TEST_F(PythonFault, AMessageThatIsNoTextIsShownAllTheSame) {
  EXPECT_EQ(reason("raises no text"), "ValueError: caf? cannot be compiled");
}

TEST_F(PythonFault, ATimeThatIsNoNumberIsNoFigure) {
  EXPECT_EQ(reason("no number"), "cuda.core says that nan ms passed between two events");
  EXPECT_EQ(reason("time runs backwards"), "cuda.core says that -1.0 ms passed between two events");
}

TEST_F(PythonFault, WhatALibraryDoesToItsProcessDoesNotMatter) {
  for (const std::string fault : {"floods", "replaces its streams", "moves away", "crashes at exit"}) {
    SCOPED_TRACE(fault);
    goes_on(fault);
  }
}

TEST_F(PythonFault, AChildThatALibraryLeavesGoesWithItsWorker) {
  goes_on("leaves a child");
  EXPECT_THAT(processes_with(scratch_.path()), IsEmpty());
}

TEST_F(PythonFault, WhatLeftItsSessionGoesWithItsWorkerToo) {
  goes_on("leaves sessions");
  EXPECT_THAT(processes_with(scratch_.path()), IsEmpty());
  EXPECT_THAT(processes_with("4321.0625"), IsEmpty());
}

TEST_F(PythonFault, WhatLeftItsSessionGoesWithAKilledOwner) {
  write_row("leaves sessions and hangs", "cuda_core_row.py\"");
  const auto hangs = [&] {
    for (const auto& file : std::filesystem::recursive_directory_iterator(scratch_.path()))
      if (file.path().filename() == "compiling") return true;
    return false;
  };
  const Ran ran = run_tare(scratch_, {"compare", "--n", "4099", "--rows", "fake", "--python", "fake=python3"},
                           {{"TARE_ROWS_DIR", rows_.path()}}, [&](pid_t pid) {
                             EXPECT_TRUE(eventually(hangs));
                             kill(pid, SIGKILL);
                           });
  EXPECT_EQ(ran.signal, SIGKILL);
  EXPECT_TRUE(eventually(
      [&] { return processes_with(scratch_.path()).empty() && processes_with("4321.0625").empty(); }));
}

TEST_F(PythonFault, AForkedChildIsRefusedByTheDriverAndTheParentGoesOn) {
  goes_on("forks");
  EXPECT_THAT(std::string(row_of(ran_.record, "cold", "fake")["stderr_tail"]),
              HasSubstr("in the child: cuCtxSynchronize answered 3"));
}

TEST_F(PythonFault, AnotherContextLeftCurrentIsSaid) {
  EXPECT_EQ(row("context")["status"], "failed");
  EXPECT_EQ(reason("context"), "cuda.core has left a context that is not the primary one current");
  EXPECT_EQ(reason("pops"), "cuda.core has left no context current");
}

TEST_F(PythonFault, ALauncherThatWaitsForTheDeviceIsFlaggedAndHasNoKernelTime) {
  const std::string told = detail("blocks");
  EXPECT_THAT(
      told, HasSubstr("no kernel_ms: its launches did not return within 2 s while the stream was held back"));
  EXPECT_TRUE(row_of(ran_.record, "cold", "fake")["kernel_ms"].is_null());
}

TEST_F(PythonFault, ALibraryWhoseEventsAreReadTooEarlyFails) {
  // Large enough that the launches are still running when the second event has been recorded.
  const json& early = row("reads events too early", "16000003");
  EXPECT_EQ(early["reason"], "RuntimeError: cuEventElapsedTime answered 600");
}

TEST_F(PythonFault, ACompileWithinTheTimedLaunchesIsSaid) {
  const std::string told = row("compiles again", "4099", "cupy_row.py\"")["detail"];
  EXPECT_THAT(told, MatchesRegex(
                        "fake compiled [0-9]+ more time.s. between its first launch and the end of the timed "
                        "ones: its steady state contains compiling"))
      << "once, whatever the number of rounds";
}

TEST_F(PythonFault, CodeThatIsNewerThanTheDriverIsRefusedByIt) {
  EXPECT_EQ(reason("newer than the driver"), "RuntimeError: cuModuleLoadData answered 222");
}

TEST_F(PythonFault, LaunchesOnAnotherStreamAreSaid) {
  // Large enough that the work is long beside the events that do not cover it, and beside a busy host's
  // launching.
  for (const std::string fault : {"stream", "default stream"}) {
    const json& stream = row(fault, "8000003");
    EXPECT_EQ(stream["bits"]["equal"], true) << fault;
    EXPECT_THAT(stream["detail"].get<std::string>(), HasSubstr("its device time does not cover its launches"))
        << fault;
  }
}

TEST_F(PythonFault, ALauncherThatDoesNothingIsCaughtByThePoison) {
  const json& nothing = row("nothing");
  EXPECT_EQ(ran_.code, 1);
  EXPECT_EQ(nothing["status"], "wrong");
  EXPECT_EQ(nothing["bits"]["differing"], 4099);
  EXPECT_THAT(nothing["bits"]["got"].get<std::string>(), HasSubstr("0xffffffff"));
}

class PythonArrays : public PythonFault {
 protected:
  static constexpr const char* kArray = "cupy_array_row.py\", \"cupy-array\"";
  static constexpr const char* kArrayOut = "cupy_array_row.py\", \"cupy-array-out\"";
};

TEST_F(PythonArrays, AResultOfTheLibrarysOwnIsCollectedAndCompared) {
  const json& array = row("", "4099", kArray);
  EXPECT_EQ(ran_.code, 0);
  EXPECT_EQ(array["status"], "ok") << array["reason"];
  EXPECT_EQ(array["bits"]["equal"], true);
  EXPECT_EQ(array["bits"]["late_outputs"][0]["equal"], true);
}

TEST_F(PythonArrays, AResultThatNobodyComputedIsCaughtByThePoisonInTheLibrarysPool) {
  const json& nothing = row("nothing", "4099", kArray);
  EXPECT_EQ(nothing["status"], "wrong");
  EXPECT_EQ(nothing["bits"]["differing"], 4099);
  EXPECT_THAT(nothing["bits"]["got"].get<std::string>(), HasSubstr("0xffffffff"));
}

TEST_F(PythonArrays, AnOutArgumentIsTheOwnersBuffer) {
  const json& out = row("", "4099", kArrayOut);
  EXPECT_EQ(out["status"], "ok") << out["reason"];
  EXPECT_EQ(out["bits"]["equal"], true);
}

TEST_F(PythonArrays, ACaseThatNamesNoExpressionIsSkipped) {
  more_ = {TARE_SOURCE_DIR "/examples/hash/hash.toml"};
  EXPECT_EQ(row("", "4099", kArray)["reason"],
            "this case does not say which array expression its kernel is ([kernel] array)");
}

}  // namespace
}  // namespace tare::test
