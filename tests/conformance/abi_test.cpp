// Holds the CPU device's own declarations of the driver's binary interface against NVIDIA's, where
// cuda.h is present.
#ifdef TARE_HAVE_CUDA_H
#include <cuda.h>
#endif

#include <gtest/gtest.h>

#include <cstddef>

#include "cpu/driver/abi.hpp"

namespace tare::conformance {
namespace {

#ifdef TARE_HAVE_CUDA_H

namespace abi = cpu::abi;

#define EXPECT_FIELD(ours, our_field, theirs, their_field) \
  EXPECT_EQ(offsetof(abi::ours, our_field), offsetof(theirs, their_field)) << #their_field

TEST(Abi, EveryErrorCodeIsCudas) {
#define TARE_ERROR(constant, value, name, text) EXPECT_EQ(abi::constant, name);
#include "cpu/driver/errors.inc"
#undef TARE_ERROR
}

TEST(Abi, StructuresHaveCudasSizesAndOffsets) {
  EXPECT_EQ(sizeof(abi::Uuid), sizeof(CUuuid));
  EXPECT_EQ(sizeof(abi::IpcMemHandle), sizeof(CUipcMemHandle));
  EXPECT_EQ(sizeof(abi::DevicePointer), sizeof(CUdeviceptr));
  EXPECT_EQ(sizeof(abi::ContextCreateParams), sizeof(CUctxCreateParams));
  EXPECT_FIELD(ContextCreateParams, exec_affinity_count, CUctxCreateParams, numExecAffinityParams);
  EXPECT_FIELD(ContextCreateParams, cig_params, CUctxCreateParams, cigParams);

  EXPECT_EQ(sizeof(abi::Memcpy2D), sizeof(CUDA_MEMCPY2D));
  EXPECT_FIELD(Memcpy2D, src_y, CUDA_MEMCPY2D, srcY);
  EXPECT_FIELD(Memcpy2D, src_memory_type, CUDA_MEMCPY2D, srcMemoryType);
  EXPECT_FIELD(Memcpy2D, src_host, CUDA_MEMCPY2D, srcHost);
  EXPECT_FIELD(Memcpy2D, src_device, CUDA_MEMCPY2D, srcDevice);
  EXPECT_FIELD(Memcpy2D, src_pitch, CUDA_MEMCPY2D, srcPitch);
  EXPECT_FIELD(Memcpy2D, dst_x_in_bytes, CUDA_MEMCPY2D, dstXInBytes);
  EXPECT_FIELD(Memcpy2D, dst_memory_type, CUDA_MEMCPY2D, dstMemoryType);
  EXPECT_FIELD(Memcpy2D, dst_device, CUDA_MEMCPY2D, dstDevice);
  EXPECT_FIELD(Memcpy2D, dst_pitch, CUDA_MEMCPY2D, dstPitch);
  EXPECT_FIELD(Memcpy2D, width_in_bytes, CUDA_MEMCPY2D, WidthInBytes);
  EXPECT_FIELD(Memcpy2D, height, CUDA_MEMCPY2D, Height);

  EXPECT_EQ(sizeof(abi::Memcpy3D), sizeof(CUDA_MEMCPY3D));
  EXPECT_EQ(sizeof(abi::Memcpy3D), sizeof(CUDA_MEMCPY3D_PEER));
  EXPECT_FIELD(Memcpy3D, src_lod, CUDA_MEMCPY3D, srcLOD);
  EXPECT_FIELD(Memcpy3D, src_device, CUDA_MEMCPY3D, srcDevice);
  EXPECT_FIELD(Memcpy3D, src_reserved, CUDA_MEMCPY3D_PEER, srcContext);
  EXPECT_FIELD(Memcpy3D, src_pitch, CUDA_MEMCPY3D, srcPitch);
  EXPECT_FIELD(Memcpy3D, src_height, CUDA_MEMCPY3D, srcHeight);
  EXPECT_FIELD(Memcpy3D, dst_x_in_bytes, CUDA_MEMCPY3D, dstXInBytes);
  EXPECT_FIELD(Memcpy3D, dst_device, CUDA_MEMCPY3D, dstDevice);
  EXPECT_FIELD(Memcpy3D, dst_reserved, CUDA_MEMCPY3D_PEER, dstContext);
  EXPECT_FIELD(Memcpy3D, dst_height, CUDA_MEMCPY3D, dstHeight);
  EXPECT_FIELD(Memcpy3D, width_in_bytes, CUDA_MEMCPY3D, WidthInBytes);
  EXPECT_FIELD(Memcpy3D, depth, CUDA_MEMCPY3D, Depth);

  EXPECT_EQ(sizeof(abi::StreamMemoryOperation), sizeof(CUstreamBatchMemOpParams));
  EXPECT_FIELD(StreamMemoryOperation, address, CUstreamBatchMemOpParams, waitValue.address);
  EXPECT_FIELD(StreamMemoryOperation, value, CUstreamBatchMemOpParams, waitValue.value64);
  EXPECT_FIELD(StreamMemoryOperation, flags, CUstreamBatchMemOpParams, writeValue.flags);

  EXPECT_EQ(sizeof(abi::LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_FIELD(LaunchAttribute, value, CUlaunchAttribute, value);
  EXPECT_EQ(sizeof(abi::LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_FIELD(LaunchConfig, block, CUlaunchConfig, blockDimX);
  EXPECT_FIELD(LaunchConfig, shared_bytes, CUlaunchConfig, sharedMemBytes);
  EXPECT_FIELD(LaunchConfig, stream, CUlaunchConfig, hStream);
  EXPECT_FIELD(LaunchConfig, attributes, CUlaunchConfig, attrs);
  EXPECT_FIELD(LaunchConfig, attribute_count, CUlaunchConfig, numAttrs);
}

TEST(Abi, NumbersAreCudas) {
  EXPECT_EQ(abi::memory_type::unified, CU_MEMORYTYPE_UNIFIED);
  EXPECT_EQ(abi::context_flag::schedule_mask, static_cast<unsigned>(CU_CTX_SCHED_MASK));
  EXPECT_EQ(abi::context_flag::all, static_cast<unsigned>(CU_CTX_FLAGS_MASK));
  EXPECT_EQ(abi::stream_flag::non_blocking, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(abi::event_flag::disable_timing, static_cast<unsigned>(CU_EVENT_DISABLE_TIMING));
  EXPECT_EQ(abi::event_flag::interprocess, static_cast<unsigned>(CU_EVENT_INTERPROCESS));
  EXPECT_EQ(abi::wait_value::nor, static_cast<unsigned>(CU_STREAM_WAIT_VALUE_NOR));
  EXPECT_EQ(abi::wait_value::flush, static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH));
  EXPECT_EQ(abi::stream_memory_operation::write_value_64, CU_STREAM_MEM_OP_WRITE_VALUE_64);
  EXPECT_EQ(abi::stream_memory_operation::barrier, CU_STREAM_MEM_OP_BARRIER);
  EXPECT_EQ(abi::jit::error_log_buffer, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(abi::jit::info_log_buffer_size_bytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
  EXPECT_EQ(abi::jit::count, CU_JIT_NUM_OPTIONS);
  EXPECT_EQ(abi::function_attribute::max_dynamic_shared_size_bytes,
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EXPECT_EQ(abi::function_attribute::count, CU_FUNC_ATTRIBUTE_MAX);
  EXPECT_EQ(abi::pointer_attribute::memory_block_id, CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID);
  EXPECT_EQ(abi::launch_attribute::cooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  EXPECT_EQ(abi::launch_attribute::launch_completion_event, CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
  EXPECT_EQ(abi::limit::persisting_l2_cache_size, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
  EXPECT_EQ(abi::limit::count, CU_LIMIT_MAX);
  EXPECT_EQ(abi::proc_address::version_not_sufficient, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(abi::proc_address::per_thread_default_stream,
            static_cast<std::uint64_t>(CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
  EXPECT_EQ(abi::launch_param::buffer_size, std::uintptr_t{CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT});
}

#else

TEST(Abi, IsHeldAgainstCudaH) {
  GTEST_SKIP()
      << "no cuda.h found when this was configured (set CUDA_PATH), so that the CPU device's declarations "
         "were not compared with NVIDIA's";
}

#endif

}  // namespace
}  // namespace tare::conformance
