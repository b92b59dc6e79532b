// The standard library's order.
#include <algorithm>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 4096, kBlock = 512;

std::vector<std::uint32_t> input() {
  std::vector<std::uint32_t> keys = Numbers(13).u32s(kCount);
  std::fill_n(keys.begin(), 100, 0xffffffffu);
  std::fill_n(keys.begin() + 200, 300, 7u);
  return keys;
}

Outputs run(const Stage& stage) {
  const auto keys = stage.upload(input());
  const Launch shape{.grid = {kCount / kBlock}, .block = {kBlock / 2}};
  stage.launch("sort_blocks", shape, keys);
  for (unsigned size = 2 * kBlock; size <= kCount; size *= 2) {
    for (unsigned step = size / 2; step >= kBlock; step /= 2)
      stage.launch("merge_far", shape, keys, size, step);
    stage.launch("merge_near", shape, keys, size);
  }
  return Outputs().add("keys", stage.download(keys));
}

Outputs expected() {
  std::vector<std::uint32_t> keys = input();
  std::sort(keys.begin(), keys.end());
  return Outputs().add("keys", keys);
}

}  // namespace

Complete bitonic_sort() {
  return {"bitonic_sort", run, expected, {}};
}

}  // namespace tare::kernels
