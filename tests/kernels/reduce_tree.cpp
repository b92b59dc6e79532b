// The same tree, thread by thread: the order of the additions is the kernel's.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr std::size_t kCount = 10007;
constexpr unsigned kBlocks = 8, kThreads = 256;

template <class T>
std::vector<T> input();
template <>
std::vector<float> input() {
  return Numbers(1).f32s(kCount);
}
template <>
std::vector<double> input() {
  return Numbers(2).f64s(kCount);
}

template <class T>
T sum_of_block(const std::vector<T>& in, unsigned block, unsigned blocks) {
  std::vector<T> sums(kThreads, T(0));
  for (unsigned thread = 0; thread < kThreads; ++thread)
    for (std::size_t i = block * kThreads + thread; i < in.size(); i += blocks * kThreads)
      sums[thread] += in[i];
  for (unsigned half = kThreads / 2; half > 0; half /= 2)
    for (unsigned thread = 0; thread < half; ++thread) sums[thread] += sums[thread + half];
  return sums[0];
}

template <class T>
void reduce(const Stage& stage, const std::string& kernel, const std::string& name, Outputs& outputs) {
  const auto in = stage.upload(input<T>());
  const auto partial = stage.filled<T>(kBlocks, 0xff);
  const auto total = stage.filled<T>(1, 0xff);
  stage.launch(kernel, {.grid = {kBlocks}, .block = {kThreads}}, in, partial, static_cast<unsigned>(kCount));
  stage.launch(kernel, {.grid = {1}, .block = {kThreads}}, partial, total, kBlocks);
  outputs.add(name + " partial", stage.download(partial)).add(name + " total", stage.download(total));
}

template <class T>
void expect(const std::string& name, Outputs& outputs) {
  std::vector<T> partial;
  for (unsigned block = 0; block < kBlocks; ++block)
    partial.push_back(sum_of_block(input<T>(), block, kBlocks));
  outputs.add(name + " partial", partial).add(name + " total", std::vector<T>{sum_of_block(partial, 0, 1)});
}

Outputs run(const Stage& stage) {
  Outputs outputs;
  reduce<float>(stage, "reduce_tree<float>", "f32", outputs);
  reduce<double>(stage, "reduce_tree<double>", "f64", outputs);
  return outputs;
}

Outputs expected() {
  Outputs outputs;
  expect<float>("f32", outputs);
  expect<double>("f64", outputs);
  return outputs;
}

}  // namespace

Complete reduce_tree() {
  return {"reduce_tree", run, expected, {"reduce_tree<float>", "reduce_tree<double>"}};
}

}  // namespace tare::kernels
