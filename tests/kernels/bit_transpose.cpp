// Bit by bit.
#include <bit>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kRows = 256;

std::vector<std::uint32_t> input() {
  return Numbers(44).u32s(kRows);
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(input());
  const auto shuffled = stage.filled<std::uint32_t>(kRows), voted = stage.filled<std::uint32_t>(kRows),
             reversed = stage.filled<std::uint32_t>(kRows);
  const auto places = stage.filled<std::int32_t>(2 * kRows);
  const Launch shape{.grid = {2}, .block = {kRows / 2}};
  stage.launch("by_shuffles", shape, in, shuffled);
  stage.launch("by_ballots", shape, in, voted);
  stage.launch("reverse", shape, in, reversed, places);
  return Outputs()
      .add("shuffles", stage.download(shuffled))
      .add("ballots", stage.download(voted))
      .add("reversed", stage.download(reversed))
      .add("places", stage.download(places));
}

/// What __clz and __ffs give, for 32 and 64 bits.
template <class Bits>
std::int32_t first_and_last(Bits bits, std::int32_t factor) {
  const std::int32_t last = bits == 0 ? 0 : std::countr_zero(bits) + 1;
  return std::countl_zero(bits) * factor + last;
}

Outputs expected() {
  const auto in = input();
  std::vector<std::uint32_t> turned(kRows), reversed(kRows);
  std::vector<std::int32_t> places;
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t bit = 0; bit < 32; ++bit) {
      turned[row] |= (in[row / 32 * 32 + bit] >> (row % 32) & 1u) << bit;
      reversed[row] |= (in[row] >> bit & 1u) << (31 - bit);
    }
    // Bytes 6, 1, 7, 2 of the pair, lowest first.
    const std::uint64_t pair = static_cast<std::uint64_t>(~in[row]) << 32 | in[row];
    const auto byte = [&](unsigned at) { return static_cast<std::uint32_t>(pair >> (8 * at)) & 0xffu; };
    reversed[row] ^= byte(6) | byte(1) << 8 | byte(7) << 16 | byte(2) << 24;
    const std::uint32_t part = row % 5 == 0 ? 0 : in[row] & (0xffffffffu >> row % 32);
    const std::uint64_t wide = static_cast<std::uint64_t>(part) << row % 29;
    places.push_back(first_and_last(part, 64));
    places.push_back(first_and_last(wide, 128) * 128 + std::popcount(wide));
  }
  return Outputs()
      .add("shuffles", turned)
      .add("ballots", turned)
      .add("reversed", reversed)
      .add("places", places);
}

}  // namespace

Complete bit_transpose() {
  return {"bit_transpose", run, expected, {}};
}

}  // namespace tare::kernels
