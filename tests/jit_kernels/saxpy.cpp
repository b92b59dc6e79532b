// a * x + y over a grid that is smaller than the arrays: every thread strides through them. Under the strict
// contract the product rounds before the sum.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

constexpr const char* kCuda = R"cuda(
extern "C" __global__ void saxpy(float a, const float* x, float* y, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}
)cuda";

const auto kJit = [](auto a, auto x, auto y, auto n) {
  for_(grid_index(), n, grid_stride(), [&](auto i) { y[i] = a * x[i] + y[i]; });
};

const Registered kPair{{.name = "saxpy", .cuda = kCuda, .run = [](Run& run) {
                          kernels::Numbers numbers(11);
                          const auto x = run.in(numbers.f32s(3000));
                          run.launch("saxpy", kJit, 3, 128, 1.7f, x, run.out("y", numbers.f32s(3000)), 3000u);
                        }}};

}  // namespace
}  // namespace tare::pairs
