// Which thread took a number is left open; how far it was from 1 is not.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kNumbers = 500, kBlocks = 3, kThreads = 48, kAnswers = 5, kAnswerThreads = 72;

std::vector<std::uint32_t> numbers_in() {
  Numbers numbers(55);
  return Numbers::many<std::uint32_t>(kNumbers, [&] { return 1 + numbers.below(100000); });
}
/// None, some, some, some, all.
std::vector<std::int32_t> predicates() {
  Numbers numbers(56);
  std::vector<std::int32_t> all;
  for (unsigned block = 0; block < kAnswers; ++block)
    for (unsigned thread = 0; thread < kAnswerThreads; ++thread)
      all.push_back(numbers.below(kAnswers - 1) < block ? static_cast<std::int32_t>(numbers.u32() | 0x100)
                                                        : 0);
  return all;
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(numbers_in());
  const auto taken = stage.filled<std::uint32_t>(1), lengths = stage.filled<std::uint32_t>(kNumbers, 0xff),
             rounds = stage.filled<std::uint32_t>(1), all_odd = stage.filled<std::uint32_t>(1);
  stage.launch("collatz", {.grid = {kBlocks}, .block = {kThreads}}, in, kNumbers, taken, lengths, rounds,
               all_odd);
  const auto questions = stage.upload(predicates()), out = stage.filled<std::int32_t>(questions.count());
  stage.launch("answers", {.grid = {kAnswers}, .block = {kAnswerThreads}}, questions, out);
  return Outputs()
      .add("lengths", stage.download(lengths))
      .add("impossible", stage.download(all_odd))
      .add("answers", stage.download(out));
}

Outputs expected() {
  std::vector<std::uint32_t> lengths;
  for (const std::uint64_t number : numbers_in()) {
    std::uint32_t steps = 0;
    for (std::uint64_t value = number; value != 1; ++steps)
      value = value % 2 == 1 ? 3 * value + 1 : value / 2;
    lengths.push_back(steps);
  }
  const auto questions = predicates();
  std::vector<std::int32_t> out;
  for (std::size_t at = 0; at < questions.size(); ++at) {
    std::int32_t count = 0;
    for (std::size_t thread = 0; thread < kAnswerThreads; ++thread)
      count += questions[at / kAnswerThreads * kAnswerThreads + thread] != 0;
    out.push_back(count * 4 + (count == kAnswerThreads) * 2 + (count > 0));
  }
  return Outputs()
      .add("lengths", lengths)
      .add("impossible", std::vector<std::uint32_t>{0})
      .add("answers", out);
}

}  // namespace

Complete block_queue() {
  return {"block_queue", run, expected, {}};
}

}  // namespace tare::kernels
