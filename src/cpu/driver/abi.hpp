// The part of the CUDA driver API's binary interface that this device implements: types, structures
// and numbers. Declared by ourselves so that nothing of NVIDIA's is needed to build; a conformance
// test holds it against cuda.h where that is present.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tare::cpu::abi {

using Result = std::int32_t;
enum : Result {
#define TARE_ERROR(constant, value, name, text) constant = value,
#include "cpu/driver/errors.inc"
#undef TARE_ERROR
};

using Device = std::int32_t;
using DevicePointer = unsigned long long;
using Enum = std::int32_t;  // any of the API's enumerations as a parameter

// Handles are opaque; the tags keep them apart.
using Context = struct ContextTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Library = struct LibraryTag*;
using Kernel = struct KernelTag*;
using LinkState = struct LinkStateTag*;

using HostFunction = void (*)(void* user_data);
using StreamCallback = void (*)(Stream stream, Result status, void* user_data);
using BlockSizeToSharedBytes = std::size_t (*)(int block_size);

inline constexpr std::uintptr_t kStreamLegacy = 1, kStreamPerThread = 2;

struct Uuid {
  unsigned char bytes[16];
};
struct IpcMemHandle {
  unsigned char reserved[64];
};

struct ContextCreateParams {
  void* exec_affinity_params;
  int exec_affinity_count;
  void* cig_params;
};

struct Memcpy2D {
  std::size_t src_x_in_bytes, src_y;
  Enum src_memory_type;
  const void* src_host;
  DevicePointer src_device;
  void* src_array;
  std::size_t src_pitch;
  std::size_t dst_x_in_bytes, dst_y;
  Enum dst_memory_type;
  void* dst_host;
  DevicePointer dst_device;
  void* dst_array;
  std::size_t dst_pitch;
  std::size_t width_in_bytes, height;
};

/// Also the layout of the structure of cuMemcpy3DPeer, which has contexts in place of `reserved`.
struct Memcpy3D {
  std::size_t src_x_in_bytes, src_y, src_z, src_lod;
  Enum src_memory_type;
  const void* src_host;
  DevicePointer src_device;
  void* src_array;
  void* src_reserved;
  std::size_t src_pitch, src_height;
  std::size_t dst_x_in_bytes, dst_y, dst_z, dst_lod;
  Enum dst_memory_type;
  void* dst_host;
  DevicePointer dst_device;
  void* dst_array;
  void* dst_reserved;
  std::size_t dst_pitch, dst_height;
  std::size_t width_in_bytes, height, depth;
};

/// One of cuStreamBatchMemOp; a 32-bit value is the low half of `value`.
struct StreamMemoryOperation {
  Enum operation;
  DevicePointer address;
  std::uint64_t value;
  unsigned flags;
  DevicePointer alias;
  std::uint64_t unused;
};

struct LaunchAttribute {
  Enum id;
  char pad[4];
  union {
    char bytes[64];
    Enum number;
    struct {
      unsigned x, y, z;
    } dimensions;
    struct {
      Event event;
      int flags;
      int trigger_at_block_start;
    } programmatic_event;
  } value;
};

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

namespace memory_type {
inline constexpr Enum host = 1, device = 2, array = 3, unified = 4;
}
namespace context_flag {
inline constexpr unsigned schedule_mask = 0x07, map_host = 0x08, all = 0xff;
}
namespace stream_flag {
inline constexpr unsigned non_blocking = 1;
}
namespace event_flag {
inline constexpr unsigned blocking_sync = 1, disable_timing = 2, interprocess = 4;
}
namespace wait_value {
inline constexpr unsigned geq = 0, eq = 1, and_ = 2, nor = 3, flush = 1u << 30;
}
namespace stream_memory_operation {
inline constexpr Enum wait_value_32 = 1, write_value_32 = 2, flush_remote_writes = 3, wait_value_64 = 4,
                      write_value_64 = 5, barrier = 6;
}
namespace write_value {
inline constexpr unsigned no_memory_barrier = 1;
}
namespace host_alloc {
inline constexpr unsigned portable = 1, device_map = 2, write_combined = 4;
}
namespace host_register {
inline constexpr unsigned portable = 1, device_map = 2, io_memory = 4, read_only = 8;
}
namespace ipc_flag {
inline constexpr unsigned lazy_enable_peer_access = 1;
}
namespace jit {
inline constexpr Enum info_log_buffer = 3, info_log_buffer_size_bytes = 4, error_log_buffer = 5,
                      error_log_buffer_size_bytes = 6, wall_time = 2, threads_per_block = 1, count = 35;
inline constexpr Enum input_cubin = 0, input_ptx = 1, input_type_count = 6;
}  // namespace jit
namespace function_attribute {
inline constexpr Enum max_threads_per_block = 0, shared_size_bytes = 1, const_size_bytes = 2,
                      local_size_bytes = 3, num_regs = 4, ptx_version = 5, binary_version = 6,
                      cache_mode_ca = 7, max_dynamic_shared_size_bytes = 8,
                      preferred_shared_memory_carveout = 9, cluster_size_must_be_set = 10,
                      required_cluster_width = 11, required_cluster_height = 12, required_cluster_depth = 13,
                      non_portable_cluster_size_allowed = 14, cluster_scheduling_policy_preference = 15,
                      count = 16;
}
namespace pointer_attribute {
inline constexpr Enum context = 1, memory_type = 2, device_pointer = 3, host_pointer = 4, sync_memops = 6,
                      buffer_id = 7, is_managed = 8, device_ordinal = 9, is_legacy_ipc_capable = 10,
                      range_start_addr = 11, range_size = 12, mapped = 13, allowed_handle_types = 14,
                      is_rdma_capable = 15, access_flags = 16, mempool_handle = 17, mapping_size = 18,
                      mapping_base_addr = 19, memory_block_id = 20;
}
namespace launch_attribute {
inline constexpr Enum ignore = 0, access_policy_window = 1, cooperative = 2, synchronization_policy = 3,
                      cluster_dimension = 4, cluster_scheduling_policy_preference = 5,
                      programmatic_stream_serialization = 6, programmatic_event = 7, priority = 8,
                      mem_sync_domain_map = 9, mem_sync_domain = 10, preferred_cluster_dimension = 11,
                      launch_completion_event = 12, device_updatable_kernel_node = 13,
                      preferred_shared_memory_carveout = 14;
}
namespace limit {
inline constexpr Enum stack_size = 0, printf_fifo_size = 1, malloc_heap_size = 2, dev_runtime_sync_depth = 3,
                      dev_runtime_pending_launch_count = 4, max_l2_fetch_granularity = 5,
                      persisting_l2_cache_size = 6, count = 10;
}
namespace proc_address {
inline constexpr std::uint64_t legacy_stream = 1, per_thread_default_stream = 2;
inline constexpr Enum success = 0, symbol_not_found = 1, version_not_sufficient = 2;
}  // namespace proc_address
namespace launch_param {
inline constexpr std::uintptr_t end = 0, buffer_pointer = 1, buffer_size = 2;
}

}  // namespace tare::cpu::abi
