// Every complete kernel under every compiler against its oracle, and both against the bits that GPUs gave.
#include <gtest/gtest.h>

#include <set>

#include "../harness/compare.hpp"
#include "../harness/compilers.hpp"
#include "../harness/records.hpp"
#include "tare/error.hpp"

namespace {

namespace kernels = tare::kernels;
using kernels::Compiler;

const std::string kFolder = std::string(TARE_SOURCE_DIR) + "/tests/kernels";

struct Combination {
  kernels::Complete kernel;
  Compiler compiler;
  std::string name() const { return kernel.name + "_" + to_string(compiler); }
};
void PrintTo(const Combination& combination, std::ostream* out) {
  *out << combination.name();
}

std::vector<Combination> combinations() {
  std::vector<Combination> all;
  for (const kernels::Complete& kernel : kernels::all_kernels())
    for (const Compiler compiler : kernels::kCompilers) all.push_back({kernel, compiler});
  return all;
}

class Complete : public ::testing::TestWithParam<Combination> {};

TEST_P(Complete, MatchesItsOracle) {
  const auto& [kernel, compiler] = GetParam();
  if (const std::string reason = why_missing(compiler); !reason.empty()) GTEST_SKIP() << reason;
  kernels::Outputs got;
  try {
    const tare::PrimaryContext context;
    const auto scope = context.enter();
    const tare::LoadedProgram program(context, compile(kernel, compiler, kFolder));
    got = kernel.run(kernels::Stage(context, program));
  } catch (const tare::CompileError& error) {
    FAIL() << error.what() << "\n" << error.log();
  } catch (const tare::Error& error) {
    FAIL() << error.what() << "\n" << error.hint();
  }
  const kernels::Outputs expected = kernel.expected();
  EXPECT_EQ(difference(got, expected, kernel.max_ulps), "");
  if (kernel.max_ulps != 0) {
    RecordProperty("largest_ulps", std::to_string(largest_ulps(got, expected)));
    return;
  }
  for (const kernels::Recording& gpu : kernels::read_recordings(kFolder + "/gpu")) {
    const auto recorded = gpu.hashes.find(kernel.name);
    if (recorded == gpu.hashes.end() || !recorded->second.contains(to_string(compiler))) continue;
    EXPECT_EQ(hash(got), recorded->second.at(to_string(compiler))) << gpu.device;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Complete, ::testing::ValuesIn(combinations()),
                         [](const auto& tested) { return tested.param.name(); });

TEST(Recordings, HoldTheBitsOfEveryExactKernelAndTheyAreTheOracles) {
  const auto recordings = kernels::read_recordings(kFolder + "/gpu");
  if (recordings.empty()) GTEST_SKIP() << "no GPU's bits are kept in " << kFolder << "/gpu";
  for (const kernels::Recording& gpu : recordings) {
    EXPECT_TRUE(gpu.failures.empty()) << gpu.device;
    for (const kernels::Complete& kernel : kernels::all_kernels()) {
      SCOPED_TRACE(gpu.device + ", " + kernel.name);
      if (kernel.max_ulps != 0) {
        ASSERT_TRUE(gpu.ulps.contains(kernel.name));
        for (const auto& [compiler, ulps] : gpu.ulps.at(kernel.name))
          EXPECT_LE(ulps, kernel.max_ulps) << compiler;
        continue;
      }
      ASSERT_TRUE(gpu.hashes.contains(kernel.name));
      const std::string expected = hash(kernel.expected());
      EXPECT_EQ(gpu.hashes.at(kernel.name).size(), kernels::kCompilers.size());
      for (const auto& [compiler, bits] : gpu.hashes.at(kernel.name)) EXPECT_EQ(bits, expected) << compiler;
    }
  }
}

TEST(Recordings, EveryKernelHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const kernels::Complete& kernel : kernels::all_kernels())
    EXPECT_TRUE(names.insert(kernel.name).second);
  EXPECT_GE(names.size(), 30u);
}

}  // namespace
