// Device memory shared between processes. A handle names the exporting process, its descriptor and
// identity of the segment and the place in it; it is opened through /proc, so it works for as long
// as the exporter lives, and the memory lives as long as anyone maps it.
#include <unistd.h>

#include <cstring>
#include <mutex>

#include "cpu/driver/api.hpp"
#include "cpu/driver/memory.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

constexpr std::uint64_t kMagic = 0x31'43'50'49'65'72'61'74;  // "tareIPC1"

struct Handle {
  std::uint64_t magic, identity, segment_bytes, offset, bytes;
  std::int32_t pid, fd;
  std::uint64_t zero[2];
};
static_assert(sizeof(Handle) == sizeof(abi::IpcMemHandle));

/// Opening and closing change the count of an import, and its place in the address map, together.
std::mutex imports_mutex;

Result open(abi::DevicePointer* out, const abi::IpcMemHandle& opaque, unsigned flags) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>& context) -> Result {
    if (out == nullptr || (flags & ~abi::ipc_flag::lazy_enable_peer_access) != 0) return abi::kInvalidValue;
    Handle handle{};
    std::memcpy(&handle, &opaque, sizeof handle);
    if (handle.magic != kMagic || handle.offset > handle.segment_bytes ||
        handle.bytes > handle.segment_bytes - handle.offset) {
      return fail(abi::kInvalidValue, "these bytes are not a memory handle of the CPU device");
    }
    if (handle.pid == getpid()) {
      return fail(abi::kInvalidContext, "a memory handle cannot be opened in the process that made it");
    }
    const std::scoped_lock lock(imports_mutex);
    if (const auto known = process.addresses.find_imported(handle.identity, handle.offset)) {
      ++known->opened;
      *out = reinterpret_cast<std::uintptr_t>(known->base);
      return abi::kSuccess;
    }
    auto segment = Segment::open(handle.pid, handle.fd, handle.identity, handle.segment_bytes, handle.offset,
                                 handle.bytes);
    if (!segment) {
      return fail(abi::kInvalidHandle,
                  "the memory of process " + std::to_string(handle.pid) +
                      " is not there: the process has ended, has freed it, or belongs to someone else");
    }
    auto allocation = std::make_shared<Allocation>();
    allocation->kind = Allocation::Kind::imported;
    allocation->block = {std::move(segment), static_cast<std::size_t>(handle.offset),
                         static_cast<std::size_t>(handle.bytes)};
    allocation->base = allocation->block.address();
    allocation->bytes = allocation->block.bytes;
    allocation->context = context;
    allocation->device = context->device;
    allocation->id = process.next_id();
    allocation->opened = 1;
    if (!process.addresses.add(allocation)) return abi::kMapFailed;
    *out = reinterpret_cast<std::uintptr_t>(allocation->base);
    return abi::kSuccess;
  });
}

}  // namespace

TARE_API Result cuIpcGetMemHandle(abi::IpcMemHandle* out, abi::DevicePointer pointer) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    if (out == nullptr) return abi::kInvalidValue;
    const auto allocation = process.addresses.find(static_cast<std::uintptr_t>(pointer));
    if (!allocation || allocation->kind != Allocation::Kind::device) return abi::kInvalidValue;
    const MemoryBlock& block = allocation->block;
    const Handle handle{kMagic,
                        block.segment->identity(),
                        block.segment->bytes(),
                        block.offset,
                        block.bytes,
                        getpid(),
                        block.segment->fd(),
                        {0, 0}};
    std::memcpy(out, &handle, sizeof handle);
    return abi::kSuccess;
  });
}

TARE_API Result cuIpcOpenMemHandle_v2(abi::DevicePointer* out, abi::IpcMemHandle handle, unsigned flags) {
  return open(out, handle, flags);
}
TARE_API Result cuIpcOpenMemHandle(abi::DevicePointer* out, abi::IpcMemHandle handle, unsigned flags) {
  return open(out, handle, flags);
}

TARE_API Result cuIpcCloseMemHandle(abi::DevicePointer pointer) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    const auto address = static_cast<std::uintptr_t>(pointer);
    const auto allocation = process.addresses.find(address);
    if (!allocation || allocation->kind != Allocation::Kind::imported ||
        reinterpret_cast<std::uintptr_t>(allocation->base) != address) {
      return abi::kInvalidValue;
    }
    if (const auto owner = allocation->context.lock()) {
      if (const Result state = owner->synchronise(); state != abi::kSuccess) return state;
    }
    const std::scoped_lock lock(imports_mutex);
    if (--allocation->opened == 0) process.addresses.remove(address);
    return abi::kSuccess;
  });
}

}  // namespace tare::cpu
