// tests/kernels/game_of_life.cu: Conway's game on a torus: a byte a cell with a shared halo, and 32 cells in
// a word, counted with full adders.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

constexpr int kSide = 16;

const auto kLifeBytes = [](auto in, auto out, auto width, auto height) {
  auto tile = shared_array<unsigned char, kSide + 2, kSide + 2>();
  const auto thread_x = cast<int>(thread_index().x), thread_y = cast<int>(thread_index().y);
  const auto left = cast<int>(block_index().x) * kSide, top = cast<int>(block_index().y) * kSide;
  for_(thread_y * kSide + thread_x, (kSide + 2) * (kSide + 2), kSide * kSide, [&](auto i) {
    const auto x = (left + i % (kSide + 2) - 1 + width) % width;
    const auto y = (top + i / (kSide + 2) - 1 + height) % height;
    tile[i / (kSide + 2)][i % (kSide + 2)] = in[y * width + x];
  });
  sync_threads();
  const auto x = left + thread_x, y = top + thread_y;
  if_(x >= width || y >= height, [] { return_(); });
  auto alive = var(0);
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) alive += tile[thread_y + dy][thread_x + dx];
  const auto self = tile[thread_y + 1][thread_x + 1] != 0;
  out[y * width + x] = alive == 3 || (alive == 4 && self);
};

// A full adder of one bit in each of 32 columns.
void add(const Value<unsigned>& bit, Variable<unsigned>& ones, Variable<unsigned>& twos,
         Variable<unsigned>& fours) {
  const auto carry = ones & bit;
  ones ^= bit;
  fours |= twos & carry;
  twos ^= carry;
}

const auto kLifeWords = [](auto in, auto out, auto words, auto height) {
  const auto at = cast<int>(grid_index());
  if_(at >= words * height, [] { return_(); });
  const auto column = at % words, row = at / words;
  auto ones = var(0u), twos = var(0u), fours = var(0u);
  for (int dy = -1; dy <= 1; ++dy) {
    const auto line = (row + dy + height) % height * words;
    const auto here = in[line + column], left = in[line + (column + words - 1) % words],
               right = in[line + (column + 1) % words];
    add(funnel_shift_left(left, here, 1), ones, twos, fours);
    add(funnel_shift_right(here, right, 1), ones, twos, fours);
    if (dy != 0) add(here, ones, twos, fours);
  }
  out[at] = twos & ~fours & (ones | in[at]);  // three, or two and alive
};

const Registered kPair{{.name = "game_of_life", .run = [](Run& run) {
                          kernels::Numbers numbers(191);
                          run.launch(
                              "life_bytes", kLifeBytes, {3, 3}, {kSide, kSide},
                              run.in(kernels::Numbers::many<unsigned char>(
                                  40 * 35, [&] { return static_cast<unsigned char>(numbers.below(2)); })),
                              run.out<unsigned char>("bytes", 40 * 35), 40, 35);
                          run.launch("life_words", kLifeWords, 2, 64, run.in(numbers.u32s(5 * 20)),
                                     run.out<unsigned>("words", 5 * 20), 5, 20);
                        }}};

}  // namespace
}  // namespace tare::pairs
