// The real Python libraries on the CPU device, in the environments that `tare rows install` makes or that are
// named (TARE_ROW_..._PYTHON). Where there is none, a test says why it is skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

class PythonRows : public ::testing::TestWithParam<std::string> {
 protected:
  /// Why the row cannot run; empty if it can.
  std::string missing(const std::string& row) {
    const Ran ran = run_tare(scratch_, {"rows", "--json"});
    for (const json& each : json::parse(ran.out))
      if (each["row"] == row) return each["ready"] == true ? "" : each["reason"].get<std::string>();
    return "there is no such row";
  }
  std::vector<std::string> events_of(const json& row) {
    std::vector<std::string> names;
    for (const json& event : row["events"]) names.push_back(event["what"]);
    return names;
  }
  Scratch scratch_;
};

#define SKIP_WITHOUT(row) \
  if (const std::string why = missing(row); !why.empty()) GTEST_SKIP() << row << ": " << why

// What scripts/python-rows has installed is used by the tests here, and not skipped by mistake.
TEST(PythonEnvironments, ThatTheBuildInstalledAreTheOnesThatAreTested) {
  const fs::path installed = TARE_BINARY_DIR "/data/rows";
  if (!fs::exists(installed)) GTEST_SKIP() << "none is there: PYTHON_ROWS=no, or they could not be installed";
  Scratch scratch;
  for (const char* const cuda : {"12", "13"}) {
    const Ran ran = run_tare(scratch, {"rows", "--json", "--cuda", cuda});
    for (const json& row : json::parse(ran.out))
      if (fs::exists(installed / (row["row"].get<std::string>() + "-cuda" + cuda))) {
        EXPECT_EQ(row["ready"], true) << row["row"] << ", CUDA " << cuda << ": " << row["reason"];
      }
  }
}

TEST_P(PythonRows, GivesTheReferencesBitsInBothPassesAndTellsWhatItDid) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  const Ran ran = compare(scratch_, {"--n", "100003", "--rows", row, "--cold-l2"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  for (const std::string pass : {"cold", "warm"}) {
    const json& result = row_of(ran.record, pass, row);
    EXPECT_EQ(result["status"], "ok") << result["reason"];
    EXPECT_EQ(result["bits"]["equal"], true);
    EXPECT_EQ(result["bits"]["late_outputs"][0]["equal"], true);
    EXPECT_TRUE(result["kernel_ms"].is_number()) << result["detail"];
    EXPECT_EQ(result["cold_l2_ms"].is_number(), ran.record["machine"]["l2_bytes"] > 0) << result["detail"];
    EXPECT_FALSE(result["version"].get<std::string>().empty());
    // What comes from a library's own cache needs no compiler.
    if (result["cache"]["compiles"] != 0) {
      EXPECT_TRUE(fs::exists(result["compiler_path"].get<std::string>())) << result["compiler_path"];
    }
    for (const std::string what : {"imported", "opened", "build", "load", "first"})
      EXPECT_THAT(events_of(result), Contains(what));
  }
  EXPECT_EQ(row_of(ran.record, "cold", row)["cache"]["compiles"], 1);
  EXPECT_THAT(events_of(row_of(ran.record, "cold", row)), Contains("compiler"));
}

TEST_P(PythonRows, TakesBlocksOfTwoDimensionsAndScalarsOfThirtyTwoBits) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  const Ran ran =
      compare(scratch_, {TARE_SOURCE_DIR "/examples/stencil/stencil.toml", "--rows", row, "--fp", "strict"});
  EXPECT_EQ(row_of(ran.record, "cold", row)["bits"]["equal"], true) << ran.out;
}

TEST_P(PythonRows, TakesDynamicSharedMemory) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  const Ran ran = compare(scratch_, {TARE_SOURCE_DIR "/examples/block_sum/block_sum.toml", "--rows", row});
  EXPECT_EQ(row_of(ran.record, "cold", row)["bits"]["equal"], true) << ran.out;
}

