// tare::half, on the host and in kernels: all of its numbers.
#include <cmath>

#include "../../../kernels/harness/half.hpp"
#include "fixture.hpp"

namespace tare {
namespace {

namespace exact = kernels::half;

std::vector<half> finite_halves() {
  std::vector<half> all;
  for (unsigned bits = 0; bits < 0x10000; ++bits)
    if ((bits & 0x7c00u) != 0x7c00u) all.push_back(half::from_bits(static_cast<std::uint16_t>(bits)));
  return all;
}

TEST(Half, IsTheFloatThatItsBitsSay) {
  for (const half x : finite_halves()) {
    ASSERT_EQ(static_cast<double>(x), exact::value(x.bits)) << x.bits;
    ASSERT_EQ(std::signbit(static_cast<float>(x)), exact::negative(x.bits));
    ASSERT_EQ(half(static_cast<float>(x)).bits, x.bits);
  }
  EXPECT_EQ(static_cast<float>(half::from_bits(0xfc00)), -INFINITY);
  EXPECT_TRUE(std::isnan(static_cast<float>(half::from_bits(0x7c01))));
}

TEST(Half, RoundsToNearestAndTiesToEven) {
  std::uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    // 24 bits after the point, of every size up to the largest half's.
    const double x = static_cast<double>(static_cast<std::int64_t>(state) >> (24 + state % 40)) * 0x1p-24;
    if (std::abs(x) >= 70000) continue;
    ASSERT_EQ(half(x).bits, exact::from_double(x)) << x;
  }
  EXPECT_EQ(half(65519.99).bits, 0x7bff);
  EXPECT_EQ(half(-65520).bits, 0xfc00);
  EXPECT_EQ(half(1 + 0x1p-11 + 0x1p-40).bits, 0x3c01);  // by way of float it would be a tie
  EXPECT_EQ(half(0x1p-25).bits, 0);
  EXPECT_EQ(half(0x1.0001p-25).bits, 1);
  EXPECT_EQ(half(NAN).bits, 0x7e00);
}

class JitHalf : public fixtures::JitTest, public ::testing::WithParamInterface<JitCompiler> {
 protected:
  void SetUp() override {
    if (GetParam() == JitCompiler::clang) TARE_NEEDS(clang);
    if (GetParam() == JitCompiler::libnvvm) TARE_NEEDS(nvvm);
    options_.compiler = GetParam();
  }
  JitOptions options_;
};

TEST_P(JitHalf, ArithmeticIsTheExactResultRoundedOnce) {
  const auto kernel = jit(
      [](auto a, auto b, auto sums, auto products, auto quotients, auto roots) {
        const auto i = grid_index();
        if_(i >= a.size(), [] { return_(); });
        const half five(5.0f);
        sums[i] = a[i] + b[i];
        products[i] = a[i] * b[i];
        quotients[i] = a[i] / five;
        roots[i] = sqrt(abs(a[i]));
      },
      options_);
  const std::vector<half> a = finite_halves();
  std::vector<half> b;
  for (std::size_t i = 0; i < a.size(); ++i) b.push_back(a[i * 40503 % a.size()]);
  const Buffer da = buffer(a), db = buffer(b), sums = buffer(a), products = buffer(a), quotients = buffer(a),
               roots = buffer(a);
  kernel({256, 256, stream_}, device_span<const half>(da), device_span<const half>(db),
         device_span<half>(sums), device_span<half>(products), device_span<half>(quotients),
         device_span<half>(roots));
  const auto sum = read<half>(sums), product = read<half>(products), quotient = read<half>(quotients),
             root = read<half>(roots);
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(sum[i].bits, exact::sum(a[i].bits, b[i].bits)) << a[i].bits << " " << b[i].bits;
    ASSERT_EQ(product[i].bits, exact::product(a[i].bits, b[i].bits));
    // Of 11 bits each, so that a double tells them from a tie.
    ASSERT_EQ(quotient[i].bits, half(static_cast<double>(a[i]) / 5).bits);
    ASSERT_EQ(root[i].bits, half(std::sqrt(std::abs(static_cast<double>(a[i])))).bits);
  }
}

TEST_P(JitHalf, MixesAsFloat16OfCpp23) {
  const auto kernel = jit(
      [](auto out, auto scale) {
        const auto i = cast<int>(thread_index().x);
        auto x = var(cast<half>(i));
        static_assert(std::same_as<decltype(x + i), Value<half>>);
        static_assert(std::same_as<decltype(x * 0.5f), Value<float>>);
        static_assert(std::same_as<decltype(x * 0.5), Value<double>>);
        static_assert(std::same_as<decltype(x < 1), Value<bool>>);
        x += i * 100;
        x *= scale;
        x = select(x > half(3.0f), shfl_xor_sync(kWholeWarp, x, 1u), -x);
        out[i] = cast<double>(x) + cast<double>(max(x, half(1.0f))) + cast<int>(x) + cast<half>(0.1);
      },
      options_);
  const auto out = run<double>(kernel, half(0.5f));
  for (int i = 0; i < 32; ++i) {
    const auto scaled = [](int k) {
      return static_cast<double>(half(static_cast<double>(half(k * 101)) * 0.5));
    };
    const double x = scaled(i) > 3 ? scaled(i ^ 1) : -scaled(i);
    ASSERT_EQ(out[static_cast<std::size_t>(i)],
              x + std::max(x, 1.0) + static_cast<int>(x) + static_cast<double>(half(0.1)))
        << i;
  }
  EXPECT_EQ(kernel.specializations().at(0)->signature, "kernel(double[], half)");
}

TEST_P(JitHalf, AtomicAddRoundsToHalfAndKeepsSubnormalNumbers) {
  const auto kernel = jit(
      [](auto sums, auto before) {
        const auto i = thread_index().x;
        const auto shared = shared_array<half, 2>();
        if_(i == 0u, [&] { shared[0] = 1.0f, shared[1] = 0.0f; });
        sync_threads();
        before[i] = atomic_add(sums[0], 0.5f);
        atomic_add(sums[4], 0.5f);
        atomic_add(shared[0], half(0.25f));
        atomic_add(shared[1], half::from_bits(1));
        atomic_add(sums[2], 1);
        sync_threads();
        if_(i == 0u, [&] { sums[1] = shared[0], sums[3] = shared[1]; });
      },
      options_);
  // Below 1024 the halves are 0.5 apart, from there on 1, and a tie goes to the even one.
  const Buffer sums = buffer(
                   std::vector<half>{half(1008.0f), half(7.0f), half(-3.0f), half(7.0f), half(1025.0f)}),
               before = buffer(std::vector<half>(32));
  kernel({1, 32, stream_}, device_span<half>(sums), device_span<half>(before));
  const auto got = read<half>(sums);
  EXPECT_EQ(static_cast<float>(got[0]), 1024.0f);
  EXPECT_EQ(static_cast<float>(got[1]), 9.0f);
  EXPECT_EQ(static_cast<float>(got[2]), 29.0f);
  EXPECT_EQ(got[3].bits, 32);
  EXPECT_EQ(static_cast<float>(got[4]), 1026.0f);
  std::vector<float> seen;
  for (const half x : read<half>(before)) seen.push_back(static_cast<float>(x));
  std::ranges::sort(seen);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], 1008.0f + 0.5f * static_cast<float>(i));
}

INSTANTIATE_TEST_SUITE_P(Both, JitHalf, ::testing::Values(JitCompiler::libnvvm, JitCompiler::clang),
                         [](const auto& param_info) {
                           return param_info.param == JitCompiler::clang ? "Clang" : "LibNvvm";
                         });

}  // namespace
}  // namespace tare
