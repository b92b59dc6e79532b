// Integers, in any order; floats in the order that the last block gives them.
#include <algorithm>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 5003, kBlocks = 7, kThreads = 128;

std::vector<std::uint32_t> words() {
  return Numbers(6).u32s(kCount);
}
std::vector<float> floats() {
  return Numbers(7).f32s(kCount);
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(words());
  const auto sum = stage.filled<std::int32_t>(1), least = stage.upload(std::vector<std::int32_t>{INT32_MAX}),
             greatest = stage.upload(std::vector<std::int32_t>{INT32_MIN});
  const auto long_sum = stage.filled<std::uint64_t>(1);
  const auto ands = stage.filled<std::uint32_t>(1, 0xff), ors = stage.filled<std::uint32_t>(1),
             xors = stage.filled<std::uint32_t>(1);
  const Launch shape{.grid = {kBlocks}, .block = {kThreads}};
  stage.launch("reduce_all", shape, in, kCount, sum, long_sum, least, greatest, ands, ors, xors);
  const auto float_in = stage.upload(floats());
  const auto partial = stage.filled<float>(kBlocks), total = stage.filled<float>(1);
  const auto tickets = stage.filled<std::uint32_t>(1);
  stage.launch("last_block_adds", shape, float_in, kCount, partial, tickets, total);
  return Outputs()
      .add("sum", stage.download(sum))
      .add("long sum", stage.download(long_sum))
      .add("least", stage.download(least))
      .add("greatest", stage.download(greatest))
      .add("and", stage.download(ands))
      .add("or", stage.download(ors))
      .add("xor", stage.download(xors))
      .add("float total", stage.download(total))
      .add("tickets", stage.download(tickets));
}

float sum_of_block(const std::vector<float>& in, unsigned block) {
  std::vector<float> sums(kThreads, 0.0f);
  for (unsigned thread = 0; thread < kThreads; ++thread)
    for (std::size_t i = block * kThreads + thread; i < kCount; i += kBlocks * kThreads)
      sums[thread] += in[i];
  for (unsigned half = kThreads / 2; half > 0; half /= 2)
    for (unsigned thread = 0; thread < half; ++thread) sums[thread] += sums[thread + half];
  return sums[0];
}

Outputs expected() {
  std::uint32_t sum = 0, ands = ~0u, ors = 0, xors = 0;
  std::uint64_t long_sum = 0;
  std::int32_t least = INT32_MAX, greatest = INT32_MIN;
  for (const std::uint32_t word : words()) {
    sum += word;
    long_sum += word;
    least = std::min(least, static_cast<std::int32_t>(word));
    greatest = std::max(greatest, static_cast<std::int32_t>(word));
    ands &= word | 0x00f0f0f0u;
    ors |= word & 0x0ff00ff0u;
    xors ^= word;
  }
  float total = 0.0f;
  for (unsigned block = 0; block < kBlocks; ++block) total += sum_of_block(floats(), block);
  return Outputs()
      .add("sum", std::vector{static_cast<std::int32_t>(sum)})
      .add("long sum", std::vector{long_sum})
      .add("least", std::vector{least})
      .add("greatest", std::vector{greatest})
      .add("and", std::vector{ands})
      .add("or", std::vector{ors})
      .add("xor", std::vector{xors})
      .add("float total", std::vector{total})
      .add("tickets", std::vector<std::uint32_t>{0});
}

}  // namespace

Complete reduce_atomic() {
  return {"reduce_atomic", run, expected, {}};
}

}  // namespace tare::kernels
