// tests/kernels/scan_block.cu: prefix sums within a block, three ways: Hillis and Steele's with two buffers,
// Blelloch's work-efficient tree, and warp shuffles with a scan of the warps' totals.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

const auto kHillisSteele = [](auto in, auto out) {
  auto buffers = shared_array<unsigned, 2, 256>();
  const auto thread = thread_index().x;
  const auto at = grid_index();
  // Which buffer is current is known while tracing: the steps are unrolled.
  int current = 0;
  buffers[0][thread] = in[at];
  sync_threads();
  for (unsigned step = 1; step < 256; step *= 2) {
    const auto before = select(
        thread >= step, [&] { return buffers[current][thread - step]; }, 0u);
    buffers[1 - current][thread] = buffers[current][thread] + before;
    current = 1 - current;
    sync_threads();
  }
  out[at] = buffers[current][thread];
};

const auto kBlelloch = [](auto in, auto out, auto totals) {
  auto tree = shared_array<float, 512>();
  const auto thread = thread_index().x, base = block_index().x * 512u;
  tree[2u * thread] = in[base + 2u * thread];
  tree[2u * thread + 1u] = in[base + 2u * thread + 1u];
  unsigned step = 1;
  for (unsigned active = 256; active > 0; active /= 2) {
    sync_threads();
    if_(thread < active,
        [&] { tree[step * (2u * thread + 2u) - 1u] += tree[step * (2u * thread + 1u) - 1u]; });
    step *= 2;
  }
  if_(thread == 0u, [&] {
    totals[block_index().x] = tree[511];
    tree[511] = 0.0f;
  });
  for (unsigned active = 1; active <= 256; active *= 2) {
    step /= 2;
    sync_threads();
    if_(thread < active, [&] {
      const auto left = step * (2u * thread + 1u) - 1u, right = step * (2u * thread + 2u) - 1u;
      const auto before = tree[left];
      tree[left] = tree[right];
      tree[right] += before;
    });
  }
  sync_threads();
  out[base + 2u * thread] = tree[2u * thread];
  out[base + 2u * thread + 1u] = tree[2u * thread + 1u];
};

template <class T>
auto warp_scan(const Value<T>& mine) {
  auto value = var(mine);
  for (unsigned step = 1; step < 32; step *= 2) {
    const auto lower = shfl_up_sync(kWholeWarp, value, step);
    if_(thread_index().x % 32u >= step, [&] { value += lower; });
  }
  return Value<T>(value);
}

const auto kShuffle = [](auto in, auto out) {
  using Long = unsigned long long;
  auto warps = shared_array<Long, 32>();
  const auto at = grid_index();
  const auto warp = thread_index().x / 32u, lane = thread_index().x % 32u;
  auto value = var(warp_scan<Long>(in[at]));
  if_(lane == 31u, [&] { warps[warp] = value; });
  sync_threads();
  if_(warp == 0u, [&] {
    warps[lane] = warp_scan<Long>(select(
        lane < block_size().x / 32u, [&] { return warps[lane]; }, Long{0}));
  });
  sync_threads();
  if_(warp > 0u, [&] { value += warps[warp - 1u]; });
  out[at] = value;
};

const Registered kPair{
    {.name = "scan_block", .run = [](Run& run) {
       kernels::Numbers numbers(51);
       run.launch("inclusive_hillis_steele", kHillisSteele, 2, 256, run.in(numbers.u32s(512)),
                  run.out<unsigned>("hillis steele", 512));
       run.launch("exclusive_blelloch", kBlelloch, 2, 256, run.in(numbers.f32s(1024)),
                  run.out<float>("blelloch", 1024), run.out<float>("blelloch totals", 2));
       run.launch("inclusive_shuffle", kShuffle, 2, 512,
                  run.in(kernels::Numbers::many<unsigned long long>(1024, [&] { return numbers.u64(); })),
                  run.out<unsigned long long>("shuffle", 1024));
     }}};

}  // namespace
}  // namespace tare::pairs
