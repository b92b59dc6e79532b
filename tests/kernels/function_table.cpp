// A switch.
#include <algorithm>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 333;

std::vector<std::uint32_t> programs() {
  Numbers numbers(51);
  return Numbers::many<std::uint32_t>(kCount, [&] { return numbers.below(100000); });
}
std::vector<std::uint32_t> arguments() {
  return Numbers(52).u32s(kCount);
}

Outputs run(const Stage& stage) {
  const auto code = stage.upload(programs()), in = stage.upload(arguments()),
             out = stage.filled<std::uint32_t>(kCount), areas = stage.filled<std::uint32_t>(kCount);
  const Launch shape{.grid = {blocks_for(kCount, 64)}, .block = {64}};
  stage.launch("interpret", shape, code, in, out, kCount);
  stage.launch("areas", shape, in, areas, kCount);
  return Outputs().add("results", stage.download(out)).add("areas", stage.download(areas));
}

std::uint32_t apply(std::uint32_t operation, std::uint32_t a, std::uint32_t b) {
  switch (operation) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a * b;
    case 3:
      return a ^ b;
    default:
      break;
  }
  return static_cast<std::uint32_t>(std::max(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)));
}

Outputs expected() {
  const auto code = programs(), in = arguments();
  std::vector<std::uint32_t> results, areas;
  for (std::size_t at = 0; at < kCount; ++at) {
    std::uint32_t value = in[at];
    for (std::uint32_t program = code[at]; program != 0; program /= 10)
      value = apply(program % 10 % 5, value, in[(at + program) % kCount]);
    results.push_back(value);
    const auto argument = static_cast<std::int32_t>(in[at]);
    const std::int32_t side = argument % 1000;
    areas.push_back(static_cast<std::uint32_t>((argument >> 3) & 1 ? side * 3 + 1 : side * side));
  }
  return Outputs().add("results", results).add("areas", areas);
}

}  // namespace

Complete function_table() {
  return {"function_table", run, expected, {}};
}

}  // namespace tare::kernels
