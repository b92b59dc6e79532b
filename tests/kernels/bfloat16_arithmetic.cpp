// Doubles, in which sums and products of these numbers are exact, rounded once to eight bits.
#include <bit>
#include <cmath>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 2000, kThreads = 128, kRows = 64, kPairs = 40;

/// Between 2^-10 and 2^10 in size.
std::vector<std::uint16_t> input(std::uint64_t seed, std::size_t count) {
  Numbers numbers(seed);
  return Numbers::many<std::uint16_t>(count, [&] {
    const std::uint32_t rest = numbers.u32();
    return static_cast<std::uint16_t>((rest & 0x807fu) | (117 + (rest >> 16) % 20) << 7);
  });
}

Outputs run(const Stage& stage) {
  const auto a = stage.upload(input(63, kCount)), b = stage.upload(input(64, kCount)),
             c = stage.upload(input(65, kCount)), out = stage.filled<std::uint16_t>(kCount * 8);
  stage.launch("brains", {.grid = {blocks_for(kCount, kThreads)}, .block = {kThreads}}, a, b, c, kCount, out);
  const auto weights = stage.upload(input(66, kRows * kPairs * 2)),
             inputs = stage.upload(input(67, kPairs * 2));
  const auto sums = stage.filled<float>(kRows);
  stage.launch("layer", {.grid = {2}, .block = {kRows / 2}}, weights, inputs, kPairs, sums);
  return Outputs().add("brains", stage.download(out)).add("layer", stage.download(sums));
}

float value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// A double that is a multiple of a quantum far above float's smallest, to eight bits: to even where in the
/// middle, or towards zero.
std::uint16_t rounded(double exact, bool towards_zero = false) {
  if (exact == 0.0) return 0;
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(std::abs(exact), &exponent), 8);  // in [128, 256)
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  if (!towards_zero && (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) != 0.0))) whole += 1.0;
  const auto result = static_cast<float>(std::copysign(std::ldexp(whole, exponent - 8), exact));
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(result) >> 16);
}

Outputs expected() {
  const auto a = input(63, kCount), b = input(64, kCount), c = input(65, kCount);
  std::vector<std::uint16_t> out;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto x = static_cast<double>(value(a[i])), y = static_cast<double>(value(b[i])),
               z = static_cast<double>(value(c[i]));
    out.insert(out.end(),
               {rounded(x + y), rounded(x - y), rounded(x * y), rounded(x * y + z), x < y ? a[i] : b[i],
                x > z ? a[i] : c[i], rounded(x * 1.00390625), rounded(x * 1.00390625, true)});
  }
  const auto weights = input(66, kRows * kPairs * 2), inputs = input(67, kPairs * 2);
  std::vector<float> sums;
  for (std::size_t row = 0; row < kRows; ++row) {
    float sum = 0.0f;
    for (std::size_t i = 0; i < kPairs * 2; ++i)
      sum += value(rounded(static_cast<double>(value(weights[row * kPairs * 2 + i])) *
                           static_cast<double>(value(inputs[i]))));
    sums.push_back(sum > 0.0f ? sum : 0.0f);
  }
  return Outputs().add("brains", out).add("layer", sums);
}

}  // namespace

Complete bfloat16_arithmetic() {
  return {"bfloat16_arithmetic", run, expected, {}};
}

}  // namespace tare::kernels
