// Sources: the CUDA Programming Guide 13.0, appendix "Compute Capabilities", its tables of technical
// specifications and of the capacity of shared memory, which begin at 7.5; cuda_occupancy.h of CUDA 13.0 for
// the units, the reserved bytes and the carve-outs. The rows below 7.5 are those of older editions, from
// memory.
#include "cpu/runtime/capability.hpp"

#include <algorithm>

namespace tare::cpu {
namespace {

constexpr int kOnly64[] = {64}, kOnly96[] = {96};  // apart from the L1 cache
constexpr int kVolta[] = {8, 16, 32, 64, 96};
constexpr int kTuring[] = {32, 64};
constexpr int kUpTo100[] = {8, 16, 32, 64, 100};
constexpr int kUpTo164[] = {8, 16, 32, 64, 100, 132, 164};
constexpr int kUpTo228[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};

constexpr int kHalf = 32 * 1024, kWhole = 64 * 1024;

constexpr std::size_t kib(std::size_t count) {
  return count * 1024;
}

constexpr Capability kCapabilities[] = {
    // number, threads, blocks, registers of a block, carve-outs, shared memory of a block
    {50, 2048, 32, kWhole, kOnly64, kib(48)},    {52, 2048, 32, kWhole, kOnly96, kib(48)},
    {53, 2048, 32, kHalf, kOnly64, kib(48)},     {60, 2048, 32, kWhole, kOnly64, kib(48)},
    {61, 2048, 32, kWhole, kOnly96, kib(48)},    {62, 2048, 32, kHalf, kOnly64, kib(48)},
    {70, 2048, 32, kWhole, kVolta, kib(96)},     {72, 2048, 32, kWhole, kVolta, kib(96)},
    {75, 1024, 16, kWhole, kTuring, kib(64)},    {80, 2048, 32, kWhole, kUpTo164, kib(163)},
    {86, 1536, 16, kWhole, kUpTo100, kib(99)},   {87, 1536, 16, kWhole, kUpTo164, kib(163)},
    {89, 1536, 24, kWhole, kUpTo100, kib(99)},   {90, 2048, 32, kWhole, kUpTo228, kib(227)},
    {100, 2048, 32, kWhole, kUpTo228, kib(227)}, {103, 2048, 32, kWhole, kUpTo228, kib(227)},
    {110, 1536, 24, kWhole, kUpTo228, kib(227)}, {120, 1536, 24, kWhole, kUpTo100, kib(99)},
    {121, 1536, 24, kWhole, kUpTo100, kib(99)},
};

}  // namespace

const Capability* find_capability(int number) {
  const auto* const found = std::ranges::find(kCapabilities, number, &Capability::number);
  return found == std::end(kCapabilities) ? nullptr : found;
}

}  // namespace tare::cpu
