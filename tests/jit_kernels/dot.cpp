// A dot product in double precision, a block to a part, with sums that make up for what rounding loses
// (Kahan 1965): a compiler that took the arithmetic for that of real numbers would throw the corrections
// away.
#include "../kernels/harness/numbers.hpp"
#include "harness/block_sum.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

constexpr const char* kCuda = R"cuda(
extern "C" __global__ void dot(const double* a, const double* b, double* parts, double* lost, unsigned n) {
  __shared__ double sums[128];
  const unsigned thread = threadIdx.x;
  double sum = 0.0, correction = 0.0;
  for (unsigned i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x) {
    const double term = a[i] * b[i] - correction;
    const double next = sum + term;
    correction = (next - sum) - term;
    sum = next;
  }
  lost[blockIdx.x * blockDim.x + thread] = correction;
  sums[thread] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  if (thread == 0) parts[blockIdx.x] = sums[0];
}
)cuda";

const auto kJit = [](auto a, auto b, auto parts, auto lost, auto n) {
  auto sums = shared_array<double, 128>();
  const auto thread = thread_index().x;
  auto sum = var(0.0), correction = var(0.0);
  for_(grid_index(), n, grid_stride(), [&](auto i) {
    const auto term = a[i] * b[i] - correction;
    const auto next = sum + term;
    correction = (next - sum) - term;
    sum = next;
  });
  lost[grid_index()] = correction;
  add_up(sums, thread, sum);
  if_(thread == 0u, [&] { parts[block_index().x] = sums[0]; });
};

const Registered kPair{{.name = "dot", .cuda = kCuda, .run = [](Run& run) {
                          kernels::Numbers numbers(161);
                          const auto a = run.in(numbers.f64s(7000)), b = run.in(numbers.f64s(7000));
                          run.launch("dot", kJit, 3, 128, a, b, run.out<double>("parts", 3),
                                     run.out<double>("lost", 3 * 128), 7000u);
                        }}};

}  // namespace
}  // namespace tare::pairs
