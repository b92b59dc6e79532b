#include "cpu/driver/memory.hpp"

#include <sys/mman.h>

#include "cpu/driver/api.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/runtime/host.hpp"

namespace tare::cpu {

using abi::Result;

namespace {
std::uintptr_t number(const std::byte* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}
}  // namespace

Allocation::~Allocation() {
  if (kind == Kind::host && mapped_bytes != 0) munmap(base, mapped_bytes);
  if ((kind == Kind::device || kind == Kind::module) && block.segment)
    Process::get().device_memory.release(block);
}

bool AddressMap::add(const std::shared_ptr<Allocation>& allocation) {
  const std::unique_lock lock(mutex_);
  const std::uintptr_t first = number(allocation->base), last = first + allocation->bytes;
  const auto next = by_base_.lower_bound(first);
  if (next != by_base_.end() && next->first < last) return false;
  if (next != by_base_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second->bytes > first) return false;
  }
  by_base_.emplace_hint(next, first, allocation);
  std::erase_if(freed_,
                [&](const Freed& each) { return each.base < last && first < each.base + each.bytes; });
  return true;
}

std::shared_ptr<Allocation> AddressMap::find(std::uintptr_t address) const {
  const std::shared_lock lock(mutex_);
  auto it = by_base_.upper_bound(address);
  if (it == by_base_.begin()) return nullptr;
  --it;
  return address - it->first < it->second->bytes ? it->second : nullptr;
}

bool AddressMap::contains(std::uintptr_t address, std::size_t bytes) const {
  const std::shared_lock lock(mutex_);
  auto it = by_base_.upper_bound(address);
  if (it == by_base_.begin()) return false;
  --it;
  const std::size_t offset = address - it->first;
  return offset < it->second->bytes && bytes <= it->second->bytes - offset;
}

std::shared_ptr<Allocation> AddressMap::remove(std::uintptr_t base) {
  const std::unique_lock lock(mutex_);
  const auto found = by_base_.find(base);
  if (found == by_base_.end()) return nullptr;
  auto allocation = std::move(found->second);
  by_base_.erase(found);
  note_freed(*allocation);
  return allocation;
}

void AddressMap::note_freed(const Allocation& allocation) {
  using Kind = Allocation::Kind;
  if (allocation.kind == Kind::registered || allocation.kind == Kind::imported) return;  // not ours to free
  if (freed_.size() == kFreedKept) freed_.pop_front();
  freed_.push_back({number(allocation.base), allocation.bytes});
}

std::optional<Neighbour> AddressMap::neighbour(std::uintptr_t address) const {
  constexpr std::size_t kReach = 64 << 10;
  const std::shared_lock lock(mutex_);
  for (const Freed& each : freed_) {
    if (address - each.base < each.bytes)
      return Neighbour{Neighbour::Side::freed, 0, Allocation::Kind::device, each.bytes};
  }
  std::optional<Neighbour> nearest;
  const auto next = by_base_.upper_bound(address);
  if (next != by_base_.begin()) {
    const Allocation& previous = *std::prev(next)->second;
    const std::size_t offset = address - number(previous.base);
    if (offset < previous.bytes) return std::nullopt;
    if (offset - previous.bytes <= kReach)
      nearest = {Neighbour::Side::behind, offset - previous.bytes, previous.kind, previous.bytes};
  }
  if (next != by_base_.end()) {
    const std::size_t distance = next->first - address;
    if (distance <= kReach && (!nearest || distance < nearest->distance))
      nearest = {Neighbour::Side::before, distance, next->second->kind, next->second->bytes};
  }
  return nearest;
}

std::shared_ptr<Allocation> AddressMap::find_imported(std::uint64_t identity, std::size_t offset) const {
  const std::shared_lock lock(mutex_);
  for (const auto& [base, allocation] : by_base_) {
    if (allocation->kind == Allocation::Kind::imported && allocation->block.segment->identity() == identity &&
        allocation->block.offset == offset) {
      return allocation;
    }
  }
  return nullptr;
}

