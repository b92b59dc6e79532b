// tests/kernels/reduce_tree.cu: sums as a tree in shared memory.
#include "../kernels/harness/numbers.hpp"
#include "harness/block_sum.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

const auto kReduceTree = []<class T>(ArrayArgument<const T> in, ArrayArgument<T> out, auto n) {
  auto sums = shared_array<T, 256>();
  const auto thread = thread_index().x;
  auto sum = var(T{0});
  for_(grid_index(), n, grid_stride(), [&](auto i) { sum += in[i]; });
  add_up(sums, thread, sum);
  if_(thread == 0u, [&] { out[block_index().x] = sums[0]; });
};

const Registered kPair{
    {.name = "reduce_tree", .names = {"reduce_tree<float>", "reduce_tree<double>"}, .run = [](Run& run) {
       kernels::Numbers numbers(21);
       run.launch("reduce_tree<float>", kReduceTree, 3, 256, run.in(numbers.f32s(5000)),
                  run.out<float>("float", 3), 5000u);
       run.launch("reduce_tree<double>", kReduceTree, 2, 64, run.in(numbers.f64s(777)),
                  run.out<double>("double", 2), 777u);
     }}};

}  // namespace
}  // namespace tare::pairs
