// Three plain loops.
#include <algorithm>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr int kVertices = 64, kTile = 16, kFar = 1 << 28;

std::vector<std::int32_t> edges() {
  Numbers numbers(41);
  std::vector<std::int32_t> all(kVertices * kVertices, kFar);
  for (std::size_t i = 0; i < kVertices; ++i) {
    all[i * kVertices + i] = 0;
    for (int edge = 0; edge < 3; ++edge)
      all[i * kVertices + numbers.below(kVertices - 4)] = static_cast<std::int32_t>(1 + numbers.below(1000));
  }
  return all;
}

Outputs run(const Stage& stage) {
  const auto distance = stage.upload(edges());
  constexpr unsigned tiles = kVertices / kTile;
  const Dim3 block{kTile, kTile};
  for (int k = 0; k < static_cast<int>(tiles); ++k) {
    stage.launch("diagonal", {.grid = {1}, .block = block}, distance, kVertices, k);
    stage.launch("row_and_column", {.grid = {tiles, 2}, .block = block}, distance, kVertices, k);
    stage.launch("rest", {.grid = {tiles, tiles}, .block = block}, distance, kVertices, k);
  }
  return Outputs().add("distance", stage.download(distance));
}

Outputs expected() {
  std::vector<std::int32_t> distance = edges();
  for (std::size_t k = 0; k < kVertices; ++k)
    for (std::size_t i = 0; i < kVertices; ++i)
      for (std::size_t j = 0; j < kVertices; ++j)
        distance[i * kVertices + j] =
            std::min(distance[i * kVertices + j], distance[i * kVertices + k] + distance[k * kVertices + j]);
  return Outputs().add("distance", distance);
}

}  // namespace

Complete floyd_warshall() {
  return {"floyd_warshall", run, expected, {}};
}

}  // namespace tare::kernels
