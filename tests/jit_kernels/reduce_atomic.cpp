// tests/kernels/reduce_atomic.cu: reductions by atomic operations, on shared memory and then on global; and
// one in which the block that finishes last adds up what the others left.
#include "../kernels/harness/numbers.hpp"
#include "harness/block_sum.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

const auto kReduceAll = [](auto in, auto n, auto sum, auto long_sum, auto least, auto greatest, auto ands,
                           auto ors, auto xors) {
  auto block_sum = shared_array<int, 1>(), block_least = shared_array<int, 1>(),
       block_greatest = shared_array<int, 1>();
  auto block_xor = shared_array<unsigned, 1>();
  const auto is_first = thread_index().x == 0u;
  if_(is_first, [&] {
    block_sum[0] = 0;
    block_least[0] = 0x7fffffff;
    block_greatest[0] = -0x7fffffff - 1;
    block_xor[0] = 0;
  });
  sync_threads();
  for_(grid_index(), n, grid_stride(), [&](auto i) {
    const auto x = in[i];
    const auto word = cast<unsigned>(x);
    atomic_add(block_sum[0], x);
    atomic_min(block_least[0], x);
    atomic_max(block_greatest[0], x);
    atomic_xor(block_xor[0], word);
    atomic_add(long_sum[0], word);
    atomic_and(ands[0], word | 0x00f0f0f0u);
    atomic_or(ors[0], word & 0x0ff00ff0u);
  });
  sync_threads();
  if_(is_first, [&] {
    atomic_add(sum[0], block_sum[0]);
    atomic_min(least[0], block_least[0]);
    atomic_max(greatest[0], block_greatest[0]);
    atomic_xor(xors[0], block_xor[0]);
  });
};

const auto kLastBlockAdds = [](auto in, auto n, auto partial, auto tickets, auto total) {
  auto sums = shared_array<float, 128>();
  auto last = shared_array<bool, 1>();
  const auto thread = thread_index().x;
  const auto blocks = grid_size().x;
  auto sum = var(0.0f);
  for_(grid_index(), n, grid_stride(), [&](auto i) { sum += in[i]; });
  add_up(sums, thread, sum);
  if_(thread == 0u, [&] {
    partial[block_index().x] = sums[0];
    fence_device();
    last[0] = atomic_inc(tickets[0], blocks - 1u) == blocks - 1u;
  });
  sync_threads();
  if_(last[0] && thread == 0u, [&] {
    auto all = var(0.0f);
    for_(0u, blocks, [&](auto block) { all += partial[block]; });
    total[0] = all;
  });
};

const Registered kPair{
    {.name = "reduce_atomic", .run = [](Run& run) {
       kernels::Numbers numbers(41);
       const auto in =
           run.in(kernels::Numbers::many<int>(4000, [&] { return static_cast<int>(numbers.u32()) / 8192; }));
       run.launch("reduce_all", kReduceAll, 5, 128, in, 4000u, run.out("sum", std::vector<int>{0}),
                  run.out("long sum", std::vector<unsigned long long>{0}),
                  run.out("least", std::vector<int>{0x7fffffff}),
                  run.out("greatest", std::vector<int>{-0x7fffffff - 1}),
                  run.out("ands", std::vector<unsigned>{~0u}), run.out("ors", std::vector<unsigned>{0}),
                  run.out("xors", std::vector<unsigned>{0}));
       run.launch("last_block_adds", kLastBlockAdds, 7, 128, run.in(numbers.f32s(3000)), 3000u,
                  run.out<float>("partial", 7), run.scratch(std::vector<unsigned>{0}),
                  run.out<float>("total", 1));
     }}};

}  // namespace
}  // namespace tare::pairs
