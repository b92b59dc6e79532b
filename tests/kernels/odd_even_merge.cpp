// The standard library's order; no two keys are equal, so there is one.
#include <algorithm>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kBlocks = 3, kEach = 256;

std::vector<std::int64_t> keys_in() {
  Numbers numbers(15);
  return Numbers::many<std::int64_t>(kBlocks * kEach,
                                     [&] { return static_cast<std::int64_t>(numbers.u64()); });
}
std::vector<std::uint8_t> payload_in() {
  Numbers numbers(16);
  return Numbers::many<std::uint8_t>(kBlocks * kEach,
                                     [&] { return static_cast<std::uint8_t>(numbers.u32()); });
}

Outputs run(const Stage& stage) {
  const auto keys = stage.upload(keys_in());
  const auto payload = stage.upload(payload_in());
  const auto keys_out = stage.filled<std::int64_t>(keys.count());
  const auto payload_out = stage.filled<std::uint8_t>(keys.count());
  stage.launch("odd_even_merge_sort", {.grid = {kBlocks}, .block = {96}, .dynamic_shared_bytes = kEach * 9},
               keys, payload, keys_out, payload_out, kEach);
  return Outputs().add("keys", stage.download(keys_out)).add("payload", stage.download(payload_out));
}

Outputs expected() {
  std::vector<std::int64_t> keys;
  std::vector<std::uint8_t> payload;
  const auto all_keys = keys_in();
  const auto all_payload = payload_in();
  for (std::size_t block = 0; block < kBlocks; ++block) {
    std::vector<std::pair<std::int64_t, std::uint8_t>> pairs;
    for (std::size_t i = block * kEach; i < (block + 1) * kEach; ++i)
      pairs.emplace_back(all_keys[i], all_payload[i]);
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [key, byte] : pairs) {
      keys.push_back(key);
      payload.push_back(byte);
    }
  }
  return Outputs().add("keys", keys).add("payload", payload);
}

}  // namespace

Complete odd_even_merge() {
  return {"odd_even_merge", run, expected, {}};
}

}  // namespace tare::kernels
