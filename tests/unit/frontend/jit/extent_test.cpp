// Arrays whose sizes are known while tracing: what does not fit, and what is outside of them.
#include "fixture.hpp"

namespace tare {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class JitExtents : public fixtures::JitMisuseTest {};

TEST_F(JitExtents, MoreSharedMemoryThanThereIsNamesTheSum) {
  const Error one = of([](auto out, auto n) {
    const auto tile = shared_array<float, 64, 200>();
    tile[n][n] = 1;
    out[0] = cast<int>(tile[n][0]);
  });
  EXPECT_EQ(one.kind(), ErrorKind::argument);
  EXPECT_THAT(
      one.what(),
      ContainsRegex("extent_test.cpp:[0-9]+, in the kernel `kernel` made at .*: a tare::shared_array of "
                    "51200 bytes: there are at most 49152 \\(48 KiB\\) in a kernel"));
  EXPECT_THAT(one.hint(), HasSubstr("tare::dynamic_shared_array"));
  const auto two = [](auto out, auto n, auto second) {
    const auto first = shared_array<double, 4096>();
    first[n] = 1;
    second[n] = 2;
    out[0] = cast<int>(first[0]) + second[0];
  };
  EXPECT_THAT(
      of([&](auto out, auto n) { two(out, n, shared_array<std::int16_t, 8193>()); }).what(),
      HasSubstr("a tare::shared_array of 32768 bytes, 49154 with the 16386 bytes of the kernel's others: "
                "there are at most 49152 (48 KiB) in a kernel"));
  EXPECT_EQ(run_traced<int>([&](auto out) {
              two(out, cast<int>(thread_index().x), shared_array<std::int16_t, 8192>());
            })[0],
            3);
}

TEST_F(JitExtents, AFunctionsSharedMemoryCountsOnce) {
  const auto fill = [](auto bytes) {
    return function([bytes](auto n) {
      const auto tile = shared_array<std::int8_t, decltype(bytes)::value>();
      tile[n] = n;
      return tile[n] + 0;
    });
  };
  EXPECT_EQ(run_traced<int>([&](auto out) {
              const auto large = fill(std::integral_constant<int, 40000>{});
              const auto i = cast<int>(thread_index().x);
              out[i] = large(i) + large(i);
            })[5],
            10);
  EXPECT_THAT(of([&](auto out, auto n) {
                const auto large = fill(std::integral_constant<int, 40000>{});
                const auto other = fill(std::integral_constant<int, 10000>{});
                out[0] = large(n);
                out[1] = other(n);
              }).what(),
              HasSubstr("a tare::shared_array of 10000 bytes, 50000 with the 40000 bytes"));
}

TEST_F(JitExtents, ALocalArrayHasToFitToo) {
  EXPECT_THAT(
      of([](auto out, auto n) { out[0] = local_array<int, 512, 257>()[n][0]; }).what(),
      ContainsRegex("extent_test.cpp:[0-9]+, .*a tare::local_array of 526336 bytes: a thread has at most "
                    "524288"));
}

TEST_F(JitExtents, AnIndexThatIsKnownHasToBeInTheArray) {
  const auto said = [&](auto use) {
    const Error error = of([&](auto out, auto n) { out[0] = cast<int>(use(n)); });
    EXPECT_EQ(error.kind(), ErrorKind::argument);
    EXPECT_THAT(error.what(), ContainsRegex("extent_test.cpp:[0-9]+, in the kernel"));
    return std::string(error.what()) + "; " + error.hint();
  };
  EXPECT_THAT(
      said([](auto) { return shared_array<int, 16>()[16]; }),
      HasSubstr("the index 16 is outside of a shared array, whose extent is 16; its indices are 0 to 15"));
  EXPECT_THAT(said([](auto) { return shared_array<int, 16>()[-1]; }), HasSubstr("the index -1 is outside"));
  EXPECT_THAT(said([](auto) { return local_array<float, 4>()[std::uint8_t{200}]; }),
              HasSubstr("the index 200 is outside of a local array, whose extent is 4"));
  EXPECT_THAT(said([](auto) { return local_array<float, 1>()[1]; }), HasSubstr("its only index is 0"));
  EXPECT_THAT(said([](auto n) { return shared_array<int, 4, 8>()[4][n]; }),
              HasSubstr("the index 4 is outside of a shared array, whose extent is 4"));
  EXPECT_THAT(said([](auto n) { return shared_array<int, 4, 8>()[n][8]; }),
              HasSubstr("the index 8 is outside of a shared array, whose extent there is 8"));
  EXPECT_THAT(said([](auto) {
                return constant_array(std::array{1, 2, 3})[3];
              }),
              HasSubstr("the index 3 is outside of a constant array, whose extent is 3"));
  EXPECT_THAT(said([](auto) { return dynamic_shared_array<int>(64)[64]; }),
              HasSubstr("the index 64 is outside of a shared array, whose extent is 64"));
  EXPECT_THAT(said([](auto) { return shared_array<int, 16>()[cast<std::int64_t>(Value<int>(-3))]; }),
              HasSubstr("the index -3 is outside"));
  EXPECT_THAT(said([](auto) { return shared_array<int, 16>()[~std::uint64_t{0}]; }),
              HasSubstr("the index 18446744073709551615 is outside"));
  EXPECT_THAT(said([](auto n) {
                const auto tile = shared_array<int, 16>();
                if_(n > 0, [&] { tile[0] = 1; }).else_([&] { tile[16] = 1; });
                return tile[0];
              }),
              HasSubstr("the index 16 is outside"));
}

TEST_F(JitExtents, AnIndexWhereNoThreadComesIsNobodysMistake) {
  const auto result = run_traced<int>([](auto out) {
    const auto i = cast<int>(thread_index().x);
    const auto tile = local_array<int, 4>();
    for (int k = 0; k < 8; ++k) {
      if_(k < 4, [&] { tile[k] = k; });
      if_(k >= 4, [] {}).else_([&] { tile[k] += i; });
      if_(k < 4, [&] { if_(i > 3, [&] { tile[k] += 100; }); });
    }
    out[i] = tile[0] + tile[3];
  });
  EXPECT_EQ(result[1], 5);
  EXPECT_EQ(result[7], 217);
}

TEST_F(JitExtents, ABufferOfAnotherSizeSaysWhatToWrite) {
  const Buffer odd(context_, 7);
  const Error error = fixtures::error_of([&] { device_span<float>(odd); });
  EXPECT_STREQ(error.what(), "a buffer of 7 bytes is no whole number of elements of 4 bytes");
  EXPECT_THAT(error.hint(), HasSubstr("DeviceSpan<T>{buffer.address(), 1}"));
}

}  // namespace
}  // namespace tare
