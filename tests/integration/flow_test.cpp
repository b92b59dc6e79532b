// The ordinary course of a comparison: passes, samples, isolated caches, figures, sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> what_of(const json& events) {
  std::vector<std::string> all;
  for (const json& event : events) all.push_back(event["what"]);
  return all;
}

TEST(Flow, TheBuiltInCaseMatchesBitForBitInEveryPass) {
  Scratch scratch;
  const Ran ran = compare(scratch, {"--rows", "clang,self"});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  std::vector<std::string> names;
  for (const json& pass : ran.record["passes"]) {
    names.push_back(pass["name"]);
    for (const json& row : pass["rows"]) {
      EXPECT_EQ(row["status"], "ok") << row["reason"];
      EXPECT_EQ(row["bits"]["equal"], true);
      EXPECT_EQ(row["bits"]["differing"], 0);
    }
  }
  EXPECT_THAT(names, ElementsAre("rehearsal", "cold", "warm"));
  EXPECT_EQ(ran.record["case"]["values"]["n"], 4194915);
}

TEST(Flow, ARowHasEveryPhaseAndItsEventsInOrder) {
  Scratch scratch;
  const Ran ran = compare(scratch, {"--n", "100000", "--rows", "clang", "--samples", "2", "--rounds", "4"});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  for (const char* const pass : {"cold", "warm"}) {
    const json& row = row_of(ran.record, pass, "clang");
    EXPECT_EQ(row["samples"].size(), 2u);
    EXPECT_EQ(row["rounds"].size(), 4u);
    EXPECT_EQ(row["rounds"][0]["launches"], 10);
    for (const char* const figure : {"start_ms", "build_ms", "first_ms"}) {
      EXPECT_GT(row[figure]["median"].get<double>(), 0) << figure;
      EXPECT_EQ(row[figure]["count"], 2) << figure;
    }
    for (const char* const figure : {"launch_us", "mean_ms", "kernel_ms"})
      EXPECT_GT(row[figure].get<double>(), 0) << figure;
    EXPECT_THAT(what_of(row["events"]),
                ElementsAre("imported", "opened", "compiler", "load", "build", "first"));
    double before = 0;
    for (const json& event : row["events"]) {
      EXPECT_GE(event["t_ms"].get<double>(), before);
      before = event["t_ms"];
    }
    EXPECT_THAT(row["compiler"].get<std::string>(), HasSubstr("clang"));
    EXPECT_FALSE(row["options"].empty());
  }
}

TEST(Flow, TheLaunchAfterTheL2WasOverwrittenIsTimedWhereItIsAskedFor) {
  Scratch scratch;
  const std::vector<std::string> arguments{"--n", "10000", "--rows", "clang,self", "--rounds", "2"};
  const Ran without = compare(scratch, arguments);
  EXPECT_TRUE(row_of(without.record, "warm", "clang")["cold_l2_ms"].is_null());
  EXPECT_THAT(without.out, Not(HasSubstr("cold L2")));
  std::vector<std::string> asked = arguments;
  asked.push_back("--cold-l2");
  const Ran ran = compare(scratch, asked);
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.record["settings"]["cold_l2"], true);
  if (ran.record["machine"]["l2_bytes"] == 0)
    GTEST_SKIP() << "the system does not say how large the processor's last cache is";
  for (const char* const row : {"clang", "self"})
    EXPECT_GT(row_of(ran.record, "warm", row)["cold_l2_ms"].get<double>(), 0) << row;
  EXPECT_THAT(ran.out, HasSubstr("cold L2 ms (cpu)"));
}

TEST(Flow, TheRehearsalHasOneSampleAndNoSteadyState) {
  Scratch scratch;
  const Ran ran = compare(scratch, {"--n", "1000", "--rows", "clang", "--samples", "2"});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  const json& row = row_of(ran.record, "rehearsal", "clang");
  EXPECT_EQ(row["samples"].size(), 1u);
  EXPECT_TRUE(row["rounds"].empty());
  EXPECT_TRUE(row["mean_ms"].is_null());
}

