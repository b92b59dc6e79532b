// The libraries for CUDA 12, on the same device as those for CUDA 13; and that a run changes nothing in the
// environment it uses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "integration/support.hpp"

namespace tare::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Every file with its size and time of change, and every folder.
std::vector<std::string> state_of(const fs::path& folder) {
  std::vector<std::string> state;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    std::string line = entry.path();
    if (entry.is_regular_file())
      line += " " + std::to_string(entry.file_size()) + " " +
              std::to_string(entry.last_write_time().time_since_epoch().count());
    state.push_back(line);
  }
  std::sort(state.begin(), state.end());
  return state;
}

class Cuda12Rows : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const Ran ran = run_tare(scratch_, {"rows", "--json", "--cuda", "12"});
    for (const json& each : json::parse(ran.out))
      if (each["row"] == GetParam()) row_ = each;
    if (row_["ready"] != true) GTEST_SKIP() << GetParam() << ": " << row_["reason"];
  }
  Scratch scratch_;
  json row_;
};

TEST_P(Cuda12Rows, GiveTheReferencesBitsAndLeaveTheirEnvironmentAsItIs) {
  const fs::path program = row_["python"]["interpreter"].get<std::string>();
  const fs::path environment = program.parent_path().parent_path();
  const std::vector<std::string> before = state_of(environment);
  const Ran ran = compare(scratch_, {"--cuda", "12", "--n", "100003", "--rows", GetParam()});
  EXPECT_EQ(ran.code, 0) << ran.out;
  for (const std::string pass : {"cold", "warm"}) {
    const json& result = row_of(ran.record, pass, GetParam());
    EXPECT_EQ(result["status"], "ok") << result["reason"];
    EXPECT_EQ(result["bits"]["equal"], true);
    EXPECT_EQ(result["interpreter"], program.string());
    EXPECT_THAT(result["libraries"]["cuda-bindings"].get<std::string>(), HasSubstr("12."));
  }
  EXPECT_EQ(state_of(environment), before);
}

INSTANTIATE_TEST_SUITE_P(OnTheCpuDevice, Cuda12Rows, ::testing::Values("cuda.core", "numba"),
                         [](const ::testing::TestParamInfo<std::string>& row) {
                           return row.param == "numba" ? "numba" : "cudacore";
                         });

}  // namespace
}  // namespace tare::test
