// The same permutation of a vector. 7919 is prime and divides no count of cards, so it is one.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCards = 12500, kBlocks = 2, kRounds = 3;
static_assert(kCards * 8 > 48 * 1024);

std::vector<std::uint32_t> input() {
  return Numbers(57).u32s(kCards * kBlocks);
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(input()), out = stage.filled<std::uint32_t>(in.count()),
             checks = stage.filled<std::uint32_t>(kBlocks * 32);
  stage.launch("big_shared", {.grid = {kBlocks}, .block = {512}, .dynamic_shared_bytes = kCards * 8}, in, out,
               kCards, kRounds, checks);
  return Outputs().add("decks", stage.download(out)).add("checks", stage.download(checks));
}

Outputs expected() {
  const auto in = input();
  std::vector<std::uint32_t> out, checks;
  for (std::uint32_t block = 0; block < kBlocks; ++block) {
    std::vector<std::uint32_t> deck(in.begin() + block * kCards, in.begin() + (block + 1) * kCards),
        other(kCards), check(32, block);
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      for (std::uint32_t i = 0; i < kCards; ++i) other[(i * 7919u + round) % kCards] = deck[i] + round;
      deck.assign(other.rbegin(), other.rend());
      for (std::size_t i = 0; i < 32; ++i) check[i] = check[i] * 33 + other[i];
    }
    out.insert(out.end(), deck.begin(), deck.end());
    checks.insert(checks.end(), check.begin(), check.end());
  }
  return Outputs().add("decks", out).add("checks", checks);
}

}  // namespace

Complete big_shared() {
  return {"big_shared", run, expected, {}};
}

}  // namespace tare::kernels
