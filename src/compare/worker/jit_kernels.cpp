// The kernels of the example cases in the words of tare::jit, statement by statement as in their .cu.
#include "compare/worker/jit_kernels.hpp"

namespace tare::compare {
namespace {

template <class T>
using In = DeviceSpan<const T>;
template <class T>
using Out = DeviceSpan<T>;

/// `blockIdx.x * blockDim.x + threadIdx.x` as the .cu has it, along one axis: 32 bits wide.
template <class T>
Value<T> index_along(const Value<unsigned>& block, const Value<unsigned>& size,
                     const Value<unsigned>& thread) {
  return cast<T>(block * size + thread);
}
template <class T>
Value<T> index_x() {
  return index_along<T>(block_index().x, block_size().x, thread_index().x);
}
template <class T>
Value<T> index_y() {
  return index_along<T>(block_index().y, block_size().y, thread_index().y);
}

const auto kVectorAdd = [](auto a, auto b, auto out, auto n) {
  const auto i = grid_index();
  if_(i < n, [&] { out[i] = a[i] + b[i]; });
};

const auto kSaxpy = [](auto n, auto a, auto x, auto y) {
  const auto i = index_x<int>();
  if_(i < n, [&] { y[i] = a * x[i] + y[i]; });
};

const auto kMultiplyAdd = [](auto a, auto b, auto c, auto out, auto n) {
  const auto i = index_x<int>();
  if_(i < n, [&] { out[i] = a[i] * b[i] + c[i]; });
};

const auto kBlockSum = [](auto in, auto sums, auto n, auto width) {
  auto part = dynamic_shared_array<float>(width);
  const auto t = thread_index().x, i = index_x<unsigned>();
  auto mine = var(0.0f);
  if_(i < n, [&] { mine = in[i]; });
  part[t] = mine;
  auto half = var(width / 2u);
  while_([&] { return half > 0u; },
         [&] {
           sync_threads();
           if_(t < half, [&] { part[t] += part[t + half]; });
           half /= 2u;
         });
  if_(t == 0u, [&] { sums[block_index().x] = part[0]; });
};

const auto kMixBits = [](auto out, auto seed, auto n) {
  const auto i = index_x<unsigned>();
  if_(i >= n, [] { return_(); });
  auto h = var(i ^ seed);
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  out[i] = h ^ (h >> 16);
};

const auto kFivePoint = [](auto in, auto out, auto w, auto h) {
  const auto x = index_x<int>(), y = index_y<int>();
  if_(x >= w || y >= h, [] { return_(); });
  const auto i = y * w + x;
  if_(x == 0 || y == 0 || x == w - 1 || y == h - 1, [&] { out[i] = in[i]; }).else_([&] {
    out[i] = ((in[i - w] + in[i + w]) + (in[i - 1] + in[i + 1]) + in[i]) * 0.2f;
  });
};

}  // namespace

std::vector<JitRow> builtin_jit_rows() {
  return {
      jit_row<In<float>, In<float>, Out<float>, std::size_t>("vectorAdd", kVectorAdd),
      jit_row<In<double>, In<double>, Out<double>, std::size_t>("vectorAdd", kVectorAdd),
      jit_row<In<int>, In<int>, Out<int>, std::size_t>("vectorAdd", kVectorAdd),
      jit_row<int, float, In<float>, Out<float>>("saxpy", kSaxpy),
      jit_row<int, double, In<double>, Out<double>>("saxpy", kSaxpy),
      jit_row<In<float>, In<float>, In<float>, Out<float>, int>("multiplyAdd", kMultiplyAdd),
      jit_row<In<double>, In<double>, In<double>, Out<double>, int>("multiplyAdd", kMultiplyAdd),
      jit_row<In<float>, Out<float>, unsigned, unsigned>("blockSum", kBlockSum),
      jit_row<Out<unsigned>, unsigned, unsigned>("mixBits", kMixBits),
      jit_row<In<float>, Out<float>, int, int>("fivePoint", kFivePoint),
  };
}

}  // namespace tare::compare
