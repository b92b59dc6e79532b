// The part of the CUDA driver's ABI that libtare uses, declared by ourselves so that no header of NVIDIA's
// is needed to build. Where cuda.h is present a test holds every size, offset and value here against it.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUmod_st;
struct CUfunc_st;

namespace tare::cu {

using Device = int;
using DevicePtr = unsigned long long;
using Context = CUctx_st*;
using Stream = CUstream_st*;
using Event = CUevent_st*;
using Module = CUmod_st*;
using Function = CUfunc_st*;

/// CUresult: the codes that libtare looks at. Others pass through as their number.
enum class Result : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  deinitialized = 4,
  stub_library = 34,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  map_failed = 205,
  no_binary_for_gpu = 209,
  invalid_ptx = 218,
  jit_compiler_not_found = 221,
  unsupported_ptx_version = 222,
  jit_compilation_disabled = 223,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  context_is_destroyed = 709,
  assert_triggered = 710,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719,
  cooperative_launch_too_large = 720,
  not_permitted = 800,
  not_supported = 801,
  system_driver_mismatch = 803,
  invalid_cluster_size = 912,
  unknown = 999,
};

/// CUdevice_attribute.
enum class DeviceAttribute : int {
  max_threads_per_block = 1,
  max_block_dim_x = 2,
  max_block_dim_y = 3,
  max_block_dim_z = 4,
  max_grid_dim_x = 5,
  max_grid_dim_y = 6,
  max_grid_dim_z = 7,
  max_shared_memory_per_block = 8,
  max_registers_per_block = 12,
  multiprocessor_count = 16,
  memory_clock_rate_khz = 36,
  memory_bus_width_bits = 37,
  l2_cache_bytes = 38,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  cooperative_launch = 95,
  max_shared_memory_per_block_optin = 97,
  cluster_launch = 120,
};

/// CUfunction_attribute.
enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_size_bytes = 1,
  const_size_bytes = 2,
  local_size_bytes = 3,
  num_regs = 4,
  ptx_version = 5,
  binary_version = 6,
  max_dynamic_shared_size_bytes = 8,
  required_cluster_width = 11,
  required_cluster_height = 12,
  required_cluster_depth = 13,
  non_portable_cluster_size_allowed = 14,
};

/// CUjit_option.
enum class JitOption : int {
  info_log_buffer = 3,
  info_log_buffer_size_bytes = 4,
  error_log_buffer = 5,
  error_log_buffer_size_bytes = 6,
};

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDefault = 0;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kStreamWaitValueGeq = 0;
inline constexpr unsigned kMemHostAllocPortable = 1;
inline constexpr unsigned kMemHostAllocDeviceMap = 2;
inline constexpr unsigned kIpcMemLazyEnablePeerAccess = 1;
inline constexpr std::uint64_t kGetProcAddressLegacyStream = 1;

struct Uuid {
  unsigned char bytes[16];
};

struct IpcMemHandle {
  char reserved[64];
};

enum class LaunchAttributeId : int {
  cooperative = 2,
  cluster_dimension = 4,
};

union LaunchAttributeValue {
  char pad[64];
  int cooperative;
  struct {
    unsigned x, y, z;
  } cluster_dimension;
  std::uint64_t align_as_the_driver_does;
};

struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[4];
  LaunchAttributeValue value;
};

struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// cuGetProcAddress as CUDA 12 (`_v2`) and 11.3 declare it.
using GetProcAddress = Result (*)(const char*, void**, int, std::uint64_t, int* status);
using GetProcAddressV1 = Result (*)(const char*, void**, int, std::uint64_t);

