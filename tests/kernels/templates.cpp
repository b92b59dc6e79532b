// The same compositions by hand.
#include <algorithm>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 900, kThreads = 128, kEach = 7;
constexpr std::int64_t kModulus = 1001;

const std::string kSquares = "transform<float, maths::Square<float>>";
const std::string kChain =
    "transform<double, maths::Chain<maths::Shift<double, 3>, maths::Square<double>, maths::Shift<double, "
    "-1>>>";
const std::string kBytes =
    "transform<unsigned char, maths::Chain<maths::Shift<unsigned char, 5>, maths::Square<unsigned char>>>";
const std::string kDivisors = "count_divisors<2, 3, 5, 7, 11, 13>";
const std::string kSorts = "sort_each<long long, 7>";

std::vector<std::uint8_t> bytes() {
  Numbers numbers(71);
  return Numbers::many<std::uint8_t>(kCount, [&] { return static_cast<std::uint8_t>(numbers.below(256)); });
}
std::vector<std::int64_t> longs() {
  Numbers numbers(73);
  return Numbers::many<std::int64_t>(kCount * kEach,
                                     [&] { return static_cast<std::int64_t>(numbers.u64()) >> 20; });
}

Outputs run(const Stage& stage) {
  const Launch shape{.grid = {blocks_for(kCount, kThreads)}, .block = {kThreads}};
  const auto singles = stage.upload(Numbers(69).f32s(kCount)), squares = stage.filled<float>(kCount);
  stage.launch(kSquares, shape, singles, squares, kCount);
  const auto doubles = stage.upload(Numbers(70).f64s(kCount)), chained = stage.filled<double>(kCount);
  stage.launch(kChain, shape, doubles, chained, kCount);
  const auto small = stage.upload(bytes()), small_out = stage.filled<std::uint8_t>(kCount),
             divisors = stage.filled<std::uint8_t>(kCount);
  stage.launch(kBytes, shape, small, small_out, kCount);
  const auto words = stage.upload(Numbers(72).u32s(kCount));
  stage.launch(kDivisors, shape, words, divisors, kCount);
  const auto in = stage.upload(longs()), sorted = stage.filled<std::int64_t>(kCount * kEach);
  stage.launch(kSorts, shape, in, sorted, kCount, kModulus);
  return Outputs()
      .add("squares", stage.download(squares))
      .add("chained", stage.download(chained))
      .add("bytes", stage.download(small_out))
      .add("divisors", stage.download(divisors))
      .add("sorted", stage.download(sorted));
}

Outputs expected() {
  std::vector<float> squares = Numbers(69).f32s(kCount);
  for (float& x : squares) x *= x;
  std::vector<double> chained = Numbers(70).f64s(kCount);
  for (double& x : chained) x = (x + 3.0) * (x + 3.0) + -1.0;
  std::vector<std::uint8_t> small = bytes(), divisors;
  for (std::uint8_t& x : small) x = static_cast<std::uint8_t>((x ^ 5) * (x ^ 5));
  for (const std::uint32_t word : Numbers(72).u32s(kCount)) {
    std::uint8_t count = 0;
    for (const std::uint32_t prime : {2u, 3u, 5u, 7u, 11u, 13u})
      count = static_cast<std::uint8_t>(count + (word % prime == 0));
    divisors.push_back(count);
  }
  std::vector<std::int64_t> sorted = longs();
  for (auto part = sorted.begin(); part != sorted.end(); part += kEach)
    std::sort(part, part + kEach, [](std::int64_t a, std::int64_t b) {
      return std::pair(a % kModulus, a) < std::pair(b % kModulus, b);
    });
  return Outputs()
      .add("squares", squares)
      .add("chained", chained)
      .add("bytes", small)
      .add("divisors", divisors)
      .add("sorted", sorted);
}

}  // namespace

Complete templates() {
  return {"templates", run, expected, {kSquares, kChain, kBytes, kDivisors, kSorts}};
}

}  // namespace tare::kernels
