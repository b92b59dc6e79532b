// Neighbours counted one by one.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr int kWidth = 96, kHeight = 50, kGenerations = 5;
constexpr std::size_t kCells = kWidth * kHeight;

std::vector<std::uint8_t> cells() {
  Numbers numbers(40);
  return Numbers::many<std::uint8_t>(kCells,
                                     [&] { return static_cast<std::uint8_t>(numbers.below(3) == 0); });
}

std::vector<std::uint32_t> packed(const std::vector<std::uint8_t>& all) {
  std::vector<std::uint32_t> words(kCells / 32);
  for (std::size_t i = 0; i < kCells; ++i) words[i / 32] |= static_cast<std::uint32_t>(all[i]) << (i % 32);
  return words;
}

Outputs run(const Stage& stage) {
  auto now = stage.upload(cells()), next = stage.filled<std::uint8_t>(kCells);
  auto words = stage.upload(packed(cells())), next_words = stage.filled<std::uint32_t>(kCells / 32);
  for (int generation = 0; generation < kGenerations; ++generation) {
    stage.launch("life_bytes", {.grid = {blocks_for(kWidth, 16), blocks_for(kHeight, 16)}, .block = {16, 16}},
                 now, next, kWidth, kHeight);
    stage.launch("life_words", {.grid = {blocks_for(kCells / 32, 64)}, .block = {64}}, words, next_words,
                 kWidth / 32, kHeight);
    std::swap(now, next);
    std::swap(words, next_words);
  }
  return Outputs().add("bytes", stage.download(now)).add("words", stage.download(words));
}

Outputs expected() {
  std::vector<std::uint8_t> now = cells();
  for (int generation = 0; generation < kGenerations; ++generation) {
    const std::vector<std::uint8_t> before = now;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        int around = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            if (dx != 0 || dy != 0)
              around += before[static_cast<std::size_t>((y + dy + kHeight) % kHeight * kWidth +
                                                        (x + dx + kWidth) % kWidth)];
        const auto at = static_cast<std::size_t>(y * kWidth + x);
        now[at] = around == 3 || (around == 2 && before[at] != 0);
      }
  }
  return Outputs().add("bytes", now).add("words", packed(now));
}

}  // namespace

Complete game_of_life() {
  return {"game_of_life", run, expected, {}};
}

}  // namespace tare::kernels
