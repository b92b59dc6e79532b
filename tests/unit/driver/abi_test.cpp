// Holds our own declarations of the driver's ABI against NVIDIA's, where cuda.h is present: every value,
// size, offset and function signature in use.
#ifdef TARE_HAVE_CUDA_H
#include <cuda.h>
#include <cudaTypedefs.h>
#endif

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <type_traits>

#include "driver/abi.hpp"

namespace {

#ifdef TARE_HAVE_CUDA_H

namespace cu = tare::cu;

/// The same calling convention: as many parameters, each of the same size, pointers where pointers are.
template <class Ours, class Theirs>
constexpr bool kSameShape = false;
template <class R1, class... P1, class R2, class... P2>
constexpr bool kSameShape<R1 (*)(P1...), R2 (*)(P2...)> = [] {
  if constexpr (sizeof...(P1) == sizeof...(P2))
    return sizeof(R1) == sizeof(R2) && ((sizeof(P1) == sizeof(P2) && alignof(P1) == alignof(P2) &&
                                         std::is_pointer_v<P1> == std::is_pointer_v<P2> &&
                                         std::is_class_v<P1> == std::is_class_v<P2>)&&...);
  return false;
}();

#define EXPECT_VALUE(ours, theirs) EXPECT_EQ(static_cast<long>(ours), static_cast<long>(theirs)) << #theirs
#define EXPECT_FUNCTION(member, theirs) \
  ++functions;                          \
  EXPECT_TRUE((kSameShape<decltype(cu::Functions::member), theirs>)) << #theirs

TEST(DriverAbi, ErrorCodesHaveTheValuesOfCudaH) {
  EXPECT_VALUE(cu::Result::success, CUDA_SUCCESS);
  EXPECT_VALUE(cu::Result::invalid_value, CUDA_ERROR_INVALID_VALUE);
  EXPECT_VALUE(cu::Result::out_of_memory, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_VALUE(cu::Result::not_initialized, CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_VALUE(cu::Result::deinitialized, CUDA_ERROR_DEINITIALIZED);
  EXPECT_VALUE(cu::Result::stub_library, CUDA_ERROR_STUB_LIBRARY);
  EXPECT_VALUE(cu::Result::no_device, CUDA_ERROR_NO_DEVICE);
  EXPECT_VALUE(cu::Result::invalid_device, CUDA_ERROR_INVALID_DEVICE);
  EXPECT_VALUE(cu::Result::invalid_image, CUDA_ERROR_INVALID_IMAGE);
  EXPECT_VALUE(cu::Result::invalid_context, CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_VALUE(cu::Result::map_failed, CUDA_ERROR_MAP_FAILED);
  EXPECT_VALUE(cu::Result::no_binary_for_gpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_VALUE(cu::Result::invalid_ptx, CUDA_ERROR_INVALID_PTX);
  EXPECT_VALUE(cu::Result::jit_compiler_not_found, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
  EXPECT_VALUE(cu::Result::unsupported_ptx_version, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_VALUE(cu::Result::jit_compilation_disabled, CUDA_ERROR_JIT_COMPILATION_DISABLED);
  EXPECT_VALUE(cu::Result::invalid_handle, CUDA_ERROR_INVALID_HANDLE);
  EXPECT_VALUE(cu::Result::not_found, CUDA_ERROR_NOT_FOUND);
  EXPECT_VALUE(cu::Result::not_ready, CUDA_ERROR_NOT_READY);
  EXPECT_VALUE(cu::Result::illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_VALUE(cu::Result::launch_out_of_resources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_VALUE(cu::Result::launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_VALUE(cu::Result::context_is_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_VALUE(cu::Result::assert_triggered, CUDA_ERROR_ASSERT);
  EXPECT_VALUE(cu::Result::hardware_stack_error, CUDA_ERROR_HARDWARE_STACK_ERROR);
  EXPECT_VALUE(cu::Result::illegal_instruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_VALUE(cu::Result::misaligned_address, CUDA_ERROR_MISALIGNED_ADDRESS);
  EXPECT_VALUE(cu::Result::invalid_address_space, CUDA_ERROR_INVALID_ADDRESS_SPACE);
  EXPECT_VALUE(cu::Result::invalid_pc, CUDA_ERROR_INVALID_PC);
  EXPECT_VALUE(cu::Result::launch_failed, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_VALUE(cu::Result::cooperative_launch_too_large, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_VALUE(cu::Result::not_permitted, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_VALUE(cu::Result::not_supported, CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_VALUE(cu::Result::system_driver_mismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  EXPECT_VALUE(cu::Result::invalid_cluster_size, CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_VALUE(cu::Result::unknown, CUDA_ERROR_UNKNOWN);
}

TEST(DriverAbi, DeviceAttributesHaveTheValuesOfCudaH) {
  EXPECT_VALUE(cu::DeviceAttribute::max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_VALUE(cu::DeviceAttribute::max_block_dim_x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  EXPECT_VALUE(cu::DeviceAttribute::max_block_dim_y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  EXPECT_VALUE(cu::DeviceAttribute::max_block_dim_z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  EXPECT_VALUE(cu::DeviceAttribute::max_grid_dim_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  EXPECT_VALUE(cu::DeviceAttribute::max_grid_dim_y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  EXPECT_VALUE(cu::DeviceAttribute::max_grid_dim_z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  EXPECT_VALUE(cu::DeviceAttribute::max_shared_memory_per_block,
               CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  EXPECT_VALUE(cu::DeviceAttribute::max_registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  EXPECT_VALUE(cu::DeviceAttribute::multiprocessor_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_VALUE(cu::DeviceAttribute::memory_clock_rate_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  EXPECT_VALUE(cu::DeviceAttribute::memory_bus_width_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  EXPECT_VALUE(cu::DeviceAttribute::l2_cache_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  EXPECT_VALUE(cu::DeviceAttribute::compute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_VALUE(cu::DeviceAttribute::compute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_VALUE(cu::DeviceAttribute::cooperative_launch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
  EXPECT_VALUE(cu::DeviceAttribute::max_shared_memory_per_block_optin,
               CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_VALUE(cu::DeviceAttribute::cluster_launch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
}

TEST(DriverAbi, FunctionAttributesHaveTheValuesOfCudaH) {
  EXPECT_VALUE(cu::FunctionAttribute::max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_VALUE(cu::FunctionAttribute::shared_size_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  EXPECT_VALUE(cu::FunctionAttribute::const_size_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  EXPECT_VALUE(cu::FunctionAttribute::local_size_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  EXPECT_VALUE(cu::FunctionAttribute::num_regs, CU_FUNC_ATTRIBUTE_NUM_REGS);
  EXPECT_VALUE(cu::FunctionAttribute::ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION);
  EXPECT_VALUE(cu::FunctionAttribute::binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  EXPECT_VALUE(cu::FunctionAttribute::max_dynamic_shared_size_bytes,
               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EXPECT_VALUE(cu::FunctionAttribute::required_cluster_width, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
  EXPECT_VALUE(cu::FunctionAttribute::required_cluster_height, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
  EXPECT_VALUE(cu::FunctionAttribute::required_cluster_depth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
  EXPECT_VALUE(cu::FunctionAttribute::non_portable_cluster_size_allowed,
               CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
}

TEST(DriverAbi, JitOptionsHaveTheValuesOfCudaH) {
  EXPECT_VALUE(cu::JitOption::info_log_buffer, CU_JIT_INFO_LOG_BUFFER);
  EXPECT_VALUE(cu::JitOption::info_log_buffer_size_bytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
  EXPECT_VALUE(cu::JitOption::error_log_buffer, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_VALUE(cu::JitOption::error_log_buffer_size_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
}

TEST(DriverAbi, LaunchAttributesHaveTheValuesOfCudaH) {
  EXPECT_VALUE(cu::LaunchAttributeId::cooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  EXPECT_VALUE(cu::LaunchAttributeId::cluster_dimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
}

TEST(DriverAbi, FlagsHaveTheValuesOfCudaH) {
  EXPECT_VALUE(cu::kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
  EXPECT_VALUE(cu::kEventDefault, CU_EVENT_DEFAULT);
  EXPECT_VALUE(cu::kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
  EXPECT_VALUE(cu::kStreamWaitValueGeq, CU_STREAM_WAIT_VALUE_GEQ);
  EXPECT_VALUE(cu::kMemHostAllocPortable, CU_MEMHOSTALLOC_PORTABLE);
  EXPECT_VALUE(cu::kMemHostAllocDeviceMap, CU_MEMHOSTALLOC_DEVICEMAP);
  EXPECT_VALUE(cu::kIpcMemLazyEnablePeerAccess, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  EXPECT_VALUE(cu::kGetProcAddressLegacyStream, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
}

TEST(DriverAbi, TypesHaveTheSizesOfCudaH) {
  EXPECT_EQ(sizeof(cu::Result), sizeof(CUresult));
  EXPECT_EQ(sizeof(cu::DeviceAttribute), sizeof(CUdevice_attribute));
  EXPECT_EQ(sizeof(cu::FunctionAttribute), sizeof(CUfunction_attribute));
  EXPECT_EQ(sizeof(cu::JitOption), sizeof(CUjit_option));
  EXPECT_EQ(sizeof(cu::Uuid), sizeof(CUuuid));
  EXPECT_EQ(sizeof(cu::IpcMemHandle), sizeof(CUipcMemHandle));
  EXPECT_TRUE((std::is_same_v<cu::Device, CUdevice>));
  EXPECT_TRUE((std::is_same_v<cu::DevicePtr, CUdeviceptr>));
  EXPECT_TRUE((std::is_same_v<cu::Context, CUcontext>));
  EXPECT_TRUE((std::is_same_v<cu::Stream, CUstream>));
  EXPECT_TRUE((std::is_same_v<cu::Event, CUevent>));
  EXPECT_TRUE((std::is_same_v<cu::Module, CUmodule>));
  EXPECT_TRUE((std::is_same_v<cu::Function, CUfunction>));
}

#define EXPECT_OFFSET(ours, our_field, theirs, their_field) \
  EXPECT_EQ(offsetof(ours, our_field), offsetof(theirs, their_field)) << #their_field

TEST(DriverAbi, LaunchConfigIsLaidOutAsInCudaH) {
  EXPECT_EQ(sizeof(cu::LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_OFFSET(cu::LaunchConfig, grid_x, CUlaunchConfig, gridDimX);
  EXPECT_OFFSET(cu::LaunchConfig, grid_y, CUlaunchConfig, gridDimY);
  EXPECT_OFFSET(cu::LaunchConfig, grid_z, CUlaunchConfig, gridDimZ);
  EXPECT_OFFSET(cu::LaunchConfig, block_x, CUlaunchConfig, blockDimX);
  EXPECT_OFFSET(cu::LaunchConfig, block_y, CUlaunchConfig, blockDimY);
  EXPECT_OFFSET(cu::LaunchConfig, block_z, CUlaunchConfig, blockDimZ);
  EXPECT_OFFSET(cu::LaunchConfig, shared_bytes, CUlaunchConfig, sharedMemBytes);
  EXPECT_OFFSET(cu::LaunchConfig, stream, CUlaunchConfig, hStream);
  EXPECT_OFFSET(cu::LaunchConfig, attributes, CUlaunchConfig, attrs);
  EXPECT_OFFSET(cu::LaunchConfig, attribute_count, CUlaunchConfig, numAttrs);
}

TEST(DriverAbi, LaunchAttributeIsLaidOutAsInCudaH) {
  EXPECT_EQ(sizeof(cu::LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(alignof(cu::LaunchAttribute), alignof(CUlaunchAttribute));
  EXPECT_OFFSET(cu::LaunchAttribute, id, CUlaunchAttribute, id);
  EXPECT_OFFSET(cu::LaunchAttribute, value, CUlaunchAttribute, value);
  EXPECT_OFFSET(cu::LaunchAttributeValue, cooperative, CUlaunchAttributeValue, cooperative);
  EXPECT_OFFSET(cu::LaunchAttributeValue, cluster_dimension.x, CUlaunchAttributeValue, clusterDim.x);
  EXPECT_OFFSET(cu::LaunchAttributeValue, cluster_dimension.z, CUlaunchAttributeValue, clusterDim.z);
}

TEST(DriverAbi, FunctionsHaveTheSignaturesOfCudaTypedefsH) {
  int functions = 0;
  EXPECT_FUNCTION(init, PFN_cuInit_v2000);
  EXPECT_FUNCTION(driver_get_version, PFN_cuDriverGetVersion_v2020);
  EXPECT_FUNCTION(get_error_name, PFN_cuGetErrorName_v6000);
  EXPECT_FUNCTION(get_error_string, PFN_cuGetErrorString_v6000);
  EXPECT_FUNCTION(device_get, PFN_cuDeviceGet_v2000);
  EXPECT_FUNCTION(device_get_count, PFN_cuDeviceGetCount_v2000);
  EXPECT_FUNCTION(device_get_name, PFN_cuDeviceGetName_v2000);
  EXPECT_FUNCTION(device_get_uuid, PFN_cuDeviceGetUuid_v11040);
  EXPECT_FUNCTION(device_total_mem, PFN_cuDeviceTotalMem_v3020);
  EXPECT_FUNCTION(device_get_attribute, PFN_cuDeviceGetAttribute_v2000);
  EXPECT_FUNCTION(primary_context_retain, PFN_cuDevicePrimaryCtxRetain_v7000);
  EXPECT_FUNCTION(primary_context_release, PFN_cuDevicePrimaryCtxRelease_v11000);
  EXPECT_FUNCTION(primary_context_get_state, PFN_cuDevicePrimaryCtxGetState_v7000);
  EXPECT_FUNCTION(context_push, PFN_cuCtxPushCurrent_v4000);
  EXPECT_FUNCTION(context_pop, PFN_cuCtxPopCurrent_v4000);
  EXPECT_FUNCTION(context_get_current, PFN_cuCtxGetCurrent_v4000);
  EXPECT_FUNCTION(context_get_device, PFN_cuCtxGetDevice_v2000);
  EXPECT_FUNCTION(context_synchronize, PFN_cuCtxSynchronize_v2000);
  EXPECT_FUNCTION(mem_get_info, PFN_cuMemGetInfo_v3020);
  EXPECT_FUNCTION(mem_alloc, PFN_cuMemAlloc_v3020);
  EXPECT_FUNCTION(mem_free, PFN_cuMemFree_v3020);
  EXPECT_FUNCTION(memcpy_host_to_device, PFN_cuMemcpyHtoD_v3020);
  EXPECT_FUNCTION(memcpy_device_to_host, PFN_cuMemcpyDtoH_v3020);
  EXPECT_FUNCTION(memcpy_device_to_device, PFN_cuMemcpyDtoD_v3020);
  EXPECT_FUNCTION(memset_bytes, PFN_cuMemsetD8_v3020);
  EXPECT_FUNCTION(memset_bytes_async, PFN_cuMemsetD8Async_v3020);
  EXPECT_FUNCTION(mem_host_alloc, PFN_cuMemHostAlloc_v2020);
  EXPECT_FUNCTION(mem_free_host, PFN_cuMemFreeHost_v2000);
  EXPECT_FUNCTION(mem_host_get_device_pointer, PFN_cuMemHostGetDevicePointer_v3020);
  EXPECT_FUNCTION(ipc_get_mem_handle, PFN_cuIpcGetMemHandle_v4010);
  EXPECT_FUNCTION(ipc_open_mem_handle, PFN_cuIpcOpenMemHandle_v11000);
  EXPECT_FUNCTION(ipc_close_mem_handle, PFN_cuIpcCloseMemHandle_v4010);
  EXPECT_FUNCTION(stream_create, PFN_cuStreamCreate_v2000);
  EXPECT_FUNCTION(stream_destroy, PFN_cuStreamDestroy_v4000);
  EXPECT_FUNCTION(stream_synchronize, PFN_cuStreamSynchronize_v2000);
  EXPECT_FUNCTION(stream_wait_event, PFN_cuStreamWaitEvent_v3020);
  EXPECT_FUNCTION(stream_wait_value32, PFN_cuStreamWaitValue32_v11070);
  EXPECT_FUNCTION(event_create, PFN_cuEventCreate_v2000);
  EXPECT_FUNCTION(event_destroy, PFN_cuEventDestroy_v4000);
  EXPECT_FUNCTION(event_record, PFN_cuEventRecord_v2000);
  EXPECT_FUNCTION(event_query, PFN_cuEventQuery_v2000);
  EXPECT_FUNCTION(event_synchronize, PFN_cuEventSynchronize_v2000);
  EXPECT_FUNCTION(event_elapsed_time, PFN_cuEventElapsedTime_v2000);
  EXPECT_FUNCTION(module_load_data_ex, PFN_cuModuleLoadDataEx_v2010);
  EXPECT_FUNCTION(module_unload, PFN_cuModuleUnload_v2000);
  EXPECT_FUNCTION(module_get_function, PFN_cuModuleGetFunction_v2000);
  EXPECT_FUNCTION(module_get_global, PFN_cuModuleGetGlobal_v3020);
  EXPECT_FUNCTION(module_get_function_count, PFN_cuModuleGetFunctionCount_v12040);
  EXPECT_FUNCTION(module_enumerate_functions, PFN_cuModuleEnumerateFunctions_v12040);
  EXPECT_FUNCTION(module_get_loading_mode, PFN_cuModuleGetLoadingMode_v11070);
  EXPECT_FUNCTION(function_get_attribute, PFN_cuFuncGetAttribute_v2020);
  EXPECT_FUNCTION(function_set_attribute, PFN_cuFuncSetAttribute_v9000);
  EXPECT_FUNCTION(function_get_name, PFN_cuFuncGetName_v12030);
  EXPECT_FUNCTION(function_get_param_info, PFN_cuFuncGetParamInfo_v12040);
  EXPECT_FUNCTION(launch_kernel, PFN_cuLaunchKernel_v4000);
  EXPECT_FUNCTION(launch_kernel_ex, PFN_cuLaunchKernelEx_v11060);
  EXPECT_FUNCTION(occupancy_blocks, PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050);
  // A function added to the table has to be added here.
  EXPECT_EQ(sizeof(cu::Functions), static_cast<std::size_t>(functions) * sizeof(void (*)()));
  EXPECT_TRUE((kSameShape<cu::GetProcAddress, PFN_cuGetProcAddress_v12000>));
  EXPECT_TRUE((kSameShape<cu::GetProcAddressV1, PFN_cuGetProcAddress_v11030>));
}

TEST(DriverAbi, AShapeThatDiffersIsSeen) {
  EXPECT_FALSE((kSameShape<int (*)(int), int (*)(long)>));
  EXPECT_FALSE((kSameShape<int (*)(void*), int (*)(long)>));
  EXPECT_FALSE((kSameShape<int (*)(int), int (*)(int, int)>));
}

#else

TEST(DriverAbi, AgreesWithCudaH) {
  GTEST_SKIP()
      << "no cuda.h found when this was configured (set CUDA_PATH), so that our declarations were not "
         "compared with NVIDIA's";
}

#endif

}  // namespace