TEST_P(PythonRows, LeavesTheUsersOwnCachesAsTheyAre) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  const fs::path home = scratch_.path() / "home";
  const std::vector<std::string> files{".cupy/kernel_cache/a", ".nv/ComputeCache/b",
                                       ".cache/pycuda/compiler-cache-v1/c", ".cache/numba/d"};
  for (const std::string& file : files) {
    fs::create_directories((home / file).parent_path());
    std::ofstream(home / file) << "kept " << file;
  }
  // The environments are found by HOME, too: whoever has named none by a variable keeps them there.
  const char* const owners_home = getenv("HOME");
  const std::string data_directory =
      getenv("TARE_DATA_DIR") ? getenv("TARE_DATA_DIR")
                              : (owners_home ? owners_home : "") + std::string("/.local/share/tare");
  const Ran ran = compare(scratch_, {"--n", "4099", "--rows", row},
                          {{"HOME", home}, {"XDG_CACHE_HOME", ""}, {"TARE_DATA_DIR", data_directory}});
  EXPECT_EQ(row_of(ran.record, "cold", row)["status"], "ok") << ran.out;
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(home))
    if (entry.is_regular_file()) found.push_back(fs::relative(entry.path(), home));
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(files));
  for (const std::string& file : files) {
    std::ifstream in(home / file);
    std::string text;
    std::getline(in, text);
    EXPECT_EQ(text, "kept " + file);
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(OnTheCpuDevice, PythonRows,
                         ::testing::Values("cuda.core", "numba", "numba-cached", "numba-mlir", "pycuda"),
                         test_name);

using PythonRow = PythonRows;

TEST_F(PythonRow, NumbaSaysThatItsKernelIsAReimplementationAndForWhichTypes) {
  SKIP_WITHOUT("numba");
  const Ran ran = compare(scratch_, {"--n", "4099", "--rows", "numba"});
  const json& row = row_of(ran.record, "cold", "numba");
  EXPECT_THAT(row["detail"].get<std::string>(),
              HasSubstr("its kernel is the case's Python function, a reimplementation of the .cu"));
  EXPECT_EQ(row["cache"]["details"]["compiled for"],
            "array(float32, 1d, C), array(float32, 1d, C), array(float32, 1d, C), uint64");
  EXPECT_THAT(row["compiler"].get<std::string>(), HasSubstr("the driver's linker"));
}

TEST_F(PythonRow, NumbaWithACacheCompilesNothingInTheSecondProcess) {
  SKIP_WITHOUT("numba-cached");
  const Ran ran = compare(scratch_, {"--n", "4099", "--rows", "numba-cached"});
  EXPECT_EQ(row_of(ran.record, "cold", "numba-cached")["cache"]["result"], "miss");
  const json& warm = row_of(ran.record, "warm", "numba-cached");
  EXPECT_EQ(warm["cache"]["result"], "hit");
  EXPECT_EQ(warm["cache"]["compiles"], 0);
}

TEST_F(PythonRow, PyCudaKeepsWhatNvccMadeForTheSecondProcess) {
  SKIP_WITHOUT("pycuda");
  const Ran ran = compare(scratch_, {"--n", "4099", "--rows", "pycuda"});
  EXPECT_EQ(row_of(ran.record, "cold", "pycuda")["cache"]["result"], "miss");
  EXPECT_EQ(row_of(ran.record, "warm", "pycuda")["cache"]["result"], "hit");
  EXPECT_THAT(row_of(ran.record, "cold", "pycuda")["detail"].get<std::string>(),
              HasSubstr("compile(target=\"ptx\") and module_from_buffer"));
}

TEST_F(PythonRow, ACaseWithoutAPythonKernelSkipsNumba) {
  SKIP_WITHOUT("numba");
  const fs::path folder = scratch_.path() / "case";
  fs::create_directories(folder);
  fs::copy(TARE_SOURCE_DIR "/examples/hash/hash.cu", folder / "hash.cu");
  std::ifstream in(TARE_SOURCE_DIR "/examples/hash/hash.toml");
  std::ofstream out(folder / "hash.toml");
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("python")) out << line << '\n';
  out.close();
  const Ran ran = compare(scratch_, {folder / "hash.toml", "--n", "4099", "--rows", "clang,numba"});
  EXPECT_EQ(row_of(ran.record, "cold", "numba")["reason"], "this case has no Python kernel");
  EXPECT_EQ(row_of(ran.record, "cold", "clang")["status"], "ok");
}

TEST_F(PythonRow, StrictFloatingPointReachesCudaCore) {
  SKIP_WITHOUT("cuda.core");
  const Ran ran = compare(scratch_, {TARE_SOURCE_DIR "/examples/contraction/contraction.toml", "--rows",
                                     "cuda.core", "--fp", "strict"});
  const json& row = row_of(ran.record, "cold", "cuda.core");
  EXPECT_EQ(row["bits"]["equal"], true) << ran.out;
  for (const std::string option : {"--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"})
    EXPECT_THAT(row["options"].get<std::vector<std::string>>(), Contains(option));
}

TEST_F(PythonRow, AStructByValueIsSkippedWithItsArgument) {
  SKIP_WITHOUT("cuda.core");
  const Ran ran = compare(scratch_, {data("cases/structs.toml"), "--rows", "clang,cuda.core"});
  const json& row = row_of(ran.record, "cold", "cuda.core");
  EXPECT_EQ(row["status"], "skipped");
  EXPECT_THAT(row["reason"].get<std::string>(), HasSubstr("by value"));
}

TEST_F(PythonRow, CuPySaysWhyItNeedsAGpu) {
  const Ran ran = run_tare(scratch_, {"rows", "--json"});
  for (const json& each : json::parse(ran.out))
    if (each["row"].get<std::string>().starts_with("cupy")) {
      EXPECT_EQ(each["reason"], "CuPy links the CUDA runtime, which needs a GPU");
    }
}

}  // namespace
}  // namespace tare::test
