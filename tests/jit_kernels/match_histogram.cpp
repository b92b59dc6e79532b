// tests/kernels/match_histogram.cu: a histogram in which the lanes of a warp that hold the same key find one
// another, and the first of them counts for all; for keys of 32 and of 64 bits.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

const auto kMatchWords = [](auto keys, auto n, auto counts, auto peers) {
  const auto at = grid_index();
  const auto lane = thread_index().x % 32u;
  const auto there = ballot_sync(kWholeWarp, at < n);
  if_(at >= n, [] { return_(); });
  const auto same = match_any_sync(there, keys[at]);
  if_(lane == cast<unsigned>(ffs(same)) - 1u, [&] { atomic_add(counts[keys[at]], popc(same)); });
  peers[at] = same;
};

const auto kMatchLongs = [](auto keys, auto n, auto peers, auto uniform) {
  const auto at = grid_index();
  const auto there = ballot_sync(kWholeWarp, at < n);
  if_(at >= n, [] { return_(); });
  peers[at] = match_any_sync(there, keys[at]);
  const auto mask = match_all_sync(there, cast<unsigned>(keys[at] >> 32));
  // CUDA C++'s has a flag beside the mask, which says no more than the mask does.
  uniform[at] = select(mask == there, 2u, select(mask == 0u, 0u, 9u)) + (mask != 0u);
};

const Registered kPair{
    {.name = "match_histogram", .run = [](Run& run) {
       kernels::Numbers numbers(141);
       run.launch("match_words", kMatchWords, 3, 128,
                  run.in(kernels::Numbers::many<unsigned>(300, [&] { return numbers.below(7); })), 300u,
                  run.out("counts", std::vector<unsigned>(7)), run.out<unsigned>("peers of words", 300));
       std::size_t at = 0;
       run.launch(
           "match_longs", kMatchLongs, 3, 128,
           run.in(kernels::Numbers::many<unsigned long long>(
               300, [&] { return (at++ / 32 % 2 == 0 ? 5ull : numbers.below(2)) << 32 | numbers.below(3); })),
           300u, run.out<unsigned>("peers of longs", 300), run.out<unsigned>("uniform", 300));
     }}};

}  // namespace
}  // namespace tare::pairs
