// What reaches a kernel for every kind of argument, and which lists of arguments are refused.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "unit/gpu/support.hpp"

namespace tare::testing_support {
namespace {

using List = std::vector<std::pair<std::size_t, std::size_t>>;

List offsets_and_sizes(const Kernel& kernel) {
  List list;
  if (!kernel.parameters()) return {{std::size_t(-1), std::size_t(-1)}};
  for (const auto& parameter : *kernel.parameters()) list.emplace_back(parameter.offset, parameter.size);
  return list;
}

class Arguments : public OnDevice {
 protected:
  std::vector<double> scalars(float f, char c, long long q, bool b) {
    Buffer out(context_, 4 * sizeof(double));
    load(kScalars).kernel("k").launch(stream_, {}, out.pointer(), f, c, q, b);
    stream_.synchronize();
    return host_copy<double>(out);
  }
};

TEST_F(Arguments, ScalarsArriveWithTheirValue) {
  EXPECT_EQ(scalars(2.0f, 'A', 1LL << 40, true), (std::vector<double>{2.0, 65.0, 1099511627776.0, 1.0}));
  EXPECT_EQ(scalars(0.1f, char(-3), -1, false), (std::vector<double>{0.1f, -3.0, -1.0, 0.0}));
}

TEST_F(Arguments, ParametersAreThoseOfTheCompiledKernel) {
  EXPECT_EQ(offsets_and_sizes(load(kScalars).kernel("k")), (List{{0, 8}, {8, 4}, {12, 1}, {16, 8}, {24, 1}}));
  EXPECT_EQ(offsets_and_sizes(load(kNothing).kernel("nothing")), List{});
}

TEST_F(Arguments, ADoubleForAFloatIsRefusedByIndexSizesAndOffset) {
  Buffer out(context_, 4 * sizeof(double));
  const auto kernel = load(kScalars).kernel("k");
  const auto error = error_of([&] { kernel.launch(stream_, {}, out.pointer(), 2.0, 'c', 1LL, true); });
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  EXPECT_STREQ(error.what(),
               "argument 2 of kernel `k` is 8 bytes, the kernel's parameter is 4 bytes at offset 8");
  EXPECT_EQ(
      error.hint(),
      "pass a value whose C++ type has exactly 4 bytes, for example static_cast<float or std::int32_t>");
}

TEST_F(Arguments, EveryOtherWidthIsRefusedToo) {
  Buffer out(context_, 4 * sizeof(double));
  const auto kernel = load(kScalars).kernel("k");
  const auto refused = [&](auto... arguments) {
    return std::string(error_of([&] { kernel.launch(stream_, {}, arguments...); }).what());
  };
  const auto o = out.pointer();
  EXPECT_EQ(refused(o, std::int16_t(2), 'c', 1LL, true),
            "argument 2 of kernel `k` is 2 bytes, the kernel's parameter is 4 bytes at offset 8");
  EXPECT_EQ(refused(o, 2.0f, 3, 1LL, true),
            "argument 3 of kernel `k` is 4 bytes, the kernel's parameter is 1 byte at offset 12");
  EXPECT_EQ(refused(o, 2.0f, 'c', 1, true),
            "argument 4 of kernel `k` is 4 bytes, the kernel's parameter is 8 bytes at offset 16");
  EXPECT_EQ(refused(o, 2.0f, 'c', 1LL, 1),
            "argument 5 of kernel `k` is 4 bytes, the kernel's parameter is 1 byte at offset 24");
  EXPECT_EQ(refused(1.0f, 2.0f, 'c', 1LL, true),
            "argument 1 of kernel `k` is 4 bytes, the kernel's parameter is 8 bytes at offset 0");
  EXPECT_EQ(refused(o, std::array<float, 2>{}, 'c', 1LL, true),
            "argument 2 of kernel `k` is 8 bytes, the kernel's parameter is 4 bytes at offset 8");
}

TEST_F(Arguments, AWrongNumberOfArgumentsIsRefused) {
  Buffer out(context_, 4 * sizeof(double));
  const auto kernel = load(kScalars).kernel("k");
  const auto none = error_of([&] { kernel.launch(stream_, {}); });
  EXPECT_EQ(none.kind(), ErrorKind::argument);
  EXPECT_STREQ(none.what(), "kernel `k` takes 5 arguments, 0 were given");
  EXPECT_STREQ(error_of([&] { kernel.launch(stream_, {}, out.pointer(), 2.0f, 'c', 1LL); }).what(),
               "kernel `k` takes 5 arguments, 4 were given");
  EXPECT_STREQ(error_of([&] { kernel.launch(stream_, {}, out.pointer(), 2.0f, 'c', 1LL, true, 6); }).what(),
               "kernel `k` takes 5 arguments, 6 were given");
  EXPECT_STREQ(error_of([&] { load(kNothing).kernel("nothing").launch(stream_, {}, 1); }).what(),
               "kernel `nothing` takes 0 arguments, 1 was given");
}

TEST_F(Arguments, ARefusedListIsRefusedAgainAndARightOneStillRuns) {
  Buffer out(context_, 4 * sizeof(double));
  const auto kernel = load(kScalars).kernel("k");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(error_of([&] { kernel.launch(stream_, {}, out.pointer(), 2.0, 'c', 1LL, true); }).kind(),
              ErrorKind::argument);
    kernel.launch(stream_, {}, out.pointer(), 2.5f, 'c', 1LL, true);
  }
  stream_.synchronize();
  EXPECT_EQ(host_copy<double>(out)[0], 2.5);
}

TEST_F(Arguments, ListsKnownOnlyAtRunTimeAreCheckedLikeTyped) {
  Buffer out(context_, 4 * sizeof(double));
  const auto kernel = load(kScalars).kernel("k");
  std::uint64_t o = out.address();
  float f = 1.25f;
  char c = 7;
  long long q = 9;
  bool b = true;
  std::vector<void*> pointers{&o, &f, &c, &q, &b};
  std::vector<std::size_t> sizes{8, 4, 1, 8, 1};
  kernel.launch(stream_, {}, pointers, sizes);
  stream_.synchronize();
  EXPECT_EQ(host_copy<double>(out), (std::vector<double>{1.25, 7.0, 9.0, 1.0}));

  sizes[1] = 8;
  EXPECT_STREQ(error_of([&] { kernel.launch(stream_, {}, pointers, sizes); }).what(),
               "argument 2 of kernel `k` is 8 bytes, the kernel's parameter is 4 bytes at offset 8");
  sizes.pop_back();
  EXPECT_STREQ(error_of([&] { kernel.launch(stream_, {}, pointers, sizes); }).what(),
               "5 argument pointers were given with 4 sizes");
}

TEST_F(Arguments, AKernelWithoutParametersIsLaunchedWithNone) {
  load(kNothing).kernel("nothing").launch(stream_, {.grid = {3}, .block = {32}});
  EXPECT_NO_THROW(stream_.synchronize());
}

TEST_F(Arguments, ANullPointerArrivesAsZero) {
  const auto kernel = load(std::string(kHeader) + R"(
.visible .entry address(.param .u64 o, .param .u64 p)
{
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [o];
  ld.param.u64 %rd2, [p];
  st.global.u64 [%rd1], %rd2;
  ret;
})")
                          .kernel("address");
  const auto out = device_copy<std::uint64_t>({42});
  kernel.launch(stream_, {}, out.pointer(), nullptr);
  stream_.synchronize();
  EXPECT_EQ(host_copy<std::uint64_t>(out)[0], 0u);
  kernel.launch(stream_, {}, out.pointer(), out.pointer());
  stream_.synchronize();
  EXPECT_EQ(host_copy<std::uint64_t>(out)[0], out.address());
}

// A half is its 16 bits, on the host and in the kernel: nothing may turn it into another number on the way.
TEST_F(Arguments, HalvesArriveBitForBit) {
  const auto kernel = load(std::string(kHeader) + R"(
.visible .entry half(.param .u64 o, .param .b16 h)
{
  .reg .b64 %rd<2>;
  .reg .b16 %rs<2>;
  ld.param.u64 %rd1, [o];
  ld.param.b16 %rs1, [h];
  st.global.b16 [%rd1], %rs1;
  ret;
})")
                          .kernel("half");
  struct Half {
    std::uint16_t bits;
  };
  EXPECT_EQ(offsets_and_sizes(kernel), (List{{0, 8}, {8, 2}}));
  Buffer out(context_, 2);
  for (const auto bits : std::initializer_list<std::uint16_t>{0x3e00, 0x8000, 0x7e55, 0x0001, 0xffff}) {
    kernel.launch(stream_, {}, out.pointer(), Half{bits});
    stream_.synchronize();
    EXPECT_EQ(host_copy<std::uint16_t>(out)[0], bits);
  }
  EXPECT_STREQ(error_of([&] { kernel.launch(stream_, {}, out.pointer(), 1.5f); }).what(),
               "argument 2 of kernel `half` is 4 bytes, the kernel's parameter is 2 bytes at offset 8");
}

TEST_F(Arguments, StructsArriveWithTheLayoutOfTheKernel) {
  struct Padded {
    char tag;
    double weight;
    short count;
  };
  struct alignas(16) Aligned {
    float x, y, z;
  };
  struct Three {
    float x, y, z;
  };
  const auto kernel = load(std::string(kHeader) + R"(
.visible .entry k(.param .u64 o, .param .align 8 .b8 p[24], .param .align 16 .b8 q[16],
                  .param .align 4 .b8 t[12], .param .u32 last)
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  .reg .b16 %rs<3>;
  .reg .f32 %f<3>;
  .reg .f64 %fd<7>;
  ld.param.u64 %rd1, [o];
  ld.param.s8 %rs1, [p];
  cvt.rn.f64.s16 %fd1, %rs1;
  st.global.f64 [%rd1], %fd1;
  ld.param.f64 %fd2, [p+8];
  st.global.f64 [%rd1+8], %fd2;
  ld.param.s16 %rs2, [p+16];
  cvt.rn.f64.s16 %fd3, %rs2;
  st.global.f64 [%rd1+16], %fd3;
  ld.param.f32 %f1, [q+8];
  cvt.f64.f32 %fd4, %f1;
  st.global.f64 [%rd1+24], %fd4;
  ld.param.f32 %f2, [t+8];
  cvt.f64.f32 %fd5, %f2;
  st.global.f64 [%rd1+32], %fd5;
  ld.param.u32 %r1, [last];
  cvt.rn.f64.s32 %fd6, %r1;
  st.global.f64 [%rd1+40], %fd6;
  ret;
})")
                          .kernel("k");
  EXPECT_EQ(offsets_and_sizes(kernel), (List{{0, 8}, {8, 24}, {32, 16}, {48, 12}, {60, 4}}));
  Buffer out(context_, 6 * sizeof(double));
  kernel.launch(stream_, {}, out.pointer(), Padded{'x', 2.5, -7}, Aligned{1, 2, 3.25f}, Three{4, 5, 6.5f},
                -9);
  stream_.synchronize();
  EXPECT_EQ(host_copy<double>(out), (std::vector<double>{120.0, 2.5, -7.0, 3.25, 6.5, -9.0}));

