// The standard library's map. Where a key lies in the table depends on who came first, what is found there
// does not.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kInserts = 1500, kLookups = 2000, kSlots = 2048, kThreads = 128;

std::vector<std::uint32_t> keys(std::uint64_t seed, std::size_t count) {
  Numbers numbers(seed);
  return Numbers::many<std::uint32_t>(count, [&] { return numbers.below(1700) * 77u; });
}
std::vector<double> values() {
  std::vector<double> all = Numbers(31).f64s(kInserts);
  for (double& value : all) value = std::abs(value);
  return all;
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(keys(30, kInserts)), wanted = stage.upload(keys(32, kLookups));
  const auto in_values = stage.upload(values()), found = stage.filled<double>(kLookups);
  const auto table_keys = stage.filled<std::uint32_t>(kSlots, 0xff);
  const auto table_values = stage.filled<std::uint64_t>(kSlots);  // +0.0
  const auto distinct = stage.filled<std::uint32_t>(1);
  stage.launch("insert", {.grid = {blocks_for(kInserts, kThreads)}, .block = {kThreads}}, in, in_values,
               kInserts, table_keys, table_values, kSlots - 1, distinct);
  stage.launch("lookup", {.grid = {blocks_for(kLookups, kThreads)}, .block = {kThreads}}, wanted, found,
               kLookups, table_keys, table_values, kSlots - 1);
  return Outputs().add("found", stage.download(found)).add("distinct", stage.download(distinct));
}

Outputs expected() {
  const auto in = keys(30, kInserts);
  const auto in_values = values();
  std::unordered_map<std::uint32_t, double> map;
  for (std::size_t i = 0; i < kInserts; ++i) map[in[i]] = std::max(map[in[i]], in_values[i]);
  std::vector<double> found;
  for (const std::uint32_t key : keys(32, kLookups)) found.push_back(map.contains(key) ? map[key] : -1.0);
  return Outputs().add("found", found).add("distinct", std::vector{static_cast<std::uint32_t>(map.size())});
}

}  // namespace

Complete hash_table() {
  return {"hash_table", run, expected, {}};
}

}  // namespace tare::kernels
