// Every element's sum of those before it, modulo 2^32.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 20011, kThreads = 128, kBlocks = blocks_for(kCount, kThreads), kSecond = 256;
static_assert(kBlocks <= kSecond);

std::vector<std::uint32_t> input() {
  return Numbers(11).u32s(kCount);
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(input());
  const auto out = stage.filled<std::uint32_t>(kCount), totals = stage.filled<std::uint32_t>(kBlocks),
             before = stage.filled<std::uint32_t>(kBlocks), whole = stage.filled<std::uint32_t>(1);
  stage.launch("scan_blocks", {.grid = {kBlocks}, .block = {kThreads}, .dynamic_shared_bytes = 4 * kThreads},
               in, out, totals, kCount);
  stage.launch("scan_blocks", {.grid = {1}, .block = {kSecond}, .dynamic_shared_bytes = 4 * kSecond}, totals,
               before, whole, kBlocks);
  stage.launch("add_totals", {.grid = {kBlocks}, .block = {kThreads}}, out, before, kCount);
  return Outputs().add("sums", stage.download(out)).add("whole", stage.download(whole));
}

Outputs expected() {
  std::vector<std::uint32_t> sums;
  std::uint32_t sum = 0;
  for (const std::uint32_t value : input()) {
    sums.push_back(sum);
    sum += value;
  }
  return Outputs().add("sums", sums).add("whole", std::vector{sum});
}

}  // namespace

Complete scan_grid() {
  return {"scan_grid", run, expected, {}};
}

}  // namespace tare::kernels
