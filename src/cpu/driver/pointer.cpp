// cuPointerGetAttribute: what the driver knows of an address.
#include <cstring>

#include "cpu/driver/api.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

template <typename T>
void put(void* out, T value) {
  std::memcpy(out, &value, sizeof value);
}

/// Writes one attribute of a known address.
Result tell(const Allocation& allocation, abi::Enum number, abi::DevicePointer pointer, void* out) {
  namespace attribute = abi::pointer_attribute;
  switch (number) {
    case attribute::context: {
      const auto context = allocation.context.lock();
      put<void*>(out, context.get());
      return abi::kSuccess;
    }
    case attribute::memory_type:
      put<abi::Enum>(out, allocation.is_host() ? abi::memory_type::host : abi::memory_type::device);
      return abi::kSuccess;
    case attribute::device_pointer:
      put<abi::DevicePointer>(out, pointer);
      return abi::kSuccess;
    case attribute::host_pointer:
      if (!allocation.is_host()) return abi::kInvalidValue;
      put<abi::DevicePointer>(out, pointer);
      return abi::kSuccess;
    case attribute::sync_memops:
      put<bool>(out, true);
      return abi::kSuccess;
    case attribute::buffer_id:
      put<unsigned long long>(out, allocation.id);
      return abi::kSuccess;
    case attribute::is_managed:
      put<bool>(out, false);
      return abi::kSuccess;
    case attribute::device_ordinal:
      put<int>(out, allocation.device);
      return abi::kSuccess;
    case attribute::is_legacy_ipc_capable:
      put<bool>(out, allocation.kind == Allocation::Kind::device);
      return abi::kSuccess;
    case attribute::range_start_addr:
    case attribute::mapping_base_addr:
      put<void*>(out, allocation.base);
      return abi::kSuccess;
    case attribute::range_size:
    case attribute::mapping_size:
      put<std::size_t>(out, allocation.bytes);
      return abi::kSuccess;
    case attribute::mapped:
      put<bool>(out, true);
      return abi::kSuccess;
    case attribute::allowed_handle_types:
      put<std::uint64_t>(out, 0);
      return abi::kSuccess;
    case attribute::is_rdma_capable:
      put<bool>(out, false);
      return abi::kSuccess;
    case attribute::access_flags:
      put<abi::Enum>(out, 3);
      return abi::kSuccess;
    case attribute::mempool_handle:
      put<void*>(out, nullptr);
      return abi::kSuccess;
    case attribute::memory_block_id:
      put<unsigned long long>(out, allocation.id);
      return abi::kSuccess;
    default:
      return abi::kInvalidValue;
  }
}

/// cuPointerGetAttributes gives zeros, not an error, for what does not apply.
void tell_nothing(abi::Enum number, void* out) {
  namespace attribute = abi::pointer_attribute;
  switch (number) {
    case attribute::memory_type:
    case attribute::access_flags:
      put<abi::Enum>(out, 0);
      break;
    case attribute::device_ordinal:
      put<int>(out, -2);
      break;
    case attribute::sync_memops:
    case attribute::is_managed:
    case attribute::is_legacy_ipc_capable:
    case attribute::mapped:
    case attribute::is_rdma_capable:
      put<bool>(out, false);
      break;
    default:
      put<std::uint64_t>(out, 0);
      break;
  }
}

}  // namespace

TARE_API Result cuPointerGetAttribute(void* out, abi::Enum number, abi::DevicePointer pointer) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    if (out == nullptr || number < 1 || number > abi::pointer_attribute::memory_block_id)
      return abi::kInvalidValue;
    const auto allocation = process.addresses.find(static_cast<std::uintptr_t>(pointer));
    return allocation ? tell(*allocation, number, pointer, out) : Result{abi::kInvalidValue};
  });
}

TARE_API Result cuPointerGetAttributes(unsigned count, const abi::Enum* numbers, void** out,
                                       abi::DevicePointer pointer) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    if (count == 0 || numbers == nullptr || out == nullptr) return abi::kInvalidValue;
    const auto allocation = process.addresses.find(static_cast<std::uintptr_t>(pointer));
    for (unsigned i = 0; i < count; ++i) {
      if (numbers[i] < 1 || numbers[i] > abi::pointer_attribute::memory_block_id || out[i] == nullptr) {
        return abi::kInvalidValue;
      }
      if (!allocation || tell(*allocation, numbers[i], pointer, out[i]) != abi::kSuccess)
        tell_nothing(numbers[i], out[i]);
    }
    return abi::kSuccess;
  });
}

TARE_API Result cuPointerSetAttribute(const void* value, abi::Enum number, abi::DevicePointer pointer) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    if (value == nullptr || number != abi::pointer_attribute::sync_memops) return abi::kInvalidValue;
    return process.addresses.find(static_cast<std::uintptr_t>(pointer)) ? abi::kSuccess : abi::kInvalidValue;
  });
}

}  // namespace tare::cpu
