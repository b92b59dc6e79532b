// Body by body, in the order of the tiles.
#include <cmath>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kBodies = 150, kThreads = 64, kSteps = 2;
constexpr float kStep = 0.01f, kSoftening = 0.001f;

std::vector<float> bodies() {
  std::vector<float> all = Numbers(28).f32s(kBodies * 4);
  for (std::size_t i = 3; i < all.size(); i += 4) all[i] = std::abs(all[i]);
  return all;
}

Outputs run(const Stage& stage) {
  auto now = stage.upload(bodies()), next = stage.filled<float>(kBodies * 4);
  const auto velocities = stage.filled<float>(kBodies * 4);
  for (unsigned i = 0; i < kSteps; ++i) {
    stage.launch(
        "n_body",
        {.grid = {blocks_for(kBodies, kThreads)}, .block = {kThreads}, .dynamic_shared_bytes = kThreads * 16},
        now, next, velocities, kBodies, kStep, kSoftening);
    std::swap(now, next);
  }
  return Outputs().add("bodies", stage.download(now)).add("velocities", stage.download(velocities));
}

Outputs expected() {
  std::vector<float> now = bodies(), velocities(kBodies * 4);
  for (unsigned step = 0; step < kSteps; ++step) {
    std::vector<float> next = now;
    for (std::size_t body = 0; body < kBodies; ++body) {
      const float* mine = &now[body * 4];
      float pull[3] = {0.0f, 0.0f, 0.0f};
      for (std::size_t other = 0; other < kBodies; ++other) {
        const float* theirs = &now[other * 4];
        const float dx = theirs[0] - mine[0], dy = theirs[1] - mine[1], dz = theirs[2] - mine[2];
        const float square = dx * dx + dy * dy + dz * dz + kSoftening;
        const float strength = theirs[3] / (square * std::sqrt(square));
        pull[0] += dx * strength;
        pull[1] += dy * strength;
        pull[2] += dz * strength;
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        velocities[body * 4 + axis] += pull[axis] * kStep;
        next[body * 4 + axis] = mine[axis] + velocities[body * 4 + axis] * kStep;
      }
    }
    now = next;
  }
  return Outputs().add("bodies", now).add("velocities", velocities);
}

}  // namespace

Complete n_body() {
  return {"n_body", run, expected, {}};
}

}  // namespace tare::kernels
