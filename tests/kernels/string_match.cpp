// std::string::find.
#include <array>
#include <string>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kLength = 6000, kStretch = 23, kThreads = 64;
const std::string kPattern = "abba";

std::string text() {
  Numbers numbers(42);
  std::string made;
  for (unsigned i = 0; i < kLength; ++i) made += "aabbcd\n\xe4"[numbers.below(8)];
  return made;
}

std::vector<std::uint8_t> bytes(const std::string& from) {
  return {from.begin(), from.end()};
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(bytes(text())), pattern = stage.upload(bytes(kPattern));
  const auto found = stage.filled<std::uint32_t>(kLength / 32 + 1),
             first = stage.filled<std::uint32_t>(1, 0xff), counts = stage.filled<std::uint32_t>(6);
  const auto matches = stage.filled<std::uint64_t>(1);
  stage.launch("find_pattern", {.grid = {blocks_for(kLength, kStretch * kThreads)}, .block = {kThreads}}, in,
               kLength, pattern, static_cast<unsigned>(kPattern.size()), kStretch, found, first, matches);
  stage.launch("classify", {.grid = {blocks_for(kLength, kThreads)}, .block = {kThreads}}, in, kLength,
               counts);
  return Outputs()
      .add("found", stage.download(found))
      .add("first", stage.download(first))
      .add("matches", stage.download(matches))
      .add("counts", stage.download(counts));
}

Outputs expected() {
  const std::string in = text();
  std::vector<std::uint32_t> found(kLength / 32 + 1), counts(6);
  std::uint64_t matches = 0;
  for (std::size_t at = in.find(kPattern); at != std::string::npos; at = in.find(kPattern, at + 1)) {
    found[at / 32] |= 1u << at % 32;
    ++matches;
  }
  for (const char letter : in) ++counts[std::string("abcd\n\xe4").find(letter)];
  return Outputs()
      .add("found", found)
      .add("first", std::vector{static_cast<std::uint32_t>(in.find(kPattern))})
      .add("matches", std::vector{matches})
      .add("counts", counts);
}

}  // namespace

Complete string_match() {
  return {"string_match", run, expected, {}};
}

}  // namespace tare::kernels
