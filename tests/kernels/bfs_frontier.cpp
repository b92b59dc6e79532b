// A queue. The order within a frontier is nobody's; levels and the sizes of the frontiers are.
#include <algorithm>
#include <queue>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kVertices = 2000, kThreads = 64;

struct Graph {
  std::vector<std::uint32_t> offsets{0}, neighbours;
};

/// Mostly near neighbours, so that there are many levels; some vertices cannot be reached.
Graph graph() {
  Numbers numbers(29);
  Graph made;
  for (unsigned vertex = 0; vertex < kVertices; ++vertex) {
    const unsigned degree = vertex % 97 == 96 ? 0 : 1 + numbers.below(4);
    for (unsigned edge = 0; edge < degree; ++edge)
      made.neighbours.push_back(std::min(vertex + numbers.below(40), kVertices - 1 - numbers.below(3)));
    made.offsets.push_back(static_cast<std::uint32_t>(made.neighbours.size()));
  }
  return made;
}

Outputs run(const Stage& stage) {
  const Graph made = graph();
  const auto offsets = stage.upload(made.offsets), neighbours = stage.upload(made.neighbours);
  std::vector<std::int32_t> start(kVertices, -1);
  start[0] = 0;
  const auto levels = stage.upload(start);
  auto frontier = stage.filled<std::uint32_t>(kVertices), next = stage.filled<std::uint32_t>(kVertices);
  std::vector<std::uint32_t> sizes{1};
  for (int level = 1; sizes.back() != 0; ++level) {
    const auto next_size = stage.filled<std::uint32_t>(1);
    stage.launch("bfs_step", {.grid = {blocks_for(sizes.back(), kThreads)}, .block = {kThreads}}, offsets,
                 neighbours, frontier, sizes.back(), levels, level, next, next_size);
    sizes.push_back(stage.download(next_size)[0]);
    std::swap(frontier, next);
  }
  return Outputs().add("levels", stage.download(levels)).add("sizes", sizes);
}

Outputs expected() {
  const Graph made = graph();
  std::vector<std::int32_t> levels(kVertices, -1);
  std::vector<std::uint32_t> sizes{1};
  std::queue<std::uint32_t> queue({0});
  levels[0] = 0;
  while (!queue.empty()) {
    const std::uint32_t vertex = queue.front();
    queue.pop();
    for (std::size_t edge = made.offsets[vertex]; edge < made.offsets[vertex + 1]; ++edge) {
      const std::uint32_t neighbour = made.neighbours[edge];
      if (levels[neighbour] != -1) continue;
      levels[neighbour] = levels[vertex] + 1;
      sizes.resize(std::max(sizes.size(), static_cast<std::size_t>(levels[neighbour]) + 1));
      ++sizes.back();
      queue.push(neighbour);
    }
  }
  sizes.push_back(0);
  return Outputs().add("levels", levels).add("sizes", sizes);
}

}  // namespace

Complete bfs_frontier() {
  return {"bfs_frontier", run, expected, {}};
}

}  // namespace tare::kernels
