// SHA-256 with constants worked out from the cube roots of primes, held against the published digest of
// "abc".
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kMessages = 100, kWords = 9, kTables = 200;

/// The first `count` primes' roots, 32 bits after the point.
std::vector<std::uint32_t> fractions(std::size_t count, bool cube) {
  std::vector<std::uint32_t> all;
  for (unsigned candidate = 2; all.size() < count; ++candidate) {
    bool prime = true;
    for (unsigned d = 2; d * d <= candidate; ++d) prime = prime && candidate % d != 0;
    if (!prime) continue;
    const long double root = cube ? std::cbrt(static_cast<long double>(candidate))
                                  : std::sqrt(static_cast<long double>(candidate));
    all.push_back(static_cast<std::uint32_t>((root - std::floor(root)) * 0x1p32L));
  }
  return all;
}

using Digest = std::array<std::uint32_t, 8>;

Digest sha256(const std::string& message) {
  static const auto constants = fractions(64, true), start = fractions(8, false);
  std::string padded = message + '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8)
    padded += static_cast<char>(message.size() * 8 >> shift & 0xff);
  Digest digest{};
  std::copy(start.begin(), start.end(), digest.begin());
  for (std::size_t block = 0; block < padded.size(); block += 64) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i)
      w[i / 4] = w[i / 4] << 8 | static_cast<std::uint8_t>(padded[block + i]);
    for (std::size_t i = 16; i < 64; ++i)
      w[i] = w[i - 16] + w[i - 7] + (std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3)) +
             (std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10));
    auto [a, b, c, d, e, f, g, h] = digest;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                  ((e & f) ^ (~e & g)) + constants[i] + w[i];
      const std::uint32_t second =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
    }
    const Digest added{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) digest[i] += added[i];
  }
  return digest;
}

std::vector<std::uint32_t> messages() {
  return Numbers(68).u32s(kMessages * kWords);
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(messages()), digests = stage.filled<std::uint32_t>(kMessages * 8),
             words = stage.filled<std::uint32_t>(kTables);
  const auto doubles = stage.filled<double>(kTables);
  stage.launch("sha256", {.grid = {blocks_for(kMessages, 64)}, .block = {64}}, in, kWords, kMessages,
               digests);
  stage.launch("tables", {.grid = {blocks_for(kTables, 64)}, .block = {64}}, kTables, doubles, words);
  return Outputs()
      .add("digests", stage.download(digests))
      .add("doubles", stage.download(doubles))
      .add("words", stage.download(words));
}

Outputs expected() {
  if (sha256("abc")[0] != 0xba7816bfu || sha256("abc")[7] != 0xf20015adu)
    throw std::logic_error("the oracle's digest is not SHA-256");
  const auto in = messages();
  std::vector<std::uint32_t> digests, words;
  for (std::size_t message = 0; message < kMessages; ++message) {
    std::string text;
    for (std::size_t i = 0; i < kWords; ++i)
      for (int shift = 24; shift >= 0; shift -= 8)
        text += static_cast<char>(in[message * kWords + i] >> shift & 0xff);
    const Digest digest = sha256(text);
    digests.insert(digests.end(), digest.begin(), digest.end());
  }
  constexpr double powers[] = {1.0, 0.1, 1e10, 1e-300, 1e300}, linked[] = {0.1, 1e10, 1e300},
                   singles[] = {0.5, 1.5, -2.25};
  constexpr std::uint32_t small[] = {0xfffd, 7, 11};
  const char letters[] = "constant memory";
  const auto constants = fractions(64, true);
  std::vector<double> doubles;
  for (std::size_t at = 0; at < kTables; ++at) {
    doubles.push_back(linked[at % 3] * powers[at % 5] + singles[at % 3]);
    words.push_back(static_cast<std::uint32_t>(letters[at % sizeof letters]) * 65536u + small[at % 3] +
                    constants[at * 7 % 64]);
  }
  return Outputs().add("digests", digests).add("doubles", doubles).add("words", words);
}

}  // namespace

Complete constant_tables() {
  return {"constant_tables", run, expected, {}};
}

}  // namespace tare::kernels
