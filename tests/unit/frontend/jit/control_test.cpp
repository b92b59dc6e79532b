// Where a traced kernel's threads go: branches, loops, && and ||, selections, returns, with the values that
// the same C++ gives on the host.
#include <numeric>

#include "fixture.hpp"

namespace tare {
namespace {

using fixtures::JitLanguage;
using ::testing::ElementsAreArray;

TEST_F(JitLanguage, ElseRunsWhereTheConditionDoesNotHold) {
  EXPECT_THAT(run_traced<int>([](auto out) {
                const auto i = cast<int>(thread_index().x);
                if_(i % 3 == 0, [&] {
                  if_(i > 15, [&] { out[i] = 1; }).else_([&] { out[i] = 2; });
                }).else_([&] { out[i] = 3; });
              }),
              ElementsAreArray(expected<int>([](int i) { return i % 3 != 0 ? 3
                                                                : i > 15   ? 1
                                                                           : 2; })));
}

TEST_F(JitLanguage, LoopsCountAndAreLeft) {
  EXPECT_THAT(run_traced<int>([](auto out) {
                const auto i = cast<int>(thread_index().x);
                auto sum = var(0);
                for_(1, i, 2, [&](auto k) {
                  if_(k == 5, [] { continue_(); });
                  if_(k > 20, [] { break_(); });
                  for_(0, k, [&](auto j) { sum += j; });
                });
                out[i] = sum;
              }),
              ElementsAreArray(expected<int>([](int i) {
                int sum = 0;
                for (int k = 1; k < i && k <= 20; k += 2)
                  if (k != 5) sum += k * (k - 1) / 2;
                return sum;
              })));
}

TEST_F(JitLanguage, WhileEvaluatesItsConditionBeforeEachTurn) {
  // Collatz: run-time data decides both how often and what.
  EXPECT_THAT(run_traced<unsigned>([](auto out) {
                const auto i = thread_index().x;
                auto n = var(i + 1u), steps = var(0u);
                while_([&] { return n != 1u; },
                       [&] {
                         if_(n % 2u == 0u, [&] { n /= 2u; }).else_([&] { n = n * 3u + 1u; });
                         ++steps;
                       });
                out[i] = steps;
              }),
              ElementsAreArray(expected<unsigned>([](int i) {
                unsigned n = static_cast<unsigned>(i) + 1, steps = 0;
                for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : n * 3 + 1;
                return steps;
              })));
}

TEST_F(JitLanguage, ReturnLeavesTheKernel) {
  EXPECT_THAT(run_traced<int>([](auto out) {
                const auto i = cast<int>(thread_index().x);
                out[i] = 1;
                if_(i >= 10, [] { return_(); });
                for_(0, 5, [&](auto k) {
                  if_(k == i, [] { return_(); });
                  out[i] += 10;
                });
                out[i] += 100;
              }),
              ElementsAreArray(expected<int>([](int i) { return i >= 10 ? 1
                                                                : i < 5 ? 1 + 10 * i
                                                                        : 151; })));
}

TEST_F(JitLanguage, TheRightSideOfAndIsReadOnlyWhereTheLeftOneDoesNotDecide) {
  // Far outside of all memory where it is read in vain.
  std::vector<int> elements(32, 9);
  std::iota(elements.begin(), elements.begin() + 8, 0);
  const Buffer out = buffer(elements), other = buffer(elements);
  const auto kernel = jit([](auto to, auto from, auto far) {
    const auto i = cast<int>(thread_index().x);
    const auto place = select(i < 8, cast<long>(i), far);
    auto inside = var(i < 8);
    const auto mine = from[i];
    to[i] = cast<int>(inside && from[place] == i) + 2 * cast<int>(i >= 8 || (i != 3 && from[place] == i)) +
            4 * cast<int>(i < 8 && from[place] > 1 && from[place + 1] != 3) + 8 * cast<int>(i && mine == 9) +
            16 * cast<int>((i < 8) & (mine == i));
  });
  kernel({1, 32, stream_}, device_span<int>(out), device_span<const int>(other), 1l << 45);
  EXPECT_THAT(read<int>(out), ElementsAreArray(expected<int>([](int i) {
                return i >= 8 ? 2 + 8 : 1 + 2 * (i != 3) + 4 * (i > 1 && i + 1 != 3) + 16;
              })));
}

TEST_F(JitLanguage, ASelectOfLambdasEvaluatesTheChosenOneAlone) {
  EXPECT_THAT(run_traced<int>([](auto out) {
                const auto i = cast<int>(thread_index().x);
                // What is not chosen would be far beyond the array, or counted.
                const auto x = select(
                    i < 10, [&] { return out[cast<long>(i >= 10) << 40] + 5; }, -1);
                const auto y = select(i >= 10, 0.5, [&] { return out[cast<long>(i >= 10) << 40] + 1; });
                sync_threads();
                out[i] = x * 100 + cast<int>(y * 2);
              }),
              ElementsAreArray(expected<int>([](int i) { return i < 10 ? 502 : -99; })));
}

}  // namespace
}  // namespace tare
