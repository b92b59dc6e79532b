// Page-locked host memory: allocated here, or the caller's own and registered. The device sees it at
// the host's address.
#include <sys/mman.h>

#include "cpu/driver/api.hpp"
#include "cpu/driver/memory.hpp"
#include "cpu/runtime/host.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

constexpr std::size_t kPage = 4096;

Result allocate(void** out, std::size_t bytes, unsigned flags) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>& context) -> Result {
    constexpr unsigned kKnown =
        abi::host_alloc::portable | abi::host_alloc::device_map | abi::host_alloc::write_combined;
    if (out == nullptr || (flags & ~kKnown) != 0 || bytes == 0) return abi::kInvalidValue;
    if (bytes > memory_state().free_bytes)
      return fail(abi::kOutOfMemory, "not so much host memory available");
    const std::size_t mapped = (bytes + kPage - 1) / kPage * kPage;
    void* memory =
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) return abi::kOutOfMemory;
    auto allocation = std::make_shared<Allocation>();
    allocation->kind = Allocation::Kind::host;
    allocation->base = static_cast<std::byte*>(memory);
    allocation->bytes = bytes;
    allocation->mapped_bytes = mapped;
    allocation->context = context;
    allocation->device = context->device;
    allocation->flags = flags;
    allocation->id = process.next_id();
    if (!process.addresses.add(allocation)) return abi::kUnknown;
    *out = memory;
    return abi::kSuccess;
  });
}

/// Whether every page of the range is mapped; false also where it wraps.
bool is_mapped(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address + bytes < address) return false;
  const std::uintptr_t first = address / kPage * kPage;
  // With MS_ASYNC this writes nothing: Linux only looks for the mappings.
  return msync(reinterpret_cast<void*>(first), address + bytes - first, MS_ASYNC) == 0;
}

}  // namespace

TARE_API Result cuMemHostAlloc(void** out, std::size_t bytes, unsigned flags) {
  return allocate(out, bytes, flags);
}
TARE_API Result cuMemAllocHost_v2(void** out, std::size_t bytes) {
  return allocate(out, bytes, 0);
}

TARE_API Result cuMemFreeHost(void* pointer) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    if (pointer == nullptr) return abi::kSuccess;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const auto allocation = process.addresses.find(address);
    if (!allocation || allocation->kind != Allocation::Kind::host || allocation->base != pointer) {
      return abi::kInvalidValue;
    }
    if (const auto owner = allocation->context.lock()) {
      if (const Result state = owner->synchronise(); state != abi::kSuccess) return state;
    }
    process.addresses.remove(address);
    return abi::kSuccess;
  });
}

TARE_API Result cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>& context) -> Result {
    constexpr unsigned kKnown = abi::host_register::portable | abi::host_register::device_map |
                                abi::host_register::io_memory | abi::host_register::read_only;
    if (pointer == nullptr || bytes == 0 || (flags & ~kKnown) != 0) return abi::kInvalidValue;
    if ((flags & abi::host_register::io_memory) != 0)
      return fail(abi::kNotSupported, "the CPU device cannot register memory of other devices");
    if (!is_mapped(pointer, bytes))
      return fail(abi::kInvalidValue, "the range holds addresses without memory");
    auto allocation = std::make_shared<Allocation>();
    allocation->kind = Allocation::Kind::registered;
    allocation->base = static_cast<std::byte*>(pointer);
    allocation->bytes = bytes;
    allocation->context = context;
    allocation->device = context->device;
    allocation->flags = flags;
    allocation->id = process.next_id();
    return process.addresses.add(allocation) ? abi::kSuccess : abi::kHostMemoryAlreadyRegistered;
  });
}
TARE_API Result cuMemHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return cuMemHostRegister_v2(pointer, bytes, flags);
}

TARE_API Result cuMemHostUnregister(void* pointer) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    if (pointer == nullptr) return abi::kInvalidValue;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const auto allocation = process.addresses.find(address);
    if (!allocation || allocation->kind != Allocation::Kind::registered || allocation->base != pointer) {
      return abi::kHostMemoryNotRegistered;
    }
    if (const auto owner = allocation->context.lock()) {
      if (const Result state = owner->synchronise(); state != abi::kSuccess) return state;
    }
    process.addresses.remove(address);
    return abi::kSuccess;
  });
}

TARE_API Result cuMemHostGetDevicePointer_v2(abi::DevicePointer* out, void* pointer, unsigned flags) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    if (out == nullptr || flags != 0) return abi::kInvalidValue;
    const auto allocation = process.addresses.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (!allocation || !allocation->is_host()) return abi::kInvalidValue;
    *out = reinterpret_cast<std::uintptr_t>(pointer);
    return abi::kSuccess;
  });
}

TARE_API Result cuMemHostGetFlags(unsigned* flags, void* pointer) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    const auto allocation = process.addresses.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (flags == nullptr || !allocation || allocation->kind != Allocation::Kind::host)
      return abi::kInvalidValue;
    // With unified addressing all host memory is mapped.
    *flags = allocation->flags | abi::host_alloc::device_map;
    return abi::kSuccess;
  });
}

}  // namespace tare::cpu
