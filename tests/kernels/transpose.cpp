// Rows become columns.
#include <array>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr int kWidth = 77, kHeight = 50;

using Four = std::array<float, 4>;

template <class T>
std::vector<T> input() {
  Numbers numbers(34);
  return Numbers::many<T>(kWidth * kHeight, [&] {
    if constexpr (std::is_same_v<T, Four>)
      return Four{numbers.f32(), numbers.f32(), numbers.f32(), numbers.f32()};
    else
      return static_cast<T>(numbers.u32());
  });
}

template <class T>
void transpose_on(const Stage& stage, const std::string& kernel, Outputs& outputs) {
  const auto in = stage.upload(input<T>()), out = stage.filled<T>(in.count());
  stage.launch(kernel, {.grid = {blocks_for(kWidth, 32), blocks_for(kHeight, 32)}, .block = {32, 8}}, in, out,
               kWidth, kHeight);
  outputs.add(kernel, stage.download(out));
}

template <class T>
void expect(const std::string& kernel, Outputs& outputs) {
  const auto in = input<T>();
  std::vector<T> out;
  for (std::size_t x = 0; x < kWidth; ++x)
    for (std::size_t y = 0; y < kHeight; ++y) out.push_back(in[y * kWidth + x]);
  outputs.add(kernel, out);
}

const std::string kNames[] = {"transpose<unsigned char>", "transpose<unsigned>", "transpose<float4>"};

Outputs run(const Stage& stage) {
  Outputs outputs;
  transpose_on<std::uint8_t>(stage, kNames[0], outputs);
  transpose_on<std::uint32_t>(stage, kNames[1], outputs);
  transpose_on<Four>(stage, kNames[2], outputs);
  return outputs;
}

Outputs expected() {
  Outputs outputs;
  expect<std::uint8_t>(kNames[0], outputs);
  expect<std::uint32_t>(kNames[1], outputs);
  expect<Four>(kNames[2], outputs);
  return outputs;
}

}  // namespace

Complete transpose() {
  return {"transpose", run, expected, {std::begin(kNames), std::end(kNames)}};
}

}  // namespace tare::kernels
