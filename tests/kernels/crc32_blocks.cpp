// CRC-32 bit by bit, held against its published check value.
#include <stdexcept>
#include <string_view>

#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kRecords = 300;

struct Records {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> offsets{0};
};

Records records() {
  Numbers numbers(43);
  Records made;
  for (unsigned record = 0; record < kRecords; ++record) {
    for (unsigned left = numbers.below(120); left > 0; --left)
      made.bytes.push_back(static_cast<std::uint8_t>(numbers.u32() & 0xff));
    made.offsets.push_back(static_cast<std::uint32_t>(made.bytes.size()));
  }
  return made;
}

Outputs run(const Stage& stage) {
  const Records made = records();
  const auto bytes = stage.upload(made.bytes);
  const auto offsets = stage.upload(made.offsets), crcs = stage.filled<std::uint32_t>(kRecords);
  const auto hashes = stage.filled<std::uint64_t>(kRecords);
  stage.launch("crc32_blocks", {.grid = {blocks_for(kRecords, 96)}, .block = {96}}, bytes, offsets, kRecords,
               crcs, hashes);
  return Outputs().add("crc", stage.download(crcs)).add("fnv", stage.download(hashes));
}

template <class Bytes>
std::uint32_t crc32(const Bytes& bytes) {
  std::uint32_t crc = ~0u;
  for (const auto byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1)));
  }
  return ~crc;
}

Outputs expected() {
  if (crc32(std::string_view("123456789")) != 0xcbf43926u)
    throw std::logic_error("the oracle's checksum is not CRC-32");
  const Records made = records();
  std::vector<std::uint32_t> crcs;
  std::vector<std::uint64_t> hashes;
  for (std::size_t record = 0; record < kRecords; ++record) {
    const std::vector<std::uint8_t> bytes(made.bytes.begin() + made.offsets[record],
                                          made.bytes.begin() + made.offsets[record + 1]);
    crcs.push_back(crc32(bytes));
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
    hashes.push_back(hash);
  }
  return Outputs().add("crc", crcs).add("fnv", hashes);
}

}  // namespace

Complete crc32_blocks() {
  return {"crc32_blocks", run, expected, {}};
}

}  // namespace tare::kernels
