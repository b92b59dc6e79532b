// What cuDeviceGetAttribute answers. The limits are those of a GPU of the same compute capability,
// so that a program that fits here fits there; cores, caches and clocks are the host's.
#include <algorithm>
#include <climits>

#include "cpu/driver/api.hpp"
#include "cpu/driver/attributes.hpp"
#include "cpu/runtime/host.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

constexpr int kLastAttribute = 147;

int as_int(std::size_t value) {
  return static_cast<int>(std::min<std::size_t>(value, INT_MAX));
}

/// Attributes that are 0 are not listed: what this device does not have (textures, surfaces,
/// pools, clusters, virtual memory management, ...).
int attribute(const Process& process, int ordinal, int number) {
  const Capability& capability = *process.settings.capability;
  switch (number) {
    case 1:
      return kMaxThreadsPerBlock;
    case 2:
    case 3:
      return kMaxThreadsPerBlock;  // block x, y
    case 4:
      return kMaxBlockZ;
    case 5:
      return INT_MAX;  // grid x
    case 6:
    case 7:
      return kMaxGridYZ;
    case 8:
      return as_int(kSharedBytesPerBlock);
    case 9:
      return 65536;  // constant memory
    case 10:
      return kWarp;
    case 11:
      return INT_MAX;  // pitch of a copy
    case 12:
      return capability.registers_per_block;
    case 82:
      return kRegistersPerMultiprocessor;
    case 13:
    case 36:
      return processor().clock_khz;
    case 14:
    case 30:
      return 512;  // texture and surface alignment
    case 15:
      return 1;  // copies beside kernels
    case 16:
      return process.settings.threads;  // multiprocessors
    case 18:
      return 1;  // shares the host's memory
    case 19:
      return 1;  // maps host memory
    case 31:
      return 1;  // concurrent kernels
    case 95:
      return capability.has_cooperative_launches() ? 1 : 0;
    case 33:
      return process.machine_ordinal(ordinal) + 1;  // PCI bus
    case 37:
      return 64;  // memory bus, bits
    case 38:
      return as_int(processor().last_level_bytes);
    case 39:
      return capability.threads;
    case 40:
      return 2;  // copy engines
    case 41:
      return 1;  // unified addressing
    case 51:
      return 32;
    case 75:
      return capability.number / 10;
    case 76:
      return capability.number % 10;
    case 78:
      return 1;  // stream priorities are kept
    case 79:
    case 80:
      return 1;  // L1 caches globals, locals
    case 81:
      return as_int(capability.shared_per_multiprocessor());
    case 85:
      return process.machine_ordinal(ordinal);  // board group
    case 86:
      return 1;  // host atomics
    case 87:
      return 2;  // float to double
    case 90:
      return capability.has_compute_preemption() ? 1 : 0;
    case 91:
      return 1;  // registered memory at the host's address
    case 92:
    case 93:
    case 94:
      return 1;  // stream memory operations, first form
    case 97:
      return as_int(capability.shared_per_block);
    case 98:
      return 1;  // flush of remote writes
    case 99:
      return 1;  // host registration
    case 106:
      return capability.blocks;
    case 111:
      return as_int(capability.shared_reserved());
    case 113:
      return 1;  // read-only host registration
    case 122:
    case 123:
      return 1;  // 64-bit and NOR stream memory operations
    case 126:
      return 1;  // memory synchronisation domains
    case 131:
    case 134:
      return -1;  // NUMA nodes
    default:
      return 0;
  }
}

template <typename Body>
Result with_device(abi::Device device, Body body) {
  return entry([&](Process& process) -> Result {
    if (!process.has_device(device)) return abi::kInvalidDevice;
    return body(process);
  });
}

}  // namespace

TARE_API Result cuDeviceGetAttribute(int* value, abi::Enum number, abi::Device device) {
  return with_device(device, [&](Process& process) -> Result {
    if (value == nullptr || number < 1 || number > kLastAttribute) return abi::kInvalidValue;
    *value = attribute(process, device, number);
    return abi::kSuccess;
  });
}

TARE_API Result cuDeviceComputeCapability(int* major, int* minor, abi::Device device) {
  return with_device(device, [&](Process& process) -> Result {
    if (major == nullptr || minor == nullptr) return abi::kInvalidValue;
    *major = process.settings.capability->number / 10;
    *minor = process.settings.capability->number % 10;
    return abi::kSuccess;
  });
}

/// The oldest form of the attributes: CUdevprop, fourteen consecutive ints.
TARE_API Result cuDeviceGetProperties(int* properties, abi::Device device) {
  return with_device(device, [&](Process& process) -> Result {
    if (properties == nullptr) return abi::kInvalidValue;
    int at = 0;
    for (const int number : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}) {
      properties[at++] = attribute(process, device, number);
    }
    return abi::kSuccess;
  });
}

}  // namespace tare::cpu
