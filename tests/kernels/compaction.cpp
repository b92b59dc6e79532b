// A filter; what may come in any order is sorted before it is compared.
#include <algorithm>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 7013, kThreads = 256, kBlocks = blocks_for(kCount, kThreads);

std::vector<std::uint32_t> input() {
  return Numbers(33).u32s(kCount);
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(input());
  const auto counts = stage.filled<std::uint32_t>(kBlocks + 1), ordered = stage.filled<std::uint32_t>(kCount),
             unordered = stage.filled<std::uint32_t>(kCount), size = stage.filled<std::uint32_t>(1);
  const Launch shape{.grid = {kBlocks}, .block = {kThreads}};
  stage.launch("count_kept", shape, in, kCount, counts);
  stage.launch("scan_kept", {}, counts, kBlocks);
  stage.launch("compact", shape, in, kCount, counts, ordered);
  stage.launch("compact_unordered", shape, in, kCount, size, unordered);
  auto any_order = stage.download(unordered);
  const std::uint32_t kept = std::min(stage.download(size)[0], kCount);
  std::sort(any_order.begin(), any_order.begin() + kept);
  return Outputs()
      .add("ordered", stage.download(ordered))
      .add("unordered", any_order)
      .add("sizes", std::vector{stage.download(counts)[kBlocks], kept});
}

Outputs expected() {
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t value : input())
    if (value % 3 == 0) kept.push_back(value);
  const auto size = static_cast<std::uint32_t>(kept.size());
  std::vector<std::uint32_t> sorted = kept;
  std::sort(sorted.begin(), sorted.end());
  kept.resize(kCount);
  sorted.resize(kCount);
  return Outputs().add("ordered", kept).add("unordered", sorted).add("sizes", std::vector{size, size});
}

}  // namespace

Complete compaction() {
  return {"compaction", run, expected, {}};
}

}  // namespace tare::kernels