std::vector<std::shared_ptr<Allocation>> AddressMap::remove_of(const ContextObject& context) {
  std::vector<std::shared_ptr<Allocation>> taken;
  const std::unique_lock lock(mutex_);
  for (auto it = by_base_.begin(); it != by_base_.end();) {
    if (it->second->context.lock().get() == &context) {
      note_freed(*it->second);
      taken.push_back(std::move(it->second));
      it = by_base_.erase(it);
    } else {
      ++it;
    }
  }
  return taken;
}

std::shared_ptr<Allocation> allocate_device(ContextObject& context, std::size_t bytes,
                                            Allocation::Kind kind) {
  Process& process = Process::get();
  std::string why;
  auto block = process.device_memory.allocate(bytes, why);
  if (!block) {
    fail(abi::kOutOfMemory, why);
    return nullptr;
  }
  auto allocation = std::make_shared<Allocation>();
  allocation->kind = kind;
  allocation->block = std::move(*block);
  allocation->base = allocation->block.address();
  allocation->bytes = bytes;
  allocation->context = context.weak_from_this();
  allocation->device = context.device;
  allocation->id = process.next_id();
  if (!process.addresses.add(allocation)) return nullptr;
  return allocation;
}

TARE_API Result cuMemAlloc_v2(abi::DevicePointer* out, std::size_t bytes) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>& context) -> Result {
    if (out == nullptr || bytes == 0) return abi::kInvalidValue;
    const auto allocation = allocate_device(*context, bytes, Allocation::Kind::device);
    if (!allocation) return abi::kOutOfMemory;
    *out = number(allocation->base);
    return abi::kSuccess;
  });
}

TARE_API Result cuMemAllocPitch_v2(abi::DevicePointer* out, std::size_t* pitch, std::size_t width,
                                   std::size_t height, unsigned element_bytes) {
  if (out == nullptr || pitch == nullptr || width == 0 || height == 0) return fail(abi::kInvalidValue);
  if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) return fail(abi::kInvalidValue);
  constexpr std::size_t kPitchAlignment = 512;
  if (width > SIZE_MAX - kPitchAlignment) return fail(abi::kInvalidValue);
  const std::size_t row = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  if (height > SIZE_MAX / row) return fail(abi::kInvalidValue);
  const Result result = cuMemAlloc_v2(out, row * height);
  if (result == abi::kSuccess) *pitch = row;
  return result;
}

TARE_API Result cuMemFree_v2(abi::DevicePointer pointer) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    if (pointer == 0) return abi::kSuccess;
    const auto allocation = process.addresses.find(static_cast<std::uintptr_t>(pointer));
    if (!allocation || allocation->kind != Allocation::Kind::device || number(allocation->base) != pointer) {
      return abi::kInvalidValue;
    }
    // Work that was queued before may still use it.
    if (const auto owner = allocation->context.lock()) {
      if (const Result state = owner->synchronise(); state != abi::kSuccess) return state;
    }
    return process.addresses.remove(static_cast<std::uintptr_t>(pointer)) ? abi::kSuccess
                                                                          : abi::kInvalidValue;
  });
}

TARE_API Result cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>&) -> Result {
    const MemoryState memory = memory_state();
    if (free_bytes != nullptr) *free_bytes = memory.free_bytes;
    if (total_bytes != nullptr) *total_bytes = memory.total_bytes;
    return abi::kSuccess;
  });
}

TARE_API Result cuMemGetAddressRange_v2(abi::DevicePointer* base, std::size_t* bytes,
                                        abi::DevicePointer pointer) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    const auto allocation = process.addresses.find(static_cast<std::uintptr_t>(pointer));
    if (!allocation) return abi::kNotFound;
    if (base != nullptr) *base = number(allocation->base);
    if (bytes != nullptr) *bytes = allocation->bytes;
    return abi::kSuccess;
  });
}

}  // namespace tare::cpu
