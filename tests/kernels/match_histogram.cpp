// Every pair of lanes compared.
#include <algorithm>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 1013, kThreads = 128, kKeys = 11;

std::vector<std::uint32_t> words() {
  Numbers numbers(53);
  return Numbers::many<std::uint32_t>(kCount, [&] { return numbers.below(kKeys); });
}
/// The upper half is the same in every other warp, the lower one seldom.
std::vector<std::uint64_t> longs() {
  Numbers numbers(54);
  std::vector<std::uint64_t> all;
  for (unsigned at = 0; at < kCount; ++at)
    all.push_back(static_cast<std::uint64_t>(at / 32 % 2 == 0 ? 77 : numbers.below(2)) << 32 |
                  numbers.below(9));
  return all;
}

Outputs run(const Stage& stage) {
  const Launch shape{.grid = {blocks_for(kCount, kThreads)}, .block = {kThreads}};
  const auto word_keys = stage.upload(words()), counts = stage.filled<std::uint32_t>(kKeys),
             peers = stage.filled<std::uint32_t>(kCount), long_peers = stage.filled<std::uint32_t>(kCount),
             uniform = stage.filled<std::uint32_t>(kCount);
  const auto long_keys = stage.upload(longs());
  stage.launch("match_words", shape, word_keys, kCount, counts, peers);
  stage.launch("match_longs", shape, long_keys, kCount, long_peers, uniform);
  return Outputs()
      .add("counts", stage.download(counts))
      .add("peers", stage.download(peers))
      .add("long peers", stage.download(long_peers))
      .add("uniform", stage.download(uniform));
}

/// The lanes of `at`'s warp for which `same` holds.
template <class Same>
std::uint32_t lanes(std::size_t at, Same same) {
  std::uint32_t mask = 0;
  for (std::size_t other = at / 32 * 32; other < std::min<std::size_t>(at / 32 * 32 + 32, kCount); ++other)
    if (same(other)) mask |= 1u << other % 32;
  return mask;
}

Outputs expected() {
  const auto word_keys = words();
  const auto long_keys = longs();
  std::vector<std::uint32_t> counts(kKeys), peers, long_peers, uniform;
  for (std::size_t at = 0; at < kCount; ++at) {
    ++counts[word_keys[at]];
    peers.push_back(lanes(at, [&](std::size_t other) { return word_keys[other] == word_keys[at]; }));
    long_peers.push_back(lanes(at, [&](std::size_t other) { return long_keys[other] == long_keys[at]; }));
    const bool all =
        lanes(at, [&](std::size_t other) { return long_keys[other] >> 32 != long_keys[at] >> 32; }) == 0;
    uniform.push_back(all ? 3 : 0);
  }
  return Outputs()
      .add("counts", counts)
      .add("peers", peers)
      .add("long peers", long_peers)
      .add("uniform", uniform);
}

}  // namespace

Complete match_histogram() {
  return {"match_histogram", run, expected, {}};
}

}  // namespace tare::kernels
