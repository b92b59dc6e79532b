// What a traced kernel's threads share and do together: indices, memory, atomic operations, blocks and warps.
#include <algorithm>

#include "fixture.hpp"

namespace tare {
namespace {

using fixtures::JitLanguage;
using ::testing::Each;
using ::testing::ElementsAreArray;

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

TEST_F(JitLanguage, DynamicSharedMemoryOfAKnownSizeIsAskedOfTheLaunch) {
  const auto kernel = jit([](auto out) {
    const auto shared = dynamic_shared_array<float>(32);
    shared[thread_index().x] = 1.5f;
    out[thread_index().x] = shared[thread_index().x];
  });
  const Buffer out = buffer(std::vector<float>(32));
  try {
    kernel({1, 32, stream_, 124}, device_span<float>(out));
    ADD_FAILURE() << "it was launched";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::argument);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("kernel(float[]): the launch gives 124 bytes"));
    EXPECT_THAT(error.hint(), ::testing::HasSubstr("{grid, block, stream, 128}"));
  }
  kernel({1, 32, stream_, 128}, device_span<float>(out));
  EXPECT_THAT(read<float>(out), Each(1.5f));
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

TEST_F(JitLanguage, IndicesOfTheGridHaveMembersToo) {
  const auto kernel = jit([](auto out) {
    const auto one = grid_index<1>();
    const auto two = grid_index<2>();
    const auto three = grid_index<3>();
    out[one.x + 4u * three.y + 8u * three.z] =
        cast<int>(two.x + 10u * two.y + 100u * three.x + 1000u * three.z);
  });
  const Buffer out = buffer(std::vector<int>(16));
  kernel({{2, 1, 2}, {2, 2, 1}, stream_}, device_span<int>(out));
  EXPECT_THAT(read<int>(out), ::testing::ElementsAre(0, 101, 202, 303, 10, 111, 212, 313, 1000, 1101, 1202,
                                                     1303, 1010, 1111, 1212, 1313));
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

}  // namespace
}  // namespace tare
