// The reference as a kernel of one thread, where no host compiler is to be had. Runs on the loaded device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "case_files.hpp"
#include "compare/case/reference.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"
#include "tare/toolkit.hpp"

namespace tare::compare::test {
namespace {

/// Sets an environment variable for one test.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Environment() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

Reference reference_of(const Job& job) {
  std::vector<HostBuffer> inputs;
  for (const JobArgument& argument : job.arguments) {
    inputs.push_back(argument.is_buffer ? fill_buffer(argument) : HostBuffer());
  }
  return compute_reference(job, inputs);
}

/// Why no device or compiler can run a reference here; empty if one can.
std::string why_not() {
  try {
    driver_info();
  } catch (const Error& error) {
    return error.what();
  }
  const Search nvrtc = find_nvrtc(), clang = find_clang();
  return nvrtc.tool || clang.tool ? std::string() : nvrtc.reason + "; " + clang.reason;
}

class ReferenceOnTheDevice : public testing::TestWithParam<const char*> {};

TEST_P(ReferenceOnTheDevice, HasTheBitsOfTheHostsOwn) {
  if (const std::string reason = why_not(); !reason.empty()) GTEST_SKIP() << reason;
  const Case a_case = Case::load(std::filesystem::path(TARE_SOURCE_DIR) / GetParam());
  CaseOverrides small;
  if (a_case.job().values.contains("n")) small.values["n"] = 1000;
  const Job job = a_case.job(small);
  const Reference by_host = reference_of(job);
  ASSERT_EQ(by_host.kind, ReferenceKind::host_compiler) << by_host.how;
  const Environment none("TARE_CXX", "/nonexistent/c++"),
      program("TARE_EXECUTABLE", TARE_BINARY_DIR "/bin/tare");
  const Reference by_device = reference_of(job);
  EXPECT_EQ(by_device.kind, ReferenceKind::device_one_thread);
  EXPECT_THAT(by_device.how, testing::StartsWith("reference() as a kernel of one thread, compiled by "));
  EXPECT_EQ(by_device.outputs, by_host.outputs);
}

INSTANTIATE_TEST_SUITE_P(Examples, ReferenceOnTheDevice,
                         testing::Values("examples/vector_add/vector_add.toml", "examples/saxpy/saxpy.toml",
                                         "examples/contraction/contraction.toml",
                                         "examples/block_sum/block_sum.toml", "examples/hash/hash.toml",
                                         "tests/data/cases/structs.toml"));

}  // namespace
}  // namespace tare::compare::test
