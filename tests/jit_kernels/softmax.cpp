// A softmax of every row, a warp to a row: the largest through shuffles, the device library's exponential of
// the rest, and a division.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

constexpr const char* kCuda = R"cuda(
extern "C" __global__ void softmax(const float* in, float* out, unsigned rows, unsigned columns) {
  const unsigned row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // a whole warp
  float most = -__int_as_float(0x7f800000);
  for (unsigned i = lane; i < columns; i += 32) most = fmaxf(most, in[row * columns + i]);
  for (unsigned step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
  float sum = 0.0f;
  for (unsigned i = lane; i < columns; i += 32) sum += expf(in[row * columns + i] - most);
  for (unsigned step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  for (unsigned i = lane; i < columns; i += 32)
    out[row * columns + i] = expf(in[row * columns + i] - most) / sum;
}
)cuda";

const auto kJit = [](auto in, auto out, auto rows, auto columns) {
  const auto row = block_index().x * (block_size().x / 32u) + thread_index().x / 32u;
  const auto lane = thread_index().x % 32u;
  if_(row >= rows, [] { return_(); });  // a whole warp
  const auto each = [&](auto body) { for_(lane, columns, 32u, [&](auto i) { body(row * columns + i); }); };
  auto most = var(-std::numeric_limits<float>::infinity());
  each([&](auto i) { most = max(most, in[i]); });
  for (unsigned step = 16; step > 0; step /= 2) most = max(most, shfl_xor_sync(kWholeWarp, most, step));
  auto sum = var(0.0f);
  each([&](auto i) { sum += exp(in[i] - most); });
  for (unsigned step = 16; step > 0; step /= 2) sum += shfl_xor_sync(kWholeWarp, sum, step);
  each([&](auto i) { out[i] = exp(in[i] - most) / sum; });
};

const Registered kPair{{.name = "softmax",
                        .cuda = kCuda,
                        .run =
                            [](Run& run) {
                              kernels::Numbers numbers(111);
                              auto in = numbers.f32s(9 * 100);
                              for (float& x : in) x *= 20;
                              run.launch("softmax", kJit, 3, 128, run.in(in), run.out<float>("out", 9 * 100),
                                         9u, 100u);
                            },
                        .uses_device_library = true}};

}  // namespace
}  // namespace tare::pairs
