#include "cpu/runtime/device_memory.hpp"

#include <algorithm>
#include <cstdio>

#include "cpu/runtime/host.hpp"

namespace tare::cpu {
namespace {

constexpr std::size_t kPage = Segment::kPage;
constexpr std::size_t kGranule = 512;
constexpr std::size_t kSharedSegment = std::size_t{4} << 20;
constexpr std::size_t kLargestSmallBlock = std::size_t{1} << 20;
/// Counting reads a line per mapping: some 10 ms where there are 30,000.
constexpr std::size_t kCountedEvery = 2048;
/// What a guarded block may add to the process's mappings: itself, and what it parts.
constexpr std::size_t kMappingsPerBlock = 2;

std::size_t round_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

/// Whole granules and whole pages for a block of so many bytes.
std::size_t granules(std::size_t bytes) {
  return round_up(std::max<std::size_t>(bytes, 1), kGranule);
}
std::size_t pages(std::size_t bytes) {
  return round_up(granules(bytes), kPage);
}

std::string megabytes(std::size_t bytes) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1024.0 * 1024.0));
  return text;
}

std::string too_much(std::size_t needed, const MemoryState& memory) {
  return megabytes(needed) + " of device memory needed, " + megabytes(memory.free_bytes) + " available";
}

}  // namespace

std::optional<MemoryBlock> DeviceMemory::allocate(std::size_t bytes, std::string& why) {
  if (bytes <= kLargestSmallBlock) {
    const std::scoped_lock lock(mutex_);
    if (may_guard()) {
      if (auto block = allocate_guarded(bytes, why)) return block;
    }
    return allocate_packed(bytes, why);
  }
  const MemoryState memory = memory_state();
  if (bytes > memory.free_bytes) {
    why = too_much(bytes, memory);
    return std::nullopt;
  }
  auto segment = Segment::create(bytes, Segment::Pages::present, why);
  if (!segment) {
    why = megabytes(bytes) + ": " + why;
    return std::nullopt;
  }
  return MemoryBlock{std::move(segment), pages(bytes) - granules(bytes), bytes};
}

/// Half of the mappings that the process may have are left to everything else in it. What others have is
/// looked at again whenever this has kCountedEvery more than when it was.
bool DeviceMemory::may_guard() {
  const std::size_t own = guarded_blocks_ * kMappingsPerBlock;
  if (own >= count_at_) {
    const std::size_t all = mapping_count();
    other_mappings_ = all > own ? all - own : 0;
    count_at_ = own + kCountedEvery;
  }
  return own + other_mappings_ + kMappingsPerBlock <= mapping_limit() / 2;
}

/// Its pages, and one behind them that stays sealed; the one before is the end of another's, or the
/// segment's.
std::optional<MemoryBlock> DeviceMemory::allocate_guarded(std::size_t bytes, std::string& why) {
  const std::size_t size = pages(bytes);
  auto hole = take(guarded_, size + kPage, Segment::Pages::sealed, why);
  if (!hole) return std::nullopt;
  if (!hole->segment->allow(hole->offset, size)) {
    give_back(guarded_, *hole, size + kPage);
    return std::nullopt;
  }
  ++guarded_blocks_;
  return MemoryBlock{std::move(hole->segment), hole->offset + size - granules(bytes), bytes,
                     MemoryBlock::Place::guarded};
}

std::optional<MemoryBlock> DeviceMemory::allocate_packed(std::size_t bytes, std::string& why) {
  auto hole = take(packed_, granules(bytes), Segment::Pages::on_demand, why);
  if (!hole) return std::nullopt;
  return MemoryBlock{std::move(hole->segment), hole->offset, bytes, MemoryBlock::Place::packed};
}

std::optional<DeviceMemory::Hole> DeviceMemory::take(Pool& pool, std::size_t size, Segment::Pages pages,
                                                     std::string& why) {
  for (Shared& shared : pool) {
    if (const auto offset = shared.free.take(size)) return Hole{shared.segment, *offset};
  }
  const MemoryState memory = memory_state();
  if (kSharedSegment > memory.free_bytes) {
    why = too_much(kSharedSegment, memory);
    return std::nullopt;
  }
  auto segment = Segment::create(kSharedSegment, pages, why);
  if (!segment) return std::nullopt;
  Shared& shared = pool.emplace_back(Shared{std::move(segment), FreeList(kSharedSegment)});
  const auto offset = shared.free.take(size);
  if (!offset) return std::nullopt;
  return Hole{shared.segment, *offset};
}

void DeviceMemory::release(const MemoryBlock& block) {
  const std::scoped_lock lock(mutex_);
  switch (block.place) {
    case MemoryBlock::Place::own:  // its segment goes with it
      return;
    case MemoryBlock::Place::packed:
      return give_back(packed_, {block.segment, block.offset}, granules(block.bytes));
    case MemoryBlock::Place::guarded: {
      const std::size_t first = block.offset / kPage * kPage;
      block.segment->seal(first, pages(block.bytes));
      --guarded_blocks_;
      return give_back(guarded_, {block.segment, first}, pages(block.bytes) + kPage);
    }
  }
}

void DeviceMemory::give_back(Pool& pool, const Hole& hole, std::size_t size) {
  const auto shared =
      std::find_if(pool.begin(), pool.end(), [&](const Shared& s) { return s.segment == hole.segment; });
  if (shared == pool.end()) return;
  shared->free.give_back(hole.offset, size);
  // One empty segment is kept, so that a loop of one allocation does not map and unmap each time.
  if (shared->free.used() == 0 && pool.size() > 1) pool.erase(shared);
}

}  // namespace tare::cpu
