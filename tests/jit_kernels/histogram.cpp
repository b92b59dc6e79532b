// tests/kernels/histogram.cu: counts of bytes, in shared memory first; and a weighted one, with atomic
// additions of floats and doubles.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

const auto kHistogram = [](auto words, auto n, auto counts) {
  auto block_counts = shared_array<unsigned, 256>();
  const auto each_bin = [](auto body) { for_(thread_index().x, 256u, block_size().x, body); };
  each_bin([&](auto bin) { block_counts[bin] = 0u; });
  sync_threads();
  for_(grid_index(), n, grid_stride(), [&](auto i) {
    const auto word = words[i];
    for (int byte = 0; byte < 4; ++byte) atomic_add(block_counts[word >> 8 * byte & 255u], 1u);
  });
  sync_threads();
  each_bin(
      [&](auto bin) { if_(block_counts[bin] != 0u, [&] { atomic_add(counts[bin], block_counts[bin]); }); });
};

const auto kWeighted = [](auto words, auto n, auto singles, auto doubles) {
  const auto i = grid_index();
  if_(i >= n, [] { return_(); });
  const auto word = words[i];
  const auto bin = word & 15u;
  atomic_add(singles[bin], cast<float>(word >> 4 & 63u) * 0.125f);
  atomic_add(doubles[bin], cast<double>(word >> 4 & 1023u) * 0.125);
};

const Registered kPair{{.name = "histogram", .run = [](Run& run) {
                          const auto words = run.in(kernels::Numbers(61).u32s(5000));
                          run.launch("histogram", kHistogram, 4, 192, words, 5000u,
                                     run.out("counts", std::vector<unsigned>(256)));
                          run.launch("weighted", kWeighted, 20, 256, words, 5000u,
                                     run.out("singles", std::vector<float>(16)),
                                     run.out("doubles", std::vector<double>(16)));
                        }}};

}  // namespace
}  // namespace tare::pairs
