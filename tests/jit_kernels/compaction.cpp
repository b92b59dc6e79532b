// tests/kernels/compaction.cu: keeps the elements that a predicate likes: in order (ballots within warps, a
// scan of the warps, a scan of the blocks), and in any order with one atomic addition for each warp.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

auto keep(const Value<unsigned>& value) {
  return value % 3u == 0u;
}
auto below(const Value<unsigned>& lane) {
  return (1u << lane) - 1u;
}

const auto kCountKept = [](auto in, auto n, auto counts) {
  const auto at = grid_index();
  const auto kept = sync_threads_count(at < n && keep(in[at]));
  if_(thread_index().x == 0u, [&] { counts[block_index().x] = kept; });
};

// One thread; exclusive, in place, the whole at the end.
const auto kScanKept = [](auto counts, auto blocks) {
  auto sum = var(0u);
  for_(0u, blocks + 1u, [&](auto block) {
    const auto mine = counts[block];
    counts[block] = sum;
    sum += mine;
  });
};

const auto kCompact = [](auto in, auto n, auto before, auto out) {
  auto warps = shared_array<unsigned, 32>();
  const auto at = grid_index();
  const auto warp = thread_index().x / 32u, lane = thread_index().x % 32u;
  const auto mine = at < n && keep(in[at]);
  const auto ballot = ballot_sync(kWholeWarp, mine);
  if_(lane == 0u, [&] { warps[warp] = popc(ballot); });
  sync_threads();
  auto place = var(before[block_index().x] + popc(ballot & below(lane)));
  for_(0u, warp, [&](auto earlier) { place += warps[earlier]; });
  if_(mine, [&] { out[place] = in[at]; });
};

// Within a divergent branch: the lanes that are there elect one that reserves room for all. The order is the
// warps', so the launch has one warp.
const auto kUnordered = [](auto in, auto n, auto size, auto out) {
  const auto at = grid_index();
  const auto lane = thread_index().x % 32u;
  const auto kept = ballot_sync(kWholeWarp, at < n && keep(in[at]));
  if_((kept >> lane & 1u) != 0u, [&] {
    const auto leader = ffs(kept) - 1;
    auto base = var(0u);
    if_(lane == cast<unsigned>(leader), [&] { base = atomic_add(size[0], popc(kept)); });
    const auto first = shfl_sync(kept, base, leader);
    out[first + popc(kept & below(lane))] = in[at];
  });
};

const Registered kPair{
    {.name = "compaction", .run = [](Run& run) {
       const auto in = run.in(kernels::Numbers(131).u32s(1500));
       const auto counts = run.out("counts", std::vector<unsigned>(7));
       run.launch("count_kept", kCountKept, 6, 256, in, 1500u, counts);
       run.launch("scan_kept", kScanKept, 1, 1, counts, 6u);
       run.launch("compact", kCompact, 6, 256, in, 1500u, counts, run.out<unsigned>("kept", 1500));
       run.launch("compact_unordered", kUnordered, 1, 32, in, 30u, run.out("size", std::vector<unsigned>{0}),
                  run.out<unsigned>("unordered", 32));
     }}};

}  // namespace
}  // namespace tare::pairs
