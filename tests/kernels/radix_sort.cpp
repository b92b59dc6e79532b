// The standard library's stable order of pairs by their keys.
#include <algorithm>
#include <numeric>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 5001, kThreads = 128, kBlocks = blocks_for(kCount, kThreads);
constexpr unsigned kBits = 16;

std::vector<std::uint32_t> input() {
  Numbers numbers(14);
  return Numbers::many<std::uint32_t>(kCount, [&] { return numbers.below(1u << kBits) & ~0x30u; });
}
std::vector<std::uint32_t> places() {
  std::vector<std::uint32_t> all(kCount);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

Outputs run(const Stage& stage) {
  Array<std::uint32_t> keys = stage.upload(input()), values = stage.upload(places()),
                       keys_out = stage.filled<std::uint32_t>(kCount),
                       values_out = stage.filled<std::uint32_t>(kCount);
  const auto counts = stage.filled<std::uint32_t>(16 * kBlocks);
  const Launch shape{.grid = {kBlocks}, .block = {kThreads}};
  for (unsigned shift = 0; shift < kBits; shift += 4) {
    stage.launch("count_digits", shape, keys, kCount, shift, counts);
    stage.launch("scan_counts", {.grid = {1}, .block = {256}}, counts, 16 * kBlocks);
    stage.launch("scatter", shape, keys, values, kCount, shift, counts, keys_out, values_out);
    std::swap(keys, keys_out);
    std::swap(values, values_out);
  }
  return Outputs().add("keys", stage.download(keys)).add("values", stage.download(values));
}

Outputs expected() {
  std::vector<std::uint32_t> keys = input(), values = places(), sorted;
  std::stable_sort(values.begin(), values.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  for (const std::uint32_t value : values) sorted.push_back(keys[value]);
  return Outputs().add("keys", sorted).add("values", values);
}

}  // namespace

Complete radix_sort() {
  return {"radix_sort", run, expected, {}};
}

}  // namespace tare::kernels