  struct [[gnu::packed]] Packed {
    char tag;
    double weight;
    short count;
  };
  const auto error = error_of([&] {
    kernel.launch(stream_, {}, out.pointer(), Packed{'x', 2.5, -7}, Aligned{1, 2, 3}, Three{4, 5, 6}, -9);
  });
  EXPECT_STREQ(error.what(),
               "argument 2 of kernel `k` is 11 bytes, the kernel's parameter is 24 bytes at offset 8");
  EXPECT_EQ(error.hint(),
            "a struct must have the same members, alignment and padding on the host as in the kernel");
}

// The check is skipped only for the very list that has passed it, whatever other threads launch meanwhile.
TEST_F(Arguments, ThreadsWithDifferentListsAreEachChecked) {
  const auto kernel = load(kScalars).kernel("k");
  constexpr int kRounds = 2000;
  std::atomic<int> refused{0};
  std::vector<std::vector<double>> results(2);
  const auto right = [&](std::size_t which) {
    try {
      const auto scope = context_.enter();
      Stream stream(context_);
      Buffer out(context_, 4 * sizeof(double));
      for (int i = 0; i < kRounds; ++i) {
        if (which == 0)
          kernel.launch(stream, {}, out.pointer(), 1.5f, 'a', static_cast<long long>(i), true);
        else
          kernel.launch(stream, {}, out.pointer(), 3, 'b', static_cast<unsigned long long>(i), false);
      }
      stream.synchronize();
      results[which] = host_copy<double>(out);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  };
  const auto wrong = [&] {
    const auto scope = context_.enter();
    Stream stream(context_);
    Buffer out(context_, 4 * sizeof(double));
    for (int i = 0; i < kRounds; ++i) {
      try {
        kernel.launch(stream, {}, out.pointer(), 1.5, 'a', 1LL, true);
      } catch (const Error& error) {
        refused += error.kind() == ErrorKind::argument;
      }
    }
    stream.synchronize();
  };
  std::thread threads[] = {std::thread(right, 0), std::thread(right, 1), std::thread(wrong)};
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(refused, kRounds);
  EXPECT_EQ(results[0], (std::vector<double>{1.5, 97.0, kRounds - 1.0, 1.0}));
  ASSERT_EQ(results[1].size(), 4u);
  EXPECT_EQ(results[1][2], kRounds - 1.0);
}

TEST(EmptyKernel, IsRefusedInsteadOfCrashing) {
  EXPECT_EQ(Kernel().name(), "");
  EXPECT_EQ(Kernel().handle(), nullptr);
  const auto error = error_of([] { Kernel().launch(StreamRef(nullptr), {}); });
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  EXPECT_STREQ(error.what(), "the kernel is empty: it was default-constructed or moved from");
}

}  // namespace
}  // namespace tare::testing_support
