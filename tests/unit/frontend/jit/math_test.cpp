// The functions of numbers: one instruction each, or the device library's.
#include <algorithm>
#include <cmath>

#include "fixture.hpp"

namespace tare {
namespace {

using fixtures::JitLanguage;
using ::testing::ElementsAreArray;

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

}  // namespace
}  // namespace tare
