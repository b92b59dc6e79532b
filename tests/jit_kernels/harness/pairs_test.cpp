// Every pair by everybody who can make it here: all have to leave the same bits.
#include <gtest/gtest.h>

#include <iostream>

#include "pair.hpp"
#include "tare/toolkit.hpp"

namespace tare::pairs {

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.name;
}

namespace {

class Pairs : public ::testing::TestWithParam<Pair> {};

TEST_P(Pairs, LeaveTheSameBits) {
  const Compared compared = compare(GetParam());
  EXPECT_EQ(compared.problems, "");
  if (compared.made < 2) GTEST_SKIP() << "there is nothing to compare with" << compared.without;
  if (!compared.without.empty()) std::cout << GetParam().name << " was compared" << compared.without << "\n";
}

INSTANTIATE_TEST_SUITE_P(Kernels, Pairs, ::testing::ValuesIn(all_pairs()),
                         [](const auto& tested) { return tested.param.name; });

TEST(PairsOfKernels, AreTwentyOrMore) {
  EXPECT_GE(all_pairs().size(), 20u);
}

/// As if only these two were here.
std::string only_clang(const Pair&, Maker maker) {
  return maker == Maker::clang || maker == Maker::jit_clang ? "" : "not here";
}

Pair twice(const char* factor) {
  return {
      .name = "twice",
      .cuda = std::string("extern \"C\" __global__ void twice(int* x) { x[threadIdx.x] *= ") + factor + "; }",
      .run = [](Run& run) {
        run.launch(
            "twice", [](auto x) { x[thread_index().x] *= 2; }, 1, 4,
            run.out("x", std::vector<int>{1, 2, 3, 4}));
      }};
}

TEST(PairsOfKernels, AreComparedByWhoeverIsHere) {
  if (const auto clang = find_clang(); !clang.tool) GTEST_SKIP() << clang.reason;
  const Compared two = compare(twice("2"), only_clang);
  EXPECT_EQ(two.made, 2);
  EXPECT_EQ(two.problems, "");
  EXPECT_EQ(two.without, "\n  without CUDA C++ by NVRTC: not here\n  without tare::jit by libNVVM: not here");
}

TEST(PairsOfKernels, ThatDifferAreToldWithTheirMakers) {
  if (const auto clang = find_clang(); !clang.tool) GTEST_SKIP() << clang.reason;
  EXPECT_EQ(
      compare(twice("3"), only_clang).problems,
      "tare::jit by clang: x[0] is 0x00000002, expected 0x00000003; 4 of 4 differ (expected are the bits of "
      "CUDA C++ by clang)\n");
}

TEST(PairsOfKernels, ThatOneAloneCanMakeAreNotCompared) {
  if (const auto clang = find_clang(); !clang.tool) GTEST_SKIP() << clang.reason;
  const Compared one = compare(twice("2"), [](const Pair&, Maker maker) {
    return std::string(maker == Maker::jit_clang ? "" : "not here");
  });
  EXPECT_EQ(one.made, 1);
  EXPECT_EQ(one.problems, "");
}

}  // namespace
}  // namespace tare::pairs
