// The lanes' additions in the kernel's order; integers in any.
#include <algorithm>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr std::size_t kCount = 3001;
constexpr unsigned kThreads = 200;  // six warps and a quarter
constexpr unsigned kBlocks = blocks_for(kCount, kThreads);
constexpr unsigned kWhole = 512;

std::vector<float> floats() {
  return Numbers(3).f32s(kCount);
}
std::vector<std::uint64_t> longs() {
  Numbers numbers(4);
  return Numbers::many<std::uint64_t>(kWhole, [&] { return numbers.u64(); });
}
std::vector<std::uint32_t> words() {
  return Numbers(5).u32s(kWhole);
}
std::vector<std::int32_t> signed_words() {
  const auto all = words();
  return {all.begin(), all.end()};
}

float warp_sum(std::vector<float> lanes) {
  for (std::size_t step = 16; step > 0; step /= 2)
    for (std::size_t lane = 0; lane + step < lanes.size(); ++lane) {
      // Every lane reads what its partner had before this step; ascending order keeps that so.
      lanes[lane] += lanes[lane + step];
    }
  return lanes[0];
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(floats());
  const auto sums = stage.filled<float>(kBlocks, 0xff);
  stage.launch("sum_f32", {.grid = {kBlocks}, .block = {kThreads}}, in, sums, static_cast<unsigned>(kCount));
  const auto long_in = stage.upload(longs());
  const auto long_out = stage.filled<std::uint64_t>(kWhole);
  stage.launch("sum_u64", {.grid = {4}, .block = {kWhole / 4}}, long_in, long_out);
  const auto word_in = stage.upload(words());
  const auto eights = stage.filled<std::int32_t>(kWhole);
  stage.launch("max_in_eights", {.grid = {2}, .block = {kWhole / 2}}, word_in, eights);
  const auto totals = stage.filled<std::uint32_t>(kWhole / 32);
  const auto least = stage.filled<std::int32_t>(kWhole / 32);
  stage.launch("redux", {.grid = {1}, .block = {kWhole}}, word_in, totals, least);
  return Outputs()
      .add("f32", stage.download(sums))
      .add("u64", stage.download(long_out))
      .add("eights", stage.download(eights))
      .add("redux sums", stage.download(totals))
      .add("redux least", stage.download(least));
}

Outputs expected() {
  const auto in = floats();
  std::vector<float> sums;
  for (unsigned block = 0; block < kBlocks; ++block) {
    std::vector<float> warps;
    for (unsigned first = 0; first < kThreads; first += 32) {
      std::vector<float> lanes;
      for (unsigned thread = first; thread < std::min(first + 32, kThreads); ++thread) {
        const std::size_t i = block * kThreads + thread;
        lanes.push_back(i < kCount ? in[i] : 0.0f);
      }
      warps.push_back(warp_sum(lanes));
    }
    warps.resize(32, 0.0f);
    sums.push_back(warp_sum(warps));
  }
  const auto long_in = longs();
  const auto words_in = signed_words();
  std::vector<std::uint64_t> long_out(kWhole);
  std::vector<std::int32_t> eights(kWhole), least(kWhole / 32, INT32_MAX);
  std::vector<std::uint32_t> totals(kWhole / 32);
  for (std::size_t i = 0; i < kWhole; ++i) {
    for (std::size_t k = 0; k < 32; ++k) long_out[i] += long_in[i / 32 * 32 + k];
    eights[i] = *std::max_element(&words_in[i / 8 * 8], &words_in[i / 8 * 8] + 8);
    totals[i / 32] += static_cast<std::uint32_t>(words_in[i]);
    least[i / 32] = std::min(least[i / 32], words_in[i]);
  }
  return Outputs()
      .add("f32", sums)
      .add("u64", long_out)
      .add("eights", eights)
      .add("redux sums", totals)
      .add("redux least", least);
}

}  // namespace

Complete reduce_shuffle() {
  return {"reduce_shuffle", run, expected, {}};
}

}  // namespace tare::kernels
