// tests/kernels/reduce_shuffle.cu: sums through warp shuffles. Loops over steps are C++'s own here: they run
// while the kernel is traced, so the kernel has them unrolled.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

// Lanes of this thread's warp that the block has.
auto lanes_here() {
  const auto left = block_size().x - thread_index().x / 32u * 32u;
  return select(left >= 32u, kWholeWarp, (1u << left) - 1u);
}

auto warp_sum(const Value<float>& value, const Value<unsigned>& mask) {
  const auto lane = thread_index().x % 32u;
  const auto count = popc(mask);
  auto sum = var(value);
  for (unsigned step = 16; step > 0; step /= 2) {
    const auto other = shfl_down_sync(mask, sum, step);
    if_(lane + step < count, [&] { sum += other; });
  }
  return Value<float>(sum);
}

const auto kSumF32 = [](auto in, auto out, auto n) {
  auto sums = shared_array<float, 32>();
  const auto i = grid_index();
  const auto thread = thread_index().x;
  const auto mine = warp_sum(select(
                                 i < n, [&] { return in[i]; }, 0.0f),
                             lanes_here());
  if_(thread % 32u == 0u, [&] { sums[thread / 32u] = mine; });
  sync_threads();
  const auto warps = (block_size().x + 31u) / 32u;
  if_(thread < 32u, [&] {
    const auto total = warp_sum(select(
                                    thread < warps, [&] { return sums[thread]; }, 0.0f),
                                kWholeWarp);
    if_(thread == 0u, [&] { out[block_index().x] = total; });
  });
};

const auto kSumU64 = [](auto in, auto out) {
  const auto i = grid_index();
  auto value = var(in[i]);
  for (unsigned step = 1; step < 32; step *= 2) value += shfl_xor_sync(kWholeWarp, value, step);
  out[i] = value;
};

const auto kMaxInEights = [](auto in, auto out) {
  const auto i = grid_index();
  auto value = var(in[i]);
  for (unsigned step = 4; step > 0; step /= 2) value = max(value, shfl_down_sync(kWholeWarp, value, step, 8));
  out[i] = shfl_sync(kWholeWarp, value, 0u, 8);
};

const auto kRedux = [](auto in, auto sums, auto least) {
  const auto i = grid_index();
  const auto sum = reduce_add_sync(kWholeWarp, in[i]);
  const auto low = reduce_min_sync(kWholeWarp, cast<int>(in[i]));
  if_(thread_index().x % 32u == 0u, [&] {
    sums[i / 32u] = sum;
    least[i / 32u] = low;
  });
};

const Registered kPair{
    {.name = "reduce_shuffle", .run = [](Run& run) {
       kernels::Numbers numbers(31);
       // A block that ends in a part of a warp.
       run.launch("sum_f32", kSumF32, 16, 200, run.in(numbers.f32s(3001)), run.out<float>("f32", 16), 3001u);
       run.launch("sum_u64", kSumU64, 4, 128,
                  run.in(kernels::Numbers::many<unsigned long long>(512, [&] { return numbers.u64(); })),
                  run.out<unsigned long long>("u64", 512));
       run.launch("max_in_eights", kMaxInEights, 2, 256,
                  run.in(kernels::Numbers::many<int>(512, [&] { return static_cast<int>(numbers.u32()); })),
                  run.out<int>("eights", 512));
       run.launch("redux", kRedux, 1, 512, run.in(numbers.u32s(512)), run.out<unsigned>("redux sums", 16),
                  run.out<int>("redux least", 16));
     }}};

}  // namespace
}  // namespace tare::pairs
