// Logarithm and cosine are series of our own: a libm's last bit differs from one machine to the next.
#include "compare/case/random.hpp"

#include <bit>
#include <cmath>

namespace tare::compare {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Natural logarithm of a normal positive double: 2 atanh((m - 1) / (m + 1)) for m near 1, by its series.
double series_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const bool upper = (bits & 0xfffffffffffff) > 0x6a09e667f3bcd;  // mantissa above the square root of 2
  const double exponent = static_cast<double>(static_cast<int>(bits >> 52) - 1023 + (upper ? 1 : 0));
  const double m =
      std::bit_cast<double>((bits & 0xfffffffffffff) | (std::uint64_t{upper ? 1022u : 1023u} << 52));
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double sum = 0;
  for (int odd = 21; odd >= 1; odd -= 2) sum = sum * z + 1.0 / odd;
  return exponent * 0.69314718055994530942 + 2 * s * sum;
}

/// cos(2 pi t) for t in [0, 1), by folding into [-1/8, 1/8] of a turn and the series of sine or cosine.
double series_cos_turn(double t) {
  const double quarter = static_cast<double>(static_cast<int>(t * 4 + 0.5));  // 0..4, the nearest
  const double angle = (t - quarter / 4) * 6.28318530717958647693;
  const double z = angle * angle;
  double cosine = 0, sine = 0;
  for (int k = 16; k >= 2; k -= 2) {
    cosine = (1 + cosine) * (-z / (k * (k - 1)));
    sine = (1 + sine) * (-z / (k * (k + 1)));
  }
  switch (static_cast<int>(quarter) & 3) {
    case 0:
      return 1 + cosine;
    case 1:
      return -angle * (1 + sine);
    case 2:
      return -(1 + cosine);
    default:
      return angle * (1 + sine);
  }
}

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i) {
  return mix(mix(seed + kGolden) + (i + 1) * kGolden);
}

double random_unit(std::uint64_t seed, std::uint64_t i) {
  return static_cast<double>(random_bits(seed, i) >> 11) * 0x1p-53;
}

double random_normal(std::uint64_t seed, std::uint64_t i) {
  const double u = (static_cast<double>(random_bits(seed, 2 * i) >> 11) + 0.5) * 0x1p-53;  // never 0
  return std::sqrt(-2 * series_log(u)) * series_cos_turn(random_unit(seed, 2 * i + 1));
}

}  // namespace tare::compare
