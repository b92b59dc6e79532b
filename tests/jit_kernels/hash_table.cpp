// tests/kernels/hash_table.cu: an open-addressing table: a key takes the first free slot by compare-and-swap,
// its value is the largest of those inserted, and lookups probe until they meet a free slot.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

constexpr unsigned kFree = 0xffffffffu;

auto mix(const Value<unsigned>& key) {
  auto mixed = var(key);
  mixed ^= mixed >> 16;
  mixed *= 0x7feb352du;
  mixed ^= mixed >> 15;
  mixed *= 0x846ca68bu;
  return mixed ^ mixed >> 16;
}

const auto kInsert = [](auto keys, auto values, auto n, auto table_keys, auto table_values, auto mask,
                        auto distinct) {
  const auto at = grid_index();
  if_(at >= n, [] { return_(); });
  const auto key = keys[at];
  auto slot = var(mix(key) & mask);
  while_([] { return true; },
         [&] {
           const auto before = atomic_compare_exchange(table_keys[slot], kFree, key);
           if_(before == kFree, [&] { atomic_add(distinct[0], 1u); });
           if_(before == kFree || before == key, [] { break_(); });
           slot = (slot + 1u) & mask;
         });
  const auto mine = values[at];
  auto current = var(table_values[slot]);
  while_([&] { return bit_cast<double>(current) < mine; },
         [&] {
           const auto seen =
               atomic_compare_exchange(table_values[slot], current, bit_cast<unsigned long long>(mine));
           if_(seen == current, [] { break_(); });
           current = seen;
         });
};

const auto kLookup = [](auto keys, auto values, auto n, auto table_keys, auto table_values, auto mask) {
  const auto at = grid_index();
  if_(at >= n, [] { return_(); });
  const auto key = keys[at];
  auto found = var(-1.0);
  auto slot = var(mix(key) & mask);
  while_([&] { return table_keys[slot] != kFree; },
         [&] {
           if_(table_keys[slot] == key, [&] {
             found = bit_cast<double>(table_values[slot]);
             break_();
           });
           slot = (slot + 1u) & mask;
         });
  values[at] = found;
};

const Registered kPair{
    {.name = "hash_table", .run = [](Run& run) {
       kernels::Numbers numbers(201);
       const auto keys =
           run.in(kernels::Numbers::many<unsigned>(900, [&] { return numbers.below(400) * 977; }));
       const auto values =
           run.in(kernels::Numbers::many<double>(900, [&] { return numbers.f64() * numbers.f64() + 2.0; }));
       // Which of two keys comes first is the device's affair, so the table itself is not compared.
       const auto table_keys = run.scratch(std::vector<unsigned>(1024, kFree));
       const auto table_values = run.scratch(std::vector<unsigned long long>(1024));
       run.launch("insert", kInsert, 8, 128, keys, values, 900u, table_keys, table_values, 1023u,
                  run.out("distinct", std::vector<unsigned>{0}));
       run.launch("lookup", kLookup, 8, 64,
                  run.in(kernels::Numbers::many<unsigned>(500, [&] { return numbers.below(500) * 977; })),
                  run.out<double>("values", 500), 500u, table_keys, table_values, 1023u);
     }}};

}  // namespace
}  // namespace tare::pairs
