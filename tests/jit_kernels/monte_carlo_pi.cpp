// tests/kernels/monte_carlo_pi.cu: points in a square and how many lie in the quarter circle, drawn by
// Philox4x32-10, whose numbers come from a counter. Its ten rounds are unrolled while tracing.
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

using Word = Value<unsigned>;

std::array<Word, 4> philox_round(const std::array<Word, 4>& counter, const Word& key0, const Word& key1) {
  const auto high0 = mul_hi(0xD2511F53u, counter[0]), low0 = 0xD2511F53u * counter[0];
  const auto high1 = mul_hi(0xCD9E8D57u, counter[2]), low1 = 0xCD9E8D57u * counter[2];
  return {high1 ^ counter[1] ^ key0, low1, high0 ^ counter[3] ^ key1, low0};
}

std::array<Word, 4> philox(const std::array<Word, 4>& counter, const Word& key0, const Word& key1,
                           int rounds = 10) {
  if (rounds == 0) return counter;
  return philox(philox_round(counter, key0, key1), key0 + 0x9E3779B9u, key1 + 0xBB67AE85u, rounds - 1);
}

const auto kMonteCarlo = [](auto key0, auto key1, auto draws, auto inside, auto last) {
  const auto thread = cast<unsigned>(grid_index());
  auto hits = var(0u);
  auto kept = local_array<unsigned, 4>();
  for (int i = 0; i < 4; ++i) kept[i] = 0u;
  for_(0u, draws, [&](auto draw) {
    const auto drawn = philox({draw, 0u, thread, 0u}, key0, key1);
    for (std::size_t pair = 0; pair < 4; pair += 2) {
      const auto x = cast<float>(drawn[pair] >> 8) * (1.0f / 16777216.0f);
      const auto y = cast<float>(drawn[pair + 1] >> 8) * (1.0f / 16777216.0f);
      if_(x * x + y * y < 1.0f, [&] { ++hits; });
    }
    for (std::size_t i = 0; i < 4; ++i) kept[i] = drawn[i];
  });
  for (unsigned i = 0; i < 4; ++i) last[thread * 4u + i] = kept[i];
  atomic_add(inside[0], hits);
};

const Registered kPair{{.name = "monte_carlo_pi", .run = [](Run& run) {
                          run.launch("monte_carlo_pi", kMonteCarlo, 4, 64, 0x12345678u, 0x9ABCDEF0u, 50u,
                                     run.out("inside", std::vector<unsigned long long>{0}),
                                     run.out<unsigned>("last", 4 * 64 * 4));
                        }}};

}  // namespace
}  // namespace tare::pairs
