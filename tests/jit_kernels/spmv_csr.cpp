// tests/kernels/spmv_csr.cu: a sparse matrix in compressed rows times a vector: a thread to a row (double
// precision), and a warp to a row.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

const auto kScalar = [](auto offsets, auto columns, auto values, auto x, auto y, auto rows) {
  const auto row = grid_index();
  if_(row >= rows, [] { return_(); });
  auto sum = var(0.0);
  for_(offsets[row], offsets[row + 1], [&](auto i) { sum += values[i] * x[columns[i]]; });
  y[row] = sum;
};

const auto kWarp = [](auto offsets, auto columns, auto values, auto x, auto y, auto rows) {
  const auto row = grid_index() / 32;
  const auto lane = thread_index().x % 32u;
  if_(row >= rows, [] { return_(); });
  auto sum = var(0.0f);
  for_(offsets[row] + lane, offsets[row + 1], 32u, [&](auto i) { sum += values[i] * x[columns[i]]; });
  for (unsigned step = 16; step > 0; step /= 2) sum += shfl_down_sync(kWholeWarp, sum, step);
  if_(lane == 0u, [&] { y[row] = sum; });
};

const Registered kPair{
    {.name = "spmv_csr", .run = [](Run& run) {
       kernels::Numbers numbers(211);
       std::vector<unsigned> row_ends{0};
       for (int row = 0; row < 60; ++row) row_ends.push_back(row_ends.back() + numbers.below(90));
       const std::size_t entries = row_ends.back();
       const auto offsets = run.in(row_ends);
       const auto columns =
           run.in(kernels::Numbers::many<unsigned>(entries, [&] { return numbers.below(80); }));
       run.launch("spmv_scalar", kScalar, 1, 64, offsets, columns, run.in(numbers.f64s(entries)),
                  run.in(numbers.f64s(80)), run.out<double>("scalar", 60), 60u);
       run.launch("spmv_warp", kWarp, 15, 128, offsets, columns, run.in(numbers.f32s(entries)),
                  run.in(numbers.f32s(80)), run.out<float>("warp", 60), 60u);
     }}};

}  // namespace
}  // namespace tare::pairs
