// Step after step.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 1500, kBlocks = 4, kThreads = 64, kSteps = 6;

std::vector<std::uint32_t> input() {
  return Numbers(76).u32s(kCount);
}

Outputs run(const Stage& stage) {
  const auto even = stage.upload(input()), odd = stage.filled<std::uint32_t>(kCount),
             arrived = stage.filled<std::uint32_t>(1);
  stage.launch("mix_steps", {.grid = {kBlocks}, .block = {kThreads}, .cooperative = true}, even, odd, kCount,
               kSteps, arrived);
  return Outputs().add("mixed", stage.download(even)).add("arrived", stage.download(arrived));
}

Outputs expected() {
  std::vector<std::uint32_t> from = input(), to(kCount);
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    for (std::uint32_t i = 0; i < kCount; ++i)
      to[i] = from[i] * 1664525u + (from[(i + kCount / 2 + step) % kCount] ^ (from[kCount - 1 - i] >> 7));
    std::swap(from, to);
  }
  return Outputs().add("mixed", from).add("arrived", std::vector<std::uint32_t>{kSteps * kBlocks});
}

}  // namespace

Complete grid_barrier() {
  return {"grid_barrier", run, expected, {}};
}

}  // namespace tare::kernels
