// Reasons of skipped rows in a table, and what is said below it instead.
#include "compare/report/reasons.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kNvrtc =
    "NVRTC not found: looked in TARE_NVRTC (not set), CUDA_PATH (not set), the loader's search path "
    "(nothing)";
const std::string kClang =
    "clang not found: looked in TARE_CLANG (not set), PATH (no clang), /usr/lib/llvm-19";

TEST(Reasons, LeaveThePlacesToTheEnd) {
  EXPECT_EQ(short_reason(kNvrtc), "NVRTC not found in the places named below");
  EXPECT_EQ(short_reason(kNvrtc + "; " + kClang), "NVRTC and clang not found in the places named below");
  EXPECT_THAT(places_left_out({kNvrtc, kNvrtc + "; " + kClang, kClang}), ElementsAre(kNvrtc, kClang));
}

TEST(Reasons, StayAsTheyAreWhereTheyAreShortOrOther) {
  for (const std::string reason : {"needs a GPU", "nvcc not found: looked in PATH",
                                   "no cupy: tare rows install cupy makes an environment with it, below the "
                                   "folder that TARE_DATA_DIR names"}) {
    EXPECT_EQ(short_reason(reason), reason);
    EXPECT_THAT(places_left_out({reason}), IsEmpty());
  }
}

}  // namespace
}  // namespace tare::compare
