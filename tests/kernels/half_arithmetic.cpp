// Whole numbers of 2^-48, rounded once.
#include <algorithm>
#include <cmath>

#include "harness/complete.hpp"
#include "harness/half.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 2000, kThreads = 128, kPairs = 300, kDotThreads = 64;

/// Finite; every fourth with any exponent, subnormal ones and zeros among them, the others between 2^-6 and
/// 2^6.
std::vector<std::uint16_t> input(std::uint64_t seed) {
  Numbers numbers(seed);
  unsigned i = 0;
  return Numbers::many<std::uint16_t>(kCount, [&] {
    const std::uint32_t exponent = i++ % 4 == 0 ? numbers.below(31) : 9 + numbers.below(12);
    const std::uint32_t rest = numbers.u32();
    return static_cast<std::uint16_t>((rest & 0x8000u) | exponent << 10 | (i % 64 == 1 ? 0 : rest & 0x3ffu));
  });
}
/// Small enough for sums of products to stay exact in their range.
std::vector<std::uint16_t> factors(std::uint64_t seed) {
  Numbers numbers(seed);
  return Numbers::many<std::uint16_t>(2 * kPairs, [&] {
    const std::uint32_t rest = numbers.u32();
    return static_cast<std::uint16_t>((rest & 0x83ffu) | (10 + (rest >> 16) % 6) << 10);
  });
}

Outputs run(const Stage& stage) {
  const auto a = stage.upload(input(58)), b = stage.upload(input(59)), c = stage.upload(input(60)),
             out = stage.filled<std::uint16_t>(kCount * 8), back = stage.filled<std::uint16_t>(kCount * 4);
  const auto floats = stage.filled<float>(kCount), total = stage.filled<float>(1);
  const auto integers = stage.filled<std::int32_t>(kCount * 2);
  const Launch shape{.grid = {blocks_for(kCount, kThreads)}, .block = {kThreads}};
  stage.launch("halves", shape, a, b, c, kCount, out);
  stage.launch("conversions", shape, a, kCount, floats, integers, back);
  const auto x = stage.upload(factors(61)), y = stage.upload(factors(62)),
             partial = stage.filled<std::uint16_t>(2 * kDotThreads);
  stage.launch("dot", {.grid = {1}, .block = {kDotThreads}}, x, y, kPairs, partial, total);
  return Outputs()
      .add("halves", stage.download(out))
      .add("floats", stage.download(floats))
      .add("integers", stage.download(integers))
      .add("back", stage.download(back))
      .add("partial", stage.download(partial))
      .add("total", stage.download(total));
}

std::uint16_t smaller(std::uint16_t a, std::uint16_t b) {
  if (half::units(a) == half::units(b)) return half::negative(a) ? a : b;  // -0 is below +0
  return half::units(a) < half::units(b) ? a : b;
}
std::uint16_t larger(std::uint16_t a, std::uint16_t b) {
  if (half::units(a) == half::units(b)) return half::negative(a) ? b : a;
  return half::units(a) > half::units(b) ? a : b;
}

std::uint16_t flipped(std::uint16_t bits) {
  return bits ^ 0x8000u;
}

/// Towards zero: the nearest, less one step where that is further out.
std::uint16_t cut(double exact) {
  const std::uint16_t nearest = half::from_double(exact);
  if (nearest % 0x8000u == 0x7c00u) return static_cast<std::uint16_t>(nearest - 1);
  return std::abs(half::value(nearest)) > std::abs(exact) ? static_cast<std::uint16_t>(nearest - 1) : nearest;
}

std::int32_t to_nearest(double exact) {
  const double floor = std::floor(exact), rest = exact - floor;
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(floor, 2.0) != 0.0);
  return static_cast<std::int32_t>(up ? floor + 1.0 : floor);
}

Outputs expected() {
  const auto a = input(58), b = input(59), c = input(60);
  std::vector<std::uint16_t> out, back;
  std::vector<float> floats;
  std::vector<std::int32_t> integers;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint16_t x = a[i], y = b[i], z = c[i];
    const std::int64_t ux = half::units(x), uy = half::units(y), uz = half::units(z);
    const unsigned compared = (ux < uy ? 1u : 0u) | (ux >= uz ? 2u : 0u) | 4u | (uy != uz ? 8u : 0u);
    out.insert(out.end(), {half::sum(x, y), half::sum(x, flipped(y)), half::product(x, y),
                           half::fused(x, y, z), smaller(x, y), larger(x, z),
                           static_cast<std::uint16_t>(x | 0x8000u), static_cast<std::uint16_t>(compared)});
    const double value = half::negative(x) && ux == 0 ? -0.0 : half::value(x);
    const float wide = static_cast<float>(value);
    floats.push_back(wide);
    integers.push_back(to_nearest(value));
    integers.push_back(static_cast<std::int32_t>(value));
    const auto product = static_cast<double>(wide * 1.0009765f);
    back.push_back(half::from_double(product));
    back.push_back(cut(product));
    back.push_back(half::from_double(static_cast<double>(to_nearest(value) * 37)));
    back.push_back(half::from_double(value / 3.0));
  }
  const auto x = factors(61), y = factors(62);
  std::vector<std::uint16_t> partial(2 * kDotThreads);
  float total = 0.0f;
  for (std::size_t thread = 0; thread < kDotThreads; ++thread)
    for (std::size_t side = 0; side < 2; ++side) {
      std::uint16_t& sum = partial[2 * thread + side];
      for (std::size_t i = thread; i < kPairs; i += kDotThreads)
        sum = half::fused(x[2 * i + side], y[2 * i + side], sum);
      sum = half::sum(sum, half::product(x[side], y[side]));
    }
  for (std::size_t thread = 0; thread < kDotThreads; ++thread)
    total += static_cast<float>(half::value(partial[2 * thread])) +
             static_cast<float>(half::value(partial[2 * thread + 1]));
  return Outputs()
      .add("halves", out)
      .add("floats", floats)
      .add("integers", integers)
      .add("back", back)
      .add("partial", partial)
      .add("total", std::vector{total});
}

}  // namespace

Complete half_arithmetic() {
  return {"half_arithmetic", run, expected, {}};
}

}  // namespace tare::kernels
