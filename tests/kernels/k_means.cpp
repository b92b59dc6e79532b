// Point by point.
#include <array>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kPoints = 2500, kCentres = 6, kThreads = 128, kSteps = 4;

/// Six clouds.
std::vector<std::int32_t> points() {
  Numbers numbers(47);
  std::vector<std::int32_t> all;
  for (unsigned i = 0; i < kPoints; ++i)
    for (unsigned axis = 0; axis < 3; ++axis) {
      const auto middle = static_cast<std::int32_t>((i % kCentres) * (axis + 1) * 1700 % 5000) - 2500;
      all.push_back(middle + static_cast<std::int32_t>(numbers.below(3000)) - 1500);
    }
  return all;
}
std::vector<double> first_centres() {
  const auto all = points();
  return {all.begin(), all.begin() + kCentres * 3};
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(points());
  const auto centres = stage.upload(first_centres());
  const auto nearest = stage.filled<std::uint8_t>(kPoints);
  const auto sums = stage.filled<std::uint64_t>(kCentres * 3);
  const auto counts = stage.filled<std::uint32_t>(kCentres);
  for (unsigned step = 0; step < kSteps; ++step) {
    stage.launch("assign", {.grid = {blocks_for(kPoints, kThreads)}, .block = {kThreads}}, in, kPoints,
                 centres, nearest, sums, counts);
    stage.launch("move_centres", {.grid = {1}, .block = {kCentres * 3}}, centres, sums, counts);
  }
  return Outputs().add("centres", stage.download(centres)).add("nearest", stage.download(nearest));
}

Outputs expected() {
  const auto in = points();
  std::vector<double> centres = first_centres();
  std::vector<std::uint8_t> nearest(kPoints);
  for (unsigned step = 0; step < kSteps; ++step) {
    std::array<std::int64_t, kCentres * 3> sums{};
    std::array<unsigned, kCentres> counts{};
    for (std::size_t i = 0; i < kPoints; ++i) {
      double least = 1e300;
      for (std::size_t c = 0; c < kCentres; ++c) {
        double distance = 0.0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const double d = in[i * 3 + axis] - centres[c * 3 + axis];
          distance += d * d;
        }
        if (distance < least) {
          least = distance;
          nearest[i] = static_cast<std::uint8_t>(c);
        }
      }
      for (std::size_t axis = 0; axis < 3; ++axis) sums[nearest[i] * 3u + axis] += in[i * 3 + axis];
      ++counts[nearest[i]];
    }
    for (std::size_t i = 0; i < kCentres * 3; ++i)
      if (counts[i / 3] != 0) centres[i] = static_cast<double>(sums[i]) / counts[i / 3];
  }
  return Outputs().add("centres", centres).add("nearest", nearest);
}

}  // namespace

Complete k_means() {
  return {"k_means", run, expected, {}};
}

}  // namespace tare::kernels
