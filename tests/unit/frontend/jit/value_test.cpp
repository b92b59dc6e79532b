// Values and variables of a traced kernel: copies, assignments, conversions, captures, with the values that
// the same C++ gives on the host.
#include <algorithm>

#include "fixture.hpp"

namespace tare {
namespace {

using fixtures::JitLanguage;
using ::testing::ElementsAreArray;

TEST_F(JitLanguage, CopiesOfElementsAndVariablesAreValues) {
  EXPECT_THAT(run_traced<int>([](auto out) {
                const auto i = cast<int>(thread_index().x);
                out[i] = i;
                if_(i % 2 == 0, [&] {
                  const auto t = out[i];
                  out[i] = t + 100;
                  out[i] += t;  // t is what the element was
                  auto x = var(t);
                  auto y = x;
                  y += 1000;
                  out[i] += x++ + x - y;
                });
              }),
              ElementsAreArray(expected<int>(
                  [](int i) { return i % 2 != 0 ? i : 2 * i + 100 + i + i + 1 - (i + 1000); })));
}

TEST_F(JitLanguage, AssignmentsAndIncrementsAreCs) {
  EXPECT_THAT(run_traced<unsigned>([](auto out) {
                const auto i = thread_index().x;
                auto x = var(i);
                x += 77, x *= 3u, x -= 5, x ^= 0x55u, x |= 8u, x &= 0xfffu, x <<= 3, x >>= 1, x %= 1000u;
                auto before = x--;
                --x;
                out[i] = before * 65536u + x;
                out[i] /= 2;
                ++out[i];
                out[i]++;
              }),
              ElementsAreArray(expected<unsigned>([](int i) {
                auto x = static_cast<unsigned>(i);
                x += 77, x *= 3u, x -= 5, x ^= 0x55u, x |= 8u, x &= 0xfffu, x <<= 3, x >>= 1, x %= 1000u;
                return (x * 65536u + (x - 2)) / 2 + 2;
              })));
}

TEST_F(JitLanguage, MixedTypesFollowTheUsualConversions) {
  const auto kernel = [](auto out) {
    static_assert(std::same_as<decltype(out[0] + 1.0f), Value<double>>);
    static_assert(std::same_as<decltype(Value<short>(1) + Value<char>(1)), Value<int>>);
    static_assert(std::same_as<decltype(Value<unsigned>(1) * -1), Value<unsigned>>);
    static_assert(std::same_as<decltype(Value<long>(1) - Value<unsigned>(1)), Value<long>>);
    static_assert(std::same_as<decltype(Value<std::uint8_t>(1) << Value<long>(1)), Value<int>>);
    static_assert(std::same_as<decltype(Value<bool>(true) & Value<bool>(true)), Value<int>>);
    static_assert(std::same_as<decltype(select(Value<bool>(true), 1, 2.0f)), Value<float>>);
    static_assert(std::same_as<decltype(-Value<std::int8_t>(1)), Value<int>>);
    const auto i = cast<int>(thread_index().x);
    const auto narrow = cast<std::int8_t>(i * 9 - 140);
    const auto mixed = cast<unsigned>(i) * -1 > 5u;
    out[i] = select(mixed, narrow, 2.5f) + (cast<std::uint16_t>(i - 10) >> 3) / 2.0;
  };
  EXPECT_THAT(run_traced<double>(kernel), ElementsAreArray(expected<double>([](int i) {
                const auto narrow = static_cast<std::int8_t>(i * 9 - 140);
                const bool mixed = static_cast<unsigned>(i) * static_cast<unsigned>(-1) > 5u;
                return (mixed ? static_cast<float>(narrow) : 2.5f) +
                       (static_cast<std::uint16_t>(i - 10) >> 3) / 2.0;
              })));
}

TEST_F(JitLanguage, BoolsAreArgumentsElementsAndResults) {
  const auto kernel = jit([](auto out, auto flag, auto a, auto b, auto c, auto d) {
    const auto i = cast<int>(thread_index().x);
    out[i] = (i > 3 && flag) || !(i < 30) || (a + b + c + d == 0);
  });
  const auto with = [&](bool flag) {
    const Buffer out = buffer(std::vector<std::uint8_t>(32, 7));
    kernel({1, 32, stream_}, device_span<bool>(out), flag, std::int8_t{-1}, std::uint16_t{3},
           std::int64_t{1} << 40, 0.5f);
    return read<std::uint8_t>(out);
  };
  EXPECT_EQ(with(true), expected<std::uint8_t>([](int i) { return i > 3; }));
  EXPECT_EQ(with(false), expected<std::uint8_t>([](int i) { return i >= 30; }));
}

TEST_F(JitLanguage, WhatTheLambdaCapturesByValueIsAConstantOfTheKernel) {
  const float factor = 2.5f;
  const std::array<int, 4> table{3, 1, 4, 1};
  const auto kernel = jit([=](auto out) {
    const auto i = thread_index().x;
    const auto numbers = constant_array(table);
    out[i] = numbers[i % 4u] * factor;
    for (const int number : table) out[i] += number;  // a plain loop is unrolled
  });
  EXPECT_THAT(run<float>(kernel), ElementsAreArray(expected<float>([&](int i) {
                return static_cast<float>(table[static_cast<std::size_t>(i % 4)]) * factor + 9.0f;
              })));
}

TEST_F(JitLanguage, FunctionsAreCalledAsInCpp) {
  const auto square = [](auto x) { return x * x; };
  const auto clamp = [](auto x, auto low, auto high) { return max(low, min(x, high)); };
  const auto bump = [](auto& x) { x += 1; };
  EXPECT_THAT(run_traced<int>([=](auto out) {
                const auto i = cast<int>(thread_index().x);
                auto x = var(clamp(square(i), 10, 500));
                bump(x);
                out[i] = x;
              }),
              ElementsAreArray(expected<int>([](int i) { return std::clamp(i * i, 10, 500) + 1; })));
}

}  // namespace
}  // namespace tare