TEST(Flow, CachesAreIsolatedAndTheWarmPassFindsTheColdOnes) {
  Scratch scratch;
  const Ran ran =
      compare(scratch, {"--n", "1000", "--rows", "clang,self", "--samples", "2"},
              {{"HOME", scratch.path() / "my home"}, {"CUDA_CACHE_PATH", scratch.path() / "mine"}});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  std::set<std::string> homes;
  for (const char* const row : {"clang", "self"}) {
    const json& cold = row_of(ran.record, "cold", row)["environment"];
    const json& warm = row_of(ran.record, "warm", row)["environment"];
    EXPECT_EQ(cold["HOME"], warm["HOME"]);
    EXPECT_NE(cold["HOME"], row_of(ran.record, "rehearsal", row)["environment"]["HOME"]);
    homes.insert(cold["HOME"].get<std::string>());
    for (const char* const variable : {"CUDA_CACHE_PATH", "CUPY_CACHE_DIR", "NUMBA_CACHE_DIR",
                                       "PYCUDA_CACHE_DIR", "XDG_CACHE_HOME", "TARE_CACHE_DIR", "TMPDIR"})
      EXPECT_THAT(cold[variable].get<std::string>(), HasSubstr(cold["HOME"].get<std::string>())) << variable;
    EXPECT_EQ(cold["PYTHONNOUSERSITE"], "1");
    EXPECT_EQ(cold["PYTHONDONTWRITEBYTECODE"], "1");
    EXPECT_THAT(
        row_of(ran.record, "cold", row)["cache"]["details"]["files in CUDA_CACHE_PATH"].get<std::string>(),
        ::testing::StartsWith("0 before"));
  }
  EXPECT_EQ(homes.size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "my home"));
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "mine"));
}

TEST(Flow, NothingOfTheCallersPythonOrPreloadReachesAWorker) {
  Scratch scratch;
  const Ran ran =
      compare(scratch, {"--n", "1000", "--rows", "environment"},
              {{"TARE_ROWS_DIR", data("workers")}, {"PYTHONPATH", "/nonexistent"}, {"MY_OWN", "1"}});
  const std::string seen = row_of(ran.record, "cold", "environment")["stderr_tail"];
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(seen, "PYTHONPATH unset\nMY_OWN unset\nrow's own: yes\nopen descriptors: 0 1 2 3 4");
}

class Sizes : public ::testing::TestWithParam<int> {};

