// The transform as a recursion over even and odd points, which rounds as the butterflies do; and, so that the
// recursion itself is held against something, the sum that defines it.
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kPoints = 256, kBlocks = 4;

struct Point {
  float re, im;
};

std::vector<Point> input() {
  Numbers numbers(23);
  return Numbers::many<Point>(kPoints * kBlocks, [&] {
    const float re = numbers.f32();
    return Point{re, numbers.f32()};
  });
}

std::vector<Point> twiddles() {
  std::vector<Point> all;
  for (unsigned k = 0; k < kPoints / 2; ++k) {
    const double angle = -2.0 * std::numbers::pi * k / kPoints;
    all.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
  }
  return all;
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(input()), table = stage.upload(twiddles());
  const auto spectrum = stage.filled<Point>(in.count()), back = stage.filled<Point>(in.count());
  const Launch shape{.grid = {kBlocks}, .block = {kPoints / 2}};
  stage.launch("fft_radix2", shape, in, spectrum, table, 0);
  stage.launch("fft_radix2", shape, spectrum, back, table, 1);
  return Outputs().add("spectrum", stage.download(spectrum)).add("back", stage.download(back));
}

std::vector<Point> transform(const std::vector<Point>& in, const std::vector<Point>& table, bool inverse) {
  const std::size_t count = in.size();
  if (count == 1) return in;
  std::vector<Point> even, odd, out(count);
  for (std::size_t i = 0; i < count; i += 2) {
    even.push_back(in[i]);
    odd.push_back(in[i + 1]);
  }
  even = transform(even, table, inverse);
  odd = transform(odd, table, inverse);
  for (std::size_t k = 0; k < count / 2; ++k) {
    Point w = table[k * (kPoints / count)];
    if (inverse) w.im = -w.im;
    const Point a = even[k], b = odd[k];
    const Point turned{w.re * b.re - w.im * b.im, w.re * b.im + w.im * b.re};
    out[k] = {a.re + turned.re, a.im + turned.im};
    out[k + count / 2] = {a.re - turned.re, a.im - turned.im};
  }
  return out;
}

void check_by_definition(const std::vector<Point>& in, const std::vector<Point>& out) {
  for (unsigned k = 0; k < kPoints; k += 37) {
    double re = 0, im = 0;
    for (unsigned i = 0; i < kPoints; ++i) {
      const double angle = -2.0 * std::numbers::pi * ((i * k) % kPoints) / kPoints;
      const double a = static_cast<double>(in[i].re), b = static_cast<double>(in[i].im);
      re += a * std::cos(angle) - b * std::sin(angle);
      im += a * std::sin(angle) + b * std::cos(angle);
    }
    if (std::abs(re - static_cast<double>(out[k].re)) > 1e-4 ||
        std::abs(im - static_cast<double>(out[k].im)) > 1e-4)
      throw std::logic_error("the oracle's transform is not the Fourier transform");
  }
}

Outputs expected() {
  const auto all = input(), table = twiddles();
  std::vector<Point> spectrum, back;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const std::vector<Point> in(&all[block * kPoints], &all[block * kPoints] + kPoints);
    const auto out = transform(in, table, false);
    check_by_definition(in, out);
    spectrum.insert(spectrum.end(), out.begin(), out.end());
    for (const Point& point : transform(out, table, true))
      back.push_back({point.re * (1.0f / 256.0f), point.im * (1.0f / 256.0f)});
  }
  return Outputs().add("spectrum", spectrum).add("back", back);
}

}  // namespace

Complete fft_radix2() {
  return {"fft_radix2", run, expected, {}};
}

}  // namespace tare::kernels
