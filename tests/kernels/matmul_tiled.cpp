// Three loops; a tile's padding adds zeros, which change no sum here.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr int kRows = 37, kInner = 45, kColumns = 51;

template <class T>
std::vector<T> matrix(std::uint64_t seed, int rows, int columns) {
  Numbers numbers(seed);
  return Numbers::many<T>(static_cast<std::size_t>(rows * columns), [&] {
    if constexpr (std::is_same_v<T, float>)
      return numbers.f32();
    else if constexpr (std::is_same_v<T, double>)
      return numbers.f64();
    else
      return static_cast<T>(numbers.u64());
  });
}

template <class T>
void multiply(const Stage& stage, const std::string& kernel, unsigned tile, Outputs& outputs) {
  const auto a = stage.upload(matrix<T>(17, kRows, kInner)),
             b = stage.upload(matrix<T>(18, kInner, kColumns)), c = stage.filled<T>(kRows * kColumns, 0xff);
  stage.launch(kernel, {.grid = {blocks_for(kColumns, tile), blocks_for(kRows, tile)}, .block = {tile, tile}},
               a, b, c, kRows, kInner, kColumns);
  outputs.add(kernel, stage.download(c));
}

template <class T>
void expect(const std::string& kernel, Outputs& outputs) {
  const auto a = matrix<T>(17, kRows, kInner), b = matrix<T>(18, kInner, kColumns);
  std::vector<T> c(kRows * kColumns);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kColumns; ++j)
      for (std::size_t k = 0; k < kInner; ++k) c[i * kColumns + j] += a[i * kInner + k] * b[k * kColumns + j];
  outputs.add(kernel, c);
}

const std::string kNames[] = {"matmul_tiled<float, 16>", "matmul_tiled<double, 8>",
                              "matmul_tiled<unsigned, 16>", "matmul_tiled<unsigned long long, 4>"};

Outputs run(const Stage& stage) {
  Outputs outputs;
  multiply<float>(stage, kNames[0], 16, outputs);
  multiply<double>(stage, kNames[1], 8, outputs);
  multiply<std::uint32_t>(stage, kNames[2], 16, outputs);
  multiply<std::uint64_t>(stage, kNames[3], 4, outputs);
  return outputs;
}

Outputs expected() {
  Outputs outputs;
  expect<float>(kNames[0], outputs);
  expect<double>(kNames[1], outputs);
  expect<std::uint32_t>(kNames[2], outputs);
  expect<std::uint64_t>(kNames[3], outputs);
  return outputs;
}

}  // namespace

Complete matmul_tiled() {
  return {"matmul_tiled", run, expected, {std::begin(kNames), std::end(kNames)}};
}

}  // namespace tare::kernels
