// Integers added one after another; floats up and down Blelloch's tree, written as a recursion.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kBlocks = 3;

std::vector<std::uint32_t> words() {
  return Numbers(8).u32s(256 * kBlocks);
}
std::vector<float> floats() {
  return Numbers(9).f32s(512 * kBlocks);
}
std::vector<std::uint64_t> longs() {
  Numbers numbers(10);
  return Numbers::many<std::uint64_t>(1024 * kBlocks, [&] { return numbers.u64(); });
}

Outputs run(const Stage& stage) {
  const auto word_in = stage.upload(words());
  const auto word_out = stage.filled<std::uint32_t>(word_in.count());
  stage.launch("inclusive_hillis_steele", {.grid = {kBlocks}, .block = {256}}, word_in, word_out);
  const auto float_in = stage.upload(floats());
  const auto float_out = stage.filled<float>(float_in.count()), totals = stage.filled<float>(kBlocks);
  stage.launch("exclusive_blelloch", {.grid = {kBlocks}, .block = {256}}, float_in, float_out, totals);
  const auto long_in = stage.upload(longs());
  const auto long_out = stage.filled<std::uint64_t>(long_in.count());
  stage.launch("inclusive_shuffle", {.grid = {kBlocks}, .block = {1024}}, long_in, long_out);
  return Outputs()
      .add("u32", stage.download(word_out))
      .add("f32", stage.download(float_out))
      .add("f32 totals", stage.download(totals))
      .add("u64", stage.download(long_out));
}

template <class T>
std::vector<T> inclusive(std::vector<T> values, std::size_t block) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % block != 0) values[i] += values[i - 1];
  return values;
}

/// The sum of a part of 2^k elements: right + left, each the sum of a half.
float sum(const float* values, std::size_t count) {
  return count == 1 ? values[0] : sum(values + count / 2, count / 2) + sum(values, count / 2);
}

/// What comes before a part goes to its left half; with the left half's sum added, to its right one.
void exclusive(const float* in, float* out, std::size_t count, float before) {
  if (count == 1) {
    *out = before;
    return;
  }
  exclusive(in, out, count / 2, before);
  exclusive(in + count / 2, out + count / 2, count / 2, before + sum(in, count / 2));
}

Outputs expected() {
  const auto in = floats();
  std::vector<float> out(in.size()), totals;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    totals.push_back(sum(&in[512 * block], 512));
    exclusive(&in[512 * block], &out[512 * block], 512, 0.0f);
  }
  return Outputs()
      .add("u32", inclusive(words(), 256))
      .add("f32", out)
      .add("f32 totals", totals)
      .add("u64", inclusive(longs(), 1024));
}

}  // namespace

Complete scan_block() {
  return {"scan_block", run, expected, {}};
}

}  // namespace tare::kernels
