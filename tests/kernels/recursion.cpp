// Closed forms where there are any, and the standard library's sort.
#include <algorithm>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kThreads = 96, kEach = 20;

std::vector<std::int32_t> input() {
  Numbers numbers(50);
  return Numbers::many<std::int32_t>(kThreads * kEach,
                                     [&] { return static_cast<std::int32_t>(numbers.below(2000)) - 1000; });
}

Outputs run(const Stage& stage) {
  stage.stack_bytes(std::size_t{32} << 10);
  const auto ackermanns = stage.filled<std::uint32_t>(kThreads),
             sequences = stage.filled<std::uint32_t>(kThreads);
  stage.launch("numbers", {.grid = {3}, .block = {kThreads / 3}}, ackermanns, sequences);
  const auto in = stage.upload(input()), recursive = stage.filled<std::int32_t>(in.count()),
             iterative = stage.filled<std::int32_t>(in.count());
  stage.launch("sorts", {.grid = {2}, .block = {kThreads / 2}}, in, recursive, iterative);
  return Outputs()
      .add("ackermann", stage.download(ackermanns))
      .add("sequences", stage.download(sequences))
      .add("recursive", stage.download(recursive))
      .add("iterative", stage.download(iterative));
}

Outputs expected() {
  // Hofstadter's female and male sequences.
  std::vector<std::uint32_t> female{1}, male{0}, ackermanns, sequences;
  for (std::uint32_t n = 1; n < 14; ++n) {
    male.push_back(n - female[male[n - 1]]);
    female.push_back(n - male[female[n - 1]]);
  }
  for (std::uint32_t at = 0; at < kThreads; ++at) {
    const std::uint32_t n = at / 3 % 7, closed[] = {n + 1, n + 2, 2 * n + 3};
    ackermanns.push_back(closed[at % 3]);
    sequences.push_back(male[at % 14] * 100 + female[at % 11]);
  }
  std::vector<std::int32_t> sorted = input();
  for (auto part = sorted.begin(); part != sorted.end(); part += kEach) std::sort(part, part + kEach);
  return Outputs()
      .add("ackermann", ackermanns)
      .add("sequences", sequences)
      .add("recursive", sorted)
      .add("iterative", sorted);
}

}  // namespace

Complete recursion() {
  return {"recursion", run, expected, {}};
}

}  // namespace tare::kernels
