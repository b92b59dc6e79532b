// Every pair by everybody who can make it here: all have to leave the same bits.
#include <gtest/gtest.h>

#include <optional>

#include "../../kernels/harness/compare.hpp"
#include "pair.hpp"
#include "tare/error.hpp"

namespace tare::pairs {

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.name;
}

namespace {

class Pairs : public ::testing::TestWithParam<Pair> {
 protected:
  /// What the first of the makers that can make it here leaves, and its name; the others have to agree.
  void try_all(std::initializer_list<Maker> makers) {
    for (const Maker maker : makers) {
      if (const std::string reason = why_not(GetParam(), maker); !reason.empty()) {
        reasons_ += "\n  without " + to_string(maker) + ": " + reason;
        continue;
      }
      SCOPED_TRACE(to_string(maker));
      kernels::Outputs got;
      try {
        got = run(GetParam(), maker);
      } catch (const CompileError& error) {
        FAIL() << error.what() << "\n" << error.log();
      } catch (const Error& error) {
        FAIL() << error.what() << "\n" << error.hint();
      }
      ++made_;
      if (first_)
        EXPECT_EQ(difference(got, *first_, 0), "") << "expected are the bits of " << first_maker_;
      else
        first_ = std::move(got), first_maker_ = to_string(maker);
    }
  }
  std::optional<kernels::Outputs> first_;
  std::string first_maker_, reasons_;
  int made_ = 0;
};

TEST_P(Pairs, LeaveTheSameBits) {
  try_all({Maker::nvrtc, Maker::clang});
  if (HasFatalFailure()) return;
  const int written_by_hand = made_;
  try_all({Maker::jit_libnvvm, Maker::jit_clang});
  if (HasFatalFailure()) return;
  if (written_by_hand == 0 || made_ == written_by_hand)
    GTEST_SKIP() << "there is nothing to compare with" << reasons_;
  if (!reasons_.empty()) std::cout << GetParam().name << " was compared" << reasons_ << "\n";
}

INSTANTIATE_TEST_SUITE_P(Kernels, Pairs, ::testing::ValuesIn(all_pairs()),
                         [](const auto& tested) { return tested.param.name; });

TEST(PairsOfKernels, AreTwentyOrMore) {
  EXPECT_GE(all_pairs().size(), 20u);
}

}  // namespace
}  // namespace tare::pairs
