// tests/kernels/crc32_blocks.cu: CRC-32 of records of different lengths, a thread to a record, by a table
// that each block makes for itself; and FNV-1a of 64 bits beside it.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

const auto kHashes = [](auto bytes, auto offsets, auto records, auto crcs, auto hashes) {
  auto table = shared_array<unsigned, 256>();
  for_(thread_index().x, 256u, block_size().x, [&](auto i) {
    auto value = var(i);
    for (int bit = 0; bit < 8; ++bit)
      value = select((value & 1u) != 0u, value >> 1 ^ 0xEDB88320u, value >> 1);
    table[i] = value;
  });
  sync_threads();
  const auto record = grid_index();
  if_(record >= records, [] { return_(); });
  auto crc = var(~0u);
  auto hash = var(14695981039346656037ull);
  for_(offsets[record], offsets[record + 1], [&](auto i) {
    crc = table[(crc ^ bytes[i]) & 255u] ^ crc >> 8;
    hash = (hash ^ bytes[i]) * 1099511628211ull;
  });
  crcs[record] = ~crc;
  hashes[record] = hash;
};

const Registered kPair{{.name = "crc32_blocks", .run = [](Run& run) {
                          kernels::Numbers numbers(171);
                          std::vector<unsigned> offsets{0};
                          for (int record = 0; record < 100; ++record)
                            offsets.push_back(offsets.back() + numbers.below(60));
                          const auto bytes = kernels::Numbers::many<unsigned char>(
                              offsets.back(), [&] { return static_cast<unsigned char>(numbers.below(256)); });
                          run.launch("crc32_blocks", kHashes, 2, 64, run.in(bytes), run.in(offsets), 100u,
                                     run.out<unsigned>("crc32", 100),
                                     run.out<unsigned long long>("fnv", 100));
                        }}};

}  // namespace
}  // namespace tare::pairs
