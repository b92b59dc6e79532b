// Running sums, modulo 2^32.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 6001, kThreads = 128, kBlocks = blocks_for(kCount, kThreads);

std::vector<std::uint32_t> input() {
  return Numbers(75).u32s(kCount);
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(input()), out = stage.filled<std::uint32_t>(kCount),
             counter = stage.filled<std::uint32_t>(1);
  const auto states = stage.filled<std::uint64_t>(kBlocks);
  stage.launch("scan_lookback", {.grid = {kBlocks}, .block = {kThreads}}, in, out, kCount, counter, states);
  return Outputs().add("sums", stage.download(out)).add("blocks", stage.download(counter));
}

Outputs expected() {
  std::vector<std::uint32_t> sums = input();
  for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
  return Outputs().add("sums", sums).add("blocks", std::vector{kBlocks});
}

}  // namespace

Complete scan_lookback() {
  return {"scan_lookback", run, expected, {}};
}

}  // namespace tare::kernels
