// What a traced kernel may say, each with the value that the same C++ gives on the host.
#include <cmath>
#include <numeric>

#include "fixture.hpp"

namespace tare {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;

class JitLanguage : public fixtures::JitTest {
 protected:
  template <class T, class Make>
  static std::vector<T> expected(Make&& make) {
    std::vector<T> all(32);
    for (int i = 0; i < 32; ++i) all[static_cast<std::size_t>(i)] = make(i);
    return all;
  }
};

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

TEST_F(JitLanguage, SharedMemoryIsTheBlocks) {
  EXPECT_THAT(run_traced<int>([](auto out) {
                const auto i = cast<int>(thread_index().x);
                const auto tile = shared_array<int, 4, 8>();
                tile[i / 8][i % 8] = i * i;
                sync_threads();
                out[i] = tile[3 - i / 8][7 - i % 8];
              }),
              ElementsAreArray(expected<int>([](int i) { return (31 - i) * (31 - i); })));
}

TEST_F(JitLanguage, DynamicSharedMemoryIsTheLaunchs) {
  const auto kernel = jit([](auto out) {
    const auto i = thread_index().x;
    const auto shared = dynamic_shared_array<double>(block_size().x);
    shared[i] = i;
    sync_threads();
    out[i] = shared[shared.size() - 1u - i];
  });
  const Buffer out = buffer(std::vector<double>(32));
  kernel({1, 32, stream_, 32 * sizeof(double)}, device_span<double>(out));
  EXPECT_THAT(read<double>(out), ElementsAreArray(expected<double>([](int i) { return 31.0 - i; })));
}

TEST_F(JitLanguage, LocalArraysAreTheThreads) {
  EXPECT_THAT(run_traced<int>([](auto out) {
                const auto i = cast<int>(thread_index().x);
                const auto seen = local_array<int, 2, 16>();
                for_(0, 32, [&](auto k) { seen[k / 16][k % 16] = k * i; });
                out[i] = seen[1][i % 16] + seen[0][15];
              }),
              ElementsAreArray(expected<int>([](int i) { return (16 + i % 16) * i + 15 * i; })));
}

TEST_F(JitLanguage, AtomicsGiveTheValueFromBefore) {
  const auto kernel = jit([](auto out, auto reals, auto longs) {
    const auto i = cast<int>(thread_index().x);
    const auto shared = shared_array<int, 1>();
    if_(i == 0, [&] { shared[0] = 100; });
    sync_threads();
    atomic_sub(shared[0], i);
    sync_threads();
    const auto ticket = atomic_add(out[0], 1);
    atomic_min(out[1], -ticket);
    atomic_max(out[2], ticket);
    atomic_or(out[3], 1 << (ticket % 8));
    atomic_and(out[4], ~(1 << (i % 4)));
    atomic_xor(out[5], i);
    if_(ticket == 7, [&] { atomic_exchange(out[6], shared[0]); });
    const auto expected = i;
    atomic_compare_exchange(out[7], expected, 32);
    atomic_add(reals[0], 0.5f);
    atomic_add(longs[0], cast<std::int64_t>(1) << 33);
    atomic_max(longs[1], i - 100);
  });
  std::vector<int> initial(32);
  initial[4] = 0xff;
  const Buffer out = buffer(initial), reals = buffer(std::vector<float>(1)),
               longs = buffer(std::vector<std::int64_t>{0, -1000});
  kernel({1, 32, stream_}, device_span<int>(out), device_span<float>(reals),
         device_span<std::int64_t>(longs));
  const auto got = read<int>(out);
  EXPECT_THAT(std::vector<int>(got.begin(), got.begin() + 8),
              ::testing::ElementsAre(32, -31, 31, 0xff, 0xf0, 0, 100 - 496, 32));
  EXPECT_EQ(read<float>(reals)[0], 16.0f);
  EXPECT_THAT(read<std::int64_t>(longs), ::testing::ElementsAre(std::int64_t{32} << 33, -69));
}

TEST_F(JitLanguage, WarpsShuffleAndVote) {
  EXPECT_THAT(run_traced<double>([](auto out) {
                const auto i = cast<int>(lane_index());
                auto sum = var(cast<double>(i) + 0.25);
                for (int step = 16; step > 0; step /= 2) sum += shfl_xor_sync(kWholeWarp, sum, step);
                const auto from_left = shfl_up_sync(kWholeWarp, i, 1, 8);
                const auto from_right = shfl_down_sync(kWholeWarp, cast<std::int8_t>(-i), 2);
                const auto first = shfl_sync(kWholeWarp, i * 10, 3);
                out[i] = sum + from_left * 1000 + from_right * 1000000.0 + first * 1e9;
              }),
              ElementsAreArray(expected<double>([](int i) {
                return 504.0 + (i % 8 == 0 ? i : i - 1) * 1000 + (i + 2 < 32 ? -(i + 2) : -i) * 1000000.0 +
                       30e9;
              })));
  EXPECT_THAT(run_traced<unsigned>([](auto out) {
                const auto i = cast<int>(lane_index());
                const auto odd = i % 2 == 1;
                sync_warp();
                out[i] = ballot_sync(kWholeWarp, odd) ^ (cast<unsigned>(any_sync(kWholeWarp, i == 7)) << 1) ^
                         (cast<unsigned>(all_sync(kWholeWarp, i < 31)) << 2) ^ (active_mask() & 1u);
              }),
              Each(0xaaaaaaaau ^ 2u ^ 1u));
}

TEST_F(JitLanguage, WarpsReduceInOneInstruction) {
  EXPECT_THAT(run_traced<int>([](auto out) {
                const auto i = cast<int>(thread_index().x);
                const auto word = cast<unsigned>(i) * 0x9E3779B9u;
                out[i] = select(i == 0, reduce_add_sync(kWholeWarp, i - 20),
                                select(i == 1, reduce_min_sync(kWholeWarp, i - 20),
                                       select(i == 2, reduce_max_sync(kWholeWarp, i - 20), 0)));
                if_(i >= 3, [&] {
                  const unsigned rest = kWholeWarp << 3;
                  const auto ands = reduce_and_sync(rest, word | 0xff00u),
                             ors = reduce_or_sync(rest, word & 0xffu), xors = reduce_xor_sync(rest, word),
                             most = reduce_max_sync(rest, word);
                  out[i] = cast<int>(select(i == 3, ands, select(i == 4, ors, select(i == 5, xors, most))));
                });
              }),
              ElementsAreArray(expected<int>([](int i) {
                unsigned ands = ~0u, ors = 0, xors = 0, most = 0;
                for (unsigned k = 3; k < 32; ++k) {
                  const unsigned word = k * 0x9E3779B9u;
                  ands &= word | 0xff00u, ors |= word & 0xffu, xors ^= word, most = std::max(most, word);
                }
                if (i < 3) return std::array{31 * 32 / 2 - 20 * 32, -20, 11}[static_cast<std::size_t>(i)];
                return static_cast<int>(i == 3 ? ands : i == 4 ? ors : i == 5 ? xors : most);
              })));
}

TEST_F(JitLanguage, BlocksVoteWhereTheyWait) {
  EXPECT_THAT(run_traced<int>([](auto out) {
                const auto i = cast<int>(thread_index().x);
                const auto few = sync_threads_count(i % 5 == 0);
                const auto any = sync_threads_or(i == 31), none = sync_threads_or(i == 32);
                const auto all = sync_threads_and(i < 32), most = sync_threads_and(i < 31);
                out[i] = few * 16u + any * 8 + none * 4 + all * 2 + most;
              }),
              Each(7 * 16 + 8 + 2));
}

TEST_F(JitLanguage, CountersWrapWhereTheyAreTold) {
  const auto counts = run_traced<unsigned>([](auto out) {
    if_(thread_index().x < 11u, [&] {
      atomic_inc(out[0], 3u);
      atomic_dec(out[1], 3u);
    });
  });
  EXPECT_EQ(counts[0], 11u % 4);
  EXPECT_EQ(counts[1], (4 - 11u % 4) % 4);
}

TEST_F(JitLanguage, TheUpperHalfOfAProductIsOfItsType) {
  EXPECT_THAT(run_traced<std::int64_t>([](auto out) {
                const auto i = cast<int>(thread_index().x);
                const auto x = i * 123456789 - 2000000000;
                const auto wide = cast<std::int64_t>(x) * 4294967291;
                out[i] = mul_hi(x, -7) + mul_hi(cast<unsigned>(x), 7u) * 3ll + mul_hi(wide, wide) * 5 +
                         cast<std::int64_t>(mul_hi(cast<std::uint64_t>(wide), 77ull)) * 7;
              }),
              ElementsAreArray(expected<std::int64_t>([](int i) {
                __extension__ using Wide = __int128;
                const auto x = static_cast<int>(i * 123456789ll - 2000000000);
                const std::int64_t wide = x * 4294967291;
                const auto u = static_cast<std::uint64_t>(wide);
                return (std::int64_t{x} * -7 >> 32) +
                       std::int64_t{static_cast<unsigned>(x)} * 7 / (1ll << 32) * 3 +
                       static_cast<std::int64_t>(Wide{wide} * wide >> 64) * 5 +
                       static_cast<std::int64_t>(Wide{u} * 77 >> 64) * 7;
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

TEST_F(JitLanguage, IndicesHaveThreeAxes) {
  const auto kernel = jit([](auto out) {
    const auto [x, y, z] = grid_index<3>();
    const auto width = grid_size().x * block_size().x, height = grid_size().y * block_size().y;
    out[(z * height + y) * width + x] = cast<int>(x + 10u * y + 100u * z) +
                                        cast<int>(block_index().x + block_index().y + block_index().z) * 1000;
  });
  const Buffer out = buffer(std::vector<int>(4 * 6 * 2));
  kernel({{2, 3, 1}, {2, 2, 2}, stream_}, device_span<int>(out));
  const auto got = read<int>(out);
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 4; ++x)
        EXPECT_EQ(got[static_cast<std::size_t>((z * 6 + y) * 4 + x)],
                  x + 10 * y + 100 * z + (x / 2 + y / 2) * 1000);
}

TEST_F(JitLanguage, AGridStrideLoopReachesEveryElement) {
  const auto kernel = jit([](auto out) {
    for_(grid_index(), out.size(), grid_stride(), [&](auto i) { out[i] += cast<int>(i); });
  });
  const Buffer out = buffer(std::vector<int>(1000, 1));
  kernel({3, 64, stream_}, device_span<int>(out));
  const auto got = read<int>(out);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], static_cast<int>(i) + 1);
}

TEST_F(JitLanguage, FunctionsOfOneInstructionNeedNoDeviceLibrary) {
  JitOptions options;
  options.compiler = JitCompiler::clang;
  TARE_NEEDS(clang);
  const fixtures::ScopedEnvironment none(fixtures::ScopedEnvironment::Changes{{"TARE_NVVM", "/nonexistent"}});
  const auto kernel = jit(
      [](auto out) {
        const auto i = cast<int>(thread_index().x);
        const auto x = (i - 16) * 0.3f;
        out[i] = floor(x) + 2 * ceil(x) + 3 * trunc(x) + 4 * rint(x) + 5 * fabs(x) + fmin(x, 1) +
                 fmax(-x, 0.5f) + copysign(sqrt(fabs(x)), x) + fma(x, x, 1.0f) + abs(i - 8) + min(i, 9) +
                 max(i, 4u);
      },
      options);
  const auto got = run<double>(kernel);
  for (int i = 0; i < 32; ++i) {
    const float x = static_cast<float>(i - 16) * 0.3f;
    const float first =
        std::floor(x) + 2 * std::ceil(x) + 3 * std::trunc(x) + 4 * std::rint(x) + 5 * std::fabs(x);
    const double sum = first + std::fmin(double{x}, 1.0) + std::fmax(-x, 0.5f) +
                       std::copysign(std::sqrt(std::fabs(x)), x) + std::fma(x, x, 1.0f) + std::abs(i - 8) +
                       std::min(i, 9) + std::max(i, 4);
    EXPECT_NEAR(got[static_cast<std::size_t>(i)], sum, 1e-4) << i;
  }
}

TEST_F(JitLanguage, BitsAreCountedAndReversed) {
  EXPECT_THAT(run_traced<std::uint64_t>([](auto out) {
                const auto i = thread_index().x;
                const auto x = i * 0x01234567u;
                const auto wide = cast<std::uint64_t>(x) << 20;
                out[i] = popc(x) + clz(x) * 100 + ffs(x) * 10000 + popc(wide) * 1000000 +
                         clz(wide) * 100000000ll + ffs(wide) * 10000000000ll +
                         (bit_cast<std::uint64_t>(brev(wide)) ^ brev(x));
              }),
              ElementsAreArray(expected<std::uint64_t>([](int i) {
                const auto x = static_cast<unsigned>(i) * 0x01234567u;
                const std::uint64_t wide = std::uint64_t{x} << 20;
                const auto reversed = [](auto v) {
                  decltype(v) r = 0;
                  for (std::size_t k = 0; k < sizeof v * 8; ++k, v = static_cast<decltype(v)>(v >> 1))
                    r = static_cast<decltype(v)>(r << 1 | (v & 1));
                  return r;
                };
                const auto ffs_of = [](auto v) { return v == 0 ? 0 : std::countr_zero(v) + 1; };
                const long long counts = std::popcount(x) + std::countl_zero(x) * 100 + ffs_of(x) * 10000 +
                                         std::popcount(wide) * 1000000 +
                                         std::countl_zero(wide) * 100000000ll + ffs_of(wide) * 10000000000ll;
                return static_cast<std::uint64_t>(counts) + (reversed(wide) ^ reversed(x));
              })));
}

TEST_F(JitLanguage, MathComesFromTheDeviceLibrary) {
  TARE_NEEDS(nvvm);
  const auto near = [&](auto device, double (*host)(double)) {
    const auto single = run_traced<float>([=](auto out) {
      const auto i = thread_index().x;
      out[i] = device(0.05f + 0.025f * i);
    });
    const auto twice = run_traced<double>([=](auto out) {
      const auto i = thread_index().x;
      out[i] = device(0.05 + 0.025 * i);
    });
    for (int i = 0; i < 32; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_NEAR(single[k], host(0.05f + 0.025f * static_cast<float>(i)),
                  2e-6 * std::fabs(single[k]) + 1e-6);
      EXPECT_NEAR(twice[k], host(0.05 + 0.025 * i), 1e-14 * std::fabs(twice[k]) + 1e-14);
    }
  };
  near([](auto x) { return sin(x) + cos(x) * tan(x) + asin(x) - acos(x) / atan(x); },
       [](double x) {
         return std::sin(x) + std::cos(x) * std::tan(x) + std::asin(x) - std::acos(x) / std::atan(x);
       });
  near([](auto x) { return exp(x) + exp2(x) - expm1(x) + log(x) + log2(x) + log10(x) + log1p(x) + cbrt(x); },
       [](double x) {
         return std::exp(x) + std::exp2(x) - std::expm1(x) + std::log(x) + std::log2(x) + std::log10(x) +
                std::log1p(x) + std::cbrt(x);
       });
  near(
      [](auto x) {
        return pow(x, 1.5f) + atan2(x, x + 1) + fmod(x, 0.31f) + hypot(x, x) + tgamma(x) * erf(x);
      },
      [](double x) {
        return std::pow(x, 1.5) + std::atan2(x, x + 1) + std::fmod(x, double{0.31f}) + std::hypot(x, x) +
               std::tgamma(x) * std::erf(x);
      });
}

TEST_F(JitLanguage, PrintReachesStdout) {
  const auto kernel = jit([](auto n) {
    if_(thread_index().x == 1u,
        [&] { print("n %d, half %.2f, big %lld, %c%%\n", n, n * 0.5f, cast<long>(n) << 40, 'x'); });
    if_(thread_index().x == 2u, [] { print("plain\n"); });
  });
  ::testing::internal::CaptureStdout();
  kernel({1, 4, stream_}, 3);
  stream_.synchronize();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "n 3, half 1.50, big 3298534883328, x%\nplain\n");
}

TEST_F(JitLanguage, AnAssertionThatFailsIsTheLaunchs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a child of its own, because the failure is the context's
  const auto kernel = jit([](auto n) { assert_(thread_index().x < n, "few threads"); });
  EXPECT_EXIT(
      {
        kernel({1, 4, stream_}, 4u);
        stream_.synchronize();
        kernel({1, 4, stream_}, 3u);
        try {
          stream_.synchronize();
        } catch (const Error& error) {
          std::fprintf(stderr, "%s", error.code_name().c_str());
          std::_Exit(3);
        }
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(3), "language_test.cpp:[0-9]+.*few threads.*CUDA_ERROR_ASSERT");
}

}  // namespace
}  // namespace tare