// Every driver function in use: X(member, name, version it appeared in with this signature, name that dlsym
// knows, whether a driver without it is refused, parameters).
// clang-format off
#define TARE_CUDA_FUNCTIONS(X)                                                                                   \
  X(init, "cuInit", 2000, "cuInit", true, (unsigned flags))                                                       \
  X(driver_get_version, "cuDriverGetVersion", 2020, "cuDriverGetVersion", true, (int* version))                   \
  X(get_error_name, "cuGetErrorName", 6000, "cuGetErrorName", true, (Result code, const char** text))             \
  X(get_error_string, "cuGetErrorString", 6000, "cuGetErrorString", true, (Result code, const char** text))       \
  X(device_get, "cuDeviceGet", 2000, "cuDeviceGet", true, (Device* device, int ordinal))                          \
  X(device_get_count, "cuDeviceGetCount", 2000, "cuDeviceGetCount", true, (int* count))                           \
  X(device_get_name, "cuDeviceGetName", 2000, "cuDeviceGetName", true, (char* name, int size, Device device))     \
  X(device_get_uuid, "cuDeviceGetUuid", 11040, "cuDeviceGetUuid_v2", false, (Uuid* uuid, Device device))          \
  X(device_total_mem, "cuDeviceTotalMem", 3020, "cuDeviceTotalMem_v2", true,                                      \
    (std::size_t* bytes, Device device))                                                                          \
  X(device_get_attribute, "cuDeviceGetAttribute", 2000, "cuDeviceGetAttribute", true,                             \
    (int* value, DeviceAttribute attribute, Device device))                                                       \
  X(primary_context_retain, "cuDevicePrimaryCtxRetain", 7000, "cuDevicePrimaryCtxRetain", true,                   \
    (Context* context, Device device))                                                                            \
  X(primary_context_release, "cuDevicePrimaryCtxRelease", 11000, "cuDevicePrimaryCtxRelease_v2", true,            \
    (Device device))                                                                                              \
  X(primary_context_get_state, "cuDevicePrimaryCtxGetState", 7000, "cuDevicePrimaryCtxGetState", false,           \
    (Device device, unsigned* flags, int* active))                                                                \
  X(context_push, "cuCtxPushCurrent", 4000, "cuCtxPushCurrent_v2", true, (Context context))                       \
  X(context_pop, "cuCtxPopCurrent", 4000, "cuCtxPopCurrent_v2", true, (Context* context))                         \
  X(context_get_current, "cuCtxGetCurrent", 4000, "cuCtxGetCurrent", true, (Context* context))                    \
  X(context_get_device, "cuCtxGetDevice", 2000, "cuCtxGetDevice", true, (Device* device))                         \
  X(context_synchronize, "cuCtxSynchronize", 2000, "cuCtxSynchronize", true, ())                                  \
  X(mem_get_info, "cuMemGetInfo", 3020, "cuMemGetInfo_v2", true, (std::size_t* free, std::size_t* total))         \
  X(mem_alloc, "cuMemAlloc", 3020, "cuMemAlloc_v2", true, (DevicePtr* address, std::size_t bytes))                \
  X(mem_free, "cuMemFree", 3020, "cuMemFree_v2", true, (DevicePtr address))                                       \
  X(memcpy_host_to_device, "cuMemcpyHtoD", 3020, "cuMemcpyHtoD_v2", true,                                         \
    (DevicePtr to, const void* from, std::size_t bytes))                                                          \
  X(memcpy_device_to_host, "cuMemcpyDtoH", 3020, "cuMemcpyDtoH_v2", true,                                         \
    (void* to, DevicePtr from, std::size_t bytes))                                                                \
  X(memcpy_device_to_device, "cuMemcpyDtoD", 3020, "cuMemcpyDtoD_v2", true,                                       \
    (DevicePtr to, DevicePtr from, std::size_t bytes))                                                            \
  X(memset_bytes, "cuMemsetD8", 3020, "cuMemsetD8_v2", true,                                                      \
    (DevicePtr address, unsigned char value, std::size_t count))                                                  \
  X(memset_bytes_async, "cuMemsetD8Async", 3020, "cuMemsetD8Async", true,                                         \
    (DevicePtr address, unsigned char value, std::size_t count, Stream stream))                                   \
  X(mem_host_alloc, "cuMemHostAlloc", 2020, "cuMemHostAlloc", true,                                               \
    (void** host, std::size_t bytes, unsigned flags))                                                             \
  X(mem_free_host, "cuMemFreeHost", 2000, "cuMemFreeHost", true, (void* host))                                    \
  X(mem_host_get_device_pointer, "cuMemHostGetDevicePointer", 3020, "cuMemHostGetDevicePointer_v2", true,         \
    (DevicePtr* address, void* host, unsigned flags))                                                             \
  X(ipc_get_mem_handle, "cuIpcGetMemHandle", 4010, "cuIpcGetMemHandle", false,                                    \
    (IpcMemHandle* handle, DevicePtr address))                                                                    \
  X(ipc_open_mem_handle, "cuIpcOpenMemHandle", 11000, "cuIpcOpenMemHandle_v2", false,                             \
    (DevicePtr* address, IpcMemHandle handle, unsigned flags))                                                    \
  X(ipc_close_mem_handle, "cuIpcCloseMemHandle", 4010, "cuIpcCloseMemHandle", false, (DevicePtr address))         \
  X(stream_create, "cuStreamCreate", 2000, "cuStreamCreate", true, (Stream* stream, unsigned flags))              \
  X(stream_destroy, "cuStreamDestroy", 4000, "cuStreamDestroy_v2", true, (Stream stream))                         \
  X(stream_synchronize, "cuStreamSynchronize", 2000, "cuStreamSynchronize", true, (Stream stream))                \
  X(stream_wait_event, "cuStreamWaitEvent", 3020, "cuStreamWaitEvent", true,                                      \
    (Stream stream, Event event, unsigned flags))                                                                 \
  X(stream_wait_value32, "cuStreamWaitValue32", 11070, "cuStreamWaitValue32_v2", false,                           \
    (Stream stream, DevicePtr address, std::uint32_t value, unsigned flags))                                      \
  X(event_create, "cuEventCreate", 2000, "cuEventCreate", true, (Event* event, unsigned flags))                   \
  X(event_destroy, "cuEventDestroy", 4000, "cuEventDestroy_v2", true, (Event event))                              \
  X(event_record, "cuEventRecord", 2000, "cuEventRecord", true, (Event event, Stream stream))                     \
  X(event_query, "cuEventQuery", 2000, "cuEventQuery", true, (Event event))                                       \
  X(event_synchronize, "cuEventSynchronize", 2000, "cuEventSynchronize", true, (Event event))                     \
  X(event_elapsed_time, "cuEventElapsedTime", 2000, "cuEventElapsedTime", true,                                   \
    (float* milliseconds, Event start, Event end))                                                                \
  X(module_load_data_ex, "cuModuleLoadDataEx", 2010, "cuModuleLoadDataEx", true,                                  \
    (Module* module, const void* image, unsigned count, JitOption* options, void** values))                       \
  X(module_unload, "cuModuleUnload", 2000, "cuModuleUnload", true, (Module module))                               \
  X(module_get_function, "cuModuleGetFunction", 2000, "cuModuleGetFunction", true,                                \
    (Function* function, Module module, const char* name))                                                        \
  X(module_get_global, "cuModuleGetGlobal", 3020, "cuModuleGetGlobal_v2", true,                                   \
    (DevicePtr* address, std::size_t* bytes, Module module, const char* name))                                    \
  X(module_get_loading_mode, "cuModuleGetLoadingMode", 11070, "cuModuleGetLoadingMode", false, (int* mode))        \
  X(module_get_function_count, "cuModuleGetFunctionCount", 12040, "cuModuleGetFunctionCount", false,              \
    (unsigned* count, Module module))                                                                             \
  X(module_enumerate_functions, "cuModuleEnumerateFunctions", 12040, "cuModuleEnumerateFunctions", false,         \
    (Function* functions, unsigned count, Module module))                                                         \
  X(function_get_attribute, "cuFuncGetAttribute", 2020, "cuFuncGetAttribute", true,                               \
    (int* value, FunctionAttribute attribute, Function function))                                                 \
  X(function_set_attribute, "cuFuncSetAttribute", 9000, "cuFuncSetAttribute", true,                               \
    (Function function, FunctionAttribute attribute, int value))                                                  \
  X(function_get_name, "cuFuncGetName", 12030, "cuFuncGetName", false, (const char** name, Function function))    \
  X(function_get_param_info, "cuFuncGetParamInfo", 12040, "cuFuncGetParamInfo", false,                            \
    (Function function, std::size_t index, std::size_t* offset, std::size_t* size))                               \
  X(launch_kernel, "cuLaunchKernel", 4000, "cuLaunchKernel", true,                                                \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,    \
     unsigned block_z, unsigned shared_bytes, Stream stream, void** arguments, void** extra))                     \
  X(launch_kernel_ex, "cuLaunchKernelEx", 11060, "cuLaunchKernelEx", false,                                       \
    (const LaunchConfig* config, Function function, void** arguments, void** extra))                              \
  X(occupancy_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050,                                        \
    "cuOccupancyMaxActiveBlocksPerMultiprocessor", false,                                                         \
    (int* blocks, Function function, int block_size, std::size_t dynamic_shared_bytes))
// clang-format on

/// The loaded driver's entry points. One that the driver lacks answers Result::not_found.
struct Functions {
#define TARE_DECLARE(member, name, version, symbol, required, parameters) Result(*member) parameters;
  TARE_CUDA_FUNCTIONS(TARE_DECLARE)
#undef TARE_DECLARE
};

}  // namespace tare::cu
