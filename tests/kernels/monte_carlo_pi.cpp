// Philox with 64-bit products, held against the test vector that its authors publish.
#include <array>
#include <stdexcept>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kBlocks = 6, kThreads = 96, kDraws = 25;
constexpr unsigned kKey0 = 0xdeadbeef, kKey1 = 0x12345678;

using Counter = std::array<std::uint32_t, 4>;

Outputs run(const Stage& stage) {
  const auto inside = stage.filled<std::uint64_t>(1);
  const auto last = stage.filled<std::uint32_t>(kBlocks * kThreads * 4);
  stage.launch("monte_carlo_pi", {.grid = {kBlocks}, .block = {kThreads}}, kKey0, kKey1, kDraws, inside,
               last);
  return Outputs().add("inside", stage.download(inside)).add("last", stage.download(last));
}

Counter philox(Counter c, std::uint32_t key0, std::uint32_t key1) {
  for (unsigned round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ (key0 + round * 0x9E3779B9u),
         static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ (key1 + round * 0xBB67AE85u),
         static_cast<std::uint32_t>(a)};
  }
  return c;
}

Outputs expected() {
  if (philox({}, 0, 0) != Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8})
    throw std::logic_error("the oracle's generator is not Philox4x32-10");
  std::uint64_t inside = 0;
  std::vector<std::uint32_t> last;
  for (unsigned thread = 0; thread < kBlocks * kThreads; ++thread) {
    Counter drawn{};
    for (unsigned draw = 0; draw < kDraws; ++draw) {
      drawn = philox({draw, 0, thread, 0}, kKey0, kKey1);
      for (std::size_t pair = 0; pair < 4; pair += 2) {
        const float x = static_cast<float>(drawn[pair] >> 8) * 0x1p-24f;
        const float y = static_cast<float>(drawn[pair + 1] >> 8) * 0x1p-24f;
        if (x * x + y * y < 1.0f) ++inside;
      }
    }
    last.insert(last.end(), drawn.begin(), drawn.end());
  }
  return Outputs().add("inside", std::vector{inside}).add("last", last);
}

}  // namespace

Complete monte_carlo_pi() {
  return {"monte_carlo_pi", run, expected, {}};
}

}  // namespace tare::kernels