TEST_P(Sizes, OfAnyKindMatch) {
  Scratch scratch;
  const Ran ran = compare(scratch, {"--n", std::to_string(GetParam()), "--rows", "clang,self"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(row_of(ran.record, "cold", "clang")["bits"]["equal"], true);
}

INSTANTIATE_TEST_SUITE_P(Flow, Sizes, ::testing::Values(1, 255, 256, 257));

TEST(Flow, NothingToLaunchIsSaidAndIsNoFailure) {
  Scratch scratch;
  const Ran ran = compare(scratch, {"--n", "0", "--rows", "clang,self"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  const json& row = row_of(ran.record, "cold", "clang");
  EXPECT_EQ(row["status"], "ok");
  EXPECT_EQ(row["reason"], "nothing to launch: the launch covers 0 threads");
  EXPECT_TRUE(row["bits"].is_null());
  EXPECT_TRUE(row["build_ms"].is_null());
}

TEST(Flow, MoreThanTheMemoryIsRefusedBeforeAnythingIsStarted) {
  Scratch scratch;
  const Ran ran = compare(scratch, {"--n", "100000000000", "--rows", "clang"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(ran.record.is_null());
  EXPECT_THAT(ran.err, HasSubstr("the case needs 1200000000000 bytes (1117.6 GiB) of device memory, "));
  EXPECT_THAT(ran.err, HasSubstr(" are available"));
}

TEST(Flow, AnUnknownRowIsNamedWithTheNearestOne) {
  Scratch scratch;
  const Ran ran = compare(scratch, {"--rows", "clnag"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("unknown row `clnag`; did you mean `clang`?"));
}

TEST(Flow, TheOrderOfTheTableIsThatOfTheRows) {
  Scratch scratch;
  const Ran ran = compare(scratch, {"--n", "0"});
  std::vector<std::string> rows;
  for (const json& row : ran.record["passes"][0]["rows"]) rows.push_back(row["row"]);
  EXPECT_THAT(rows, ElementsAre("nvrtc", "nvrtc-fast", "raw", "jit", "jit-cached", "nvcc", "clang", "aot",
                                "cuda.core", "cupy", "numba", "numba-cached", "numba-mlir", "pycuda",
                                "cupy-array", "cupy-array-out", "self"));
}

TEST(Flow, TheCheckRowRepeatsItsTwinOnMemoryOfItsOwn) {
  Scratch scratch;
  const Ran ran = compare(scratch, {"--n", "5000", "--rows", "clang,self"},
                          {{"TARE_TOOLKIT_SEARCH", "explicit"}, {"TARE_CLANG", find_clang()}});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  const json& row = row_of(ran.record, "cold", "self");
  EXPECT_EQ(row["twin"], "clang");
  EXPECT_EQ(row["title"], "check: clang once more, on memory of its own");
  EXPECT_EQ(row["compiler"], row_of(ran.record, "cold", "clang")["compiler"]);
}

TEST(Flow, WhereIpcIsRefusedEveryWorkerHasMemoryOfItsOwn) {
  Scratch scratch;
  const Ran ran =
      compare(scratch, {"--n", "5000", "--rows", "clang,no_ipc"}, {{"TARE_ROWS_DIR", data("workers")}});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(row_of(ran.record, "cold", "no_ipc")["bits"]["equal"], true);
  EXPECT_EQ(row_of(ran.record, "cold", "clang")["bits"]["equal"], true);
  EXPECT_EQ(ran.record["machine"]["ipc"], false);
  EXPECT_EQ(ran.record["machine"]["ipc_note"],
            "IPC was refused (my library cannot open handles): each worker had device memory of its own");
}

class Example : public ::testing::TestWithParam<const char*> {};

TEST_P(Example, MatchesItsReference) {
  Scratch scratch;
  const std::string name = GetParam();
  const Ran ran = compare(scratch, {TARE_SOURCE_DIR "/examples/" + name + "/" + name + ".toml", "--rows",
                                    "clang,jit,self", "--fp", "strict"});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(row_of(ran.record, "warm", "clang")["bits"]["equal"], true);
  EXPECT_EQ(row_of(ran.record, "warm", "clang")["bits"]["late_outputs"][0]["equal"], true);
  EXPECT_EQ(row_of(ran.record, "warm", "jit")["bits"]["equal"], true);
  EXPECT_EQ(row_of(ran.record, "warm", "jit")["bits"]["late_outputs"][0]["equal"], true);
}

INSTANTIATE_TEST_SUITE_P(Flow, Example,
                         ::testing::Values("vector_add", "saxpy", "contraction", "block_sum", "hash",
                                           "stencil"));

class KeptOnDisk : public ::testing::TestWithParam<const char*> {};

TEST_P(KeptOnDisk, TheSecondProcessCompilesNothing) {
  const std::string row = GetParam();
  if (const std::string reason = why_not(row); !reason.empty()) GTEST_SKIP() << reason;
  Scratch scratch;
  const Ran ran = compare(scratch, {"--n", "5000", "--rows", row, "--samples", "2"});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(row_of(ran.record, "cold", row)["cache"]["compiles"], 1);
  EXPECT_EQ(row_of(ran.record, "cold", row)["cache"]["result"], "miss");
  EXPECT_EQ(row_of(ran.record, "warm", row)["cache"]["compiles"], 0);
  EXPECT_EQ(row_of(ran.record, "warm", row)["cache"]["result"], "hit");
}

INSTANTIATE_TEST_SUITE_P(Flow, KeptOnDisk, ::testing::Values("raw", "nvcc"));

TEST(Flow, PrebuiltPtxIsLoadedInsteadOfCompiling) {
  Scratch scratch;
  const Ran ran = compare(
      scratch, {"--n", "5000", "--rows", "clang", "--prebuilt", "clang=" + data("workers/vector_add.ptx")});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  const json& row = row_of(ran.record, "cold", "clang");
  EXPECT_EQ(row["compiler"], "prebuilt PTX");
  EXPECT_EQ(row["compiler_path"], data("workers/vector_add.ptx"));
  EXPECT_EQ(row["cache"]["compiles"], 0);
}

}  // namespace
}  // namespace tare::test
