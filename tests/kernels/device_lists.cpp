// What went into each list; its order is nobody's.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 1000;

std::vector<std::uint32_t> input() {
  return Numbers(74).u32s(kCount);
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(input()), lengths = stage.filled<std::uint32_t>(16),
             failed = stage.filled<std::uint32_t>(1, 0xff);
  const auto sums = stage.filled<std::uint64_t>(16);
  stage.launch("build", {.grid = {blocks_for(kCount, 96)}, .block = {96}}, in, kCount);
  stage.launch("drain", {.grid = {1}, .block = {16}}, sums, lengths, failed);
  return Outputs()
      .add("sums", stage.download(sums))
      .add("lengths", stage.download(lengths))
      .add("failed", stage.download(failed));
}

Outputs expected() {
  std::vector<std::uint64_t> sums(16);
  std::vector<std::uint32_t> lengths(16);
  for (const std::uint32_t value : input()) {
    sums[value % 16] += value;
    ++lengths[value % 16];
  }
  return Outputs().add("sums", sums).add("lengths", lengths).add("failed", std::vector<std::uint32_t>{0});
}

}  // namespace

Complete device_lists() {
  return {"device_lists", run, expected, {}};
}

}  // namespace tare::kernels
