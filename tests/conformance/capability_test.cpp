// The limits follow the compute capability that the device presents. Each test is a process of its own for
// each capability, because cuInit reads TARE_CPU_CC once.
#include <algorithm>

#include "conformance/driver.hpp"
#include "conformance/fresh_process.hpp"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define TARE_HAVE_CUDA_OCCUPANCY_H 1
#endif

namespace tare::conformance {
namespace {

/// From the tables of technical specifications of the CUDA programming guide, shared memory in KiB.
struct Expected {
  int number;
  int threads, blocks;  // on a multiprocessor
  int registers_per_block;
  int shared_per_block, shared_per_multiprocessor;
  int shared_reserved;
};
const Expected kExpected[] = {
    {50, 2048, 32, 65536, 48, 64, 0},    {52, 2048, 32, 65536, 48, 96, 0},
    {53, 2048, 32, 32768, 48, 64, 0},    {60, 2048, 32, 65536, 48, 64, 0},
    {61, 2048, 32, 65536, 48, 96, 0},    {62, 2048, 32, 32768, 48, 64, 0},
    {70, 2048, 32, 65536, 96, 96, 0},    {72, 2048, 32, 65536, 96, 96, 0},
    {75, 1024, 16, 65536, 64, 64, 0},    {80, 2048, 32, 65536, 163, 164, 1},
    {86, 1536, 16, 65536, 99, 100, 1},   {87, 1536, 16, 65536, 163, 164, 1},
    {89, 1536, 24, 65536, 99, 100, 1},   {90, 2048, 32, 65536, 227, 228, 1},
    {100, 2048, 32, 65536, 227, 228, 1}, {103, 2048, 32, 65536, 227, 228, 1},
    {110, 1536, 24, 65536, 227, 228, 1}, {120, 1536, 24, 65536, 99, 100, 1},
    {121, 1536, 24, 65536, 99, 100, 1},
};
const Expected* expected = nullptr;  // of this process

constexpr const char* kKernels = R"(.version 8.0
.target sm_50
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry none() { ret; }
.visible .entry one() { .shared .b8 a[1]; ret; }
.visible .entry some() { .shared .b8 a[5000]; ret; }
.visible .entry more() { .shared .b8 a[20224]; ret; }
.visible .entry most() { .shared .b8 a[49152]; ret; }
.visible .entry tells(.param .u64 to) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, %nwarpid;
  st.global.u32 [%rd1], %r1;
  mov.u32 %r2, %total_smem_size;
  st.global.u32 [%rd1+4], %r2;
  ret;
}
)";

int attribute(int number) {
  int value = -1;
  EXPECT_IN_CHILD(call("cuDeviceGetAttribute", &value, abi::Enum{number}, abi::Device{0}) == abi::kSuccess);
  return value;
}

int function_attribute(abi::Function function, abi::Enum number) {
  int value = -1;
  EXPECT_IN_CHILD(call("cuFuncGetAttribute", &value, number, function) == abi::kSuccess);
  return value;
}

Result set_dynamic_limit(abi::Function function, int bytes) {
  return call("cuFuncSetAttribute", function, abi::function_attribute::max_dynamic_shared_size_bytes, bytes);
}

int active_blocks(abi::Function function, int block, std::size_t dynamic) {
  int blocks = -1;
  EXPECT_IN_CHILD(call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, function, block, dynamic) ==
                  abi::kSuccess);
  return blocks;
}

abi::Module load_kernels() {
  EXPECT_IN_CHILD(call("cuInit", 0u) == abi::kSuccess);
  abi::Context context = nullptr;
  EXPECT_IN_CHILD(call("cuDevicePrimaryCtxRetain", &context, 0) == abi::kSuccess);
  EXPECT_IN_CHILD(call("cuCtxSetCurrent", context) == abi::kSuccess);
  abi::Module module = nullptr;
  EXPECT_IN_CHILD(call("cuModuleLoadData", &module, static_cast<const void*>(kKernels)) == abi::kSuccess);
  return module;
}

abi::Function kernel(abi::Module module, const char* name) {
  abi::Function function = nullptr;
  EXPECT_IN_CHILD(call("cuModuleGetFunction", &function, module, name) == abi::kSuccess);
  return function;
}

class Capabilities : public ::testing::TestWithParam<Expected> {
 protected:
  void SetUp() override {
    expected = &GetParam();
    setenv("TARE_CPU_CC",
           (std::to_string(expected->number / 10) + "." + std::to_string(expected->number % 10)).c_str(), 1);
    setenv("TARE_CPU_THREADS", "2", 1);
  }
  void TearDown() override {
    unsetenv("TARE_CPU_CC");
    unsetenv("TARE_CPU_THREADS");
  }
};

TEST_P(Capabilities, AttributesAreThoseOfTheProgrammingGuide) {
  expect_fresh_process_succeeds([] {
    EXPECT_IN_CHILD(call("cuInit", 0u) == abi::kSuccess);
    EXPECT_IN_CHILD(attribute(75) * 10 + attribute(76) == expected->number);
    EXPECT_IN_CHILD(attribute(1) == 1024);
    EXPECT_IN_CHILD(attribute(8) == 48 * 1024);
    EXPECT_IN_CHILD(attribute(12) == expected->registers_per_block);
    EXPECT_IN_CHILD(attribute(39) == expected->threads);
    EXPECT_IN_CHILD(attribute(81) == expected->shared_per_multiprocessor * 1024);
    EXPECT_IN_CHILD(attribute(82) == 65536);
    EXPECT_IN_CHILD(attribute(95) == (expected->number >= 60 ? 1 : 0));
    EXPECT_IN_CHILD(attribute(97) == expected->shared_per_block * 1024);
    EXPECT_IN_CHILD(attribute(106) == expected->blocks);
    EXPECT_IN_CHILD(attribute(111) == expected->shared_reserved * 1024);
    EXPECT_IN_CHILD(attribute(120) == 0);  // clusters are refused, whatever the capability
  });
}

TEST_P(Capabilities, LaunchesAreHeldToThem) {
  expect_fresh_process_succeeds([] {
    const abi::Module module = load_kernels();
    const abi::Function none = kernel(module, "none");
    const int most = expected->shared_per_block * 1024;
    EXPECT_IN_CHILD(launch(none, {{1, 1, 1}, {32, 1, 1}, 48 * 1024 + 1}, {}) == abi::kInvalidValue);
    EXPECT_IN_CHILD(set_dynamic_limit(none, most + 1) == abi::kInvalidValue);
    EXPECT_IN_CHILD(set_dynamic_limit(none, most) == abi::kSuccess);
    EXPECT_IN_CHILD(launch(none, {{1, 1, 1}, {32, 1, 1}, static_cast<unsigned>(most) + 1}, {}) ==
                    abi::kInvalidValue);
    EXPECT_IN_CHILD(launch(none, {{1, 1, 1}, {32, 1, 1}, static_cast<unsigned>(most)}, {}) == abi::kSuccess);
    EXPECT_IN_CHILD(set_dynamic_limit(kernel(module, "some"), most - 5000) == abi::kSuccess);
    EXPECT_IN_CHILD(set_dynamic_limit(kernel(module, "some"), most - 4999) == abi::kInvalidValue);

    // With 32 threads in a block it is the blocks that count, with 1024 the threads.
    const auto cooperative = [&](int blocks, unsigned threads) {
      return call("cuLaunchCooperativeKernel", none, static_cast<unsigned>(blocks), 1u, 1u, threads, 1u, 1u,
                  0u, abi::Stream{}, static_cast<void**>(nullptr));
    };
    if (expected->number < 60) {
      EXPECT_IN_CHILD(cooperative(1, 32) == abi::kNotSupported);
    } else {
      const int multiprocessors = attribute(16);
      const int of_threads = expected->threads / 1024;
      EXPECT_IN_CHILD(cooperative(multiprocessors * expected->blocks, 32) == abi::kSuccess);
      EXPECT_IN_CHILD(cooperative(multiprocessors * expected->blocks + 1, 32) ==
                      abi::kCooperativeLaunchTooLarge);
      EXPECT_IN_CHILD(cooperative(multiprocessors * of_threads, 1024) == abi::kSuccess);
      EXPECT_IN_CHILD(cooperative(multiprocessors * of_threads + 1, 1024) == abi::kCooperativeLaunchTooLarge);
    }

    DevicePointer to = 0;
    std::uint32_t told[2] = {};
    EXPECT_IN_CHILD(call("cuMemAlloc_v2", &to, sizeof told) == abi::kSuccess);
    EXPECT_IN_CHILD(launch(kernel(module, "tells"), {{1, 1, 1}, {1, 1, 1}, 129}, {&to}) == abi::kSuccess);
    EXPECT_IN_CHILD(call("cuMemcpyDtoH_v2", static_cast<void*>(told), to, sizeof told) == abi::kSuccess);
    EXPECT_IN_CHILD(told[0] == static_cast<unsigned>(expected->threads / 32));
    EXPECT_IN_CHILD(told[1] == 256);
    EXPECT_IN_CHILD(launch(kernel(module, "tells"), {{1, 1, 1}, {1, 1, 1}, 1}, {&to}) == abi::kSuccess);
    EXPECT_IN_CHILD(call("cuMemcpyDtoH_v2", static_cast<void*>(told), to, sizeof told) == abi::kSuccess);
    EXPECT_IN_CHILD(told[1] == (expected->number < 80 ? 256 : 128));
  });
}

TEST_P(Capabilities, TheSharedMemoryThatIsSaidToBeAvailableIsAllThatFits) {
  expect_fresh_process_succeeds([] {
    const abi::Module module = load_kernels();
    for (const char* name : {"none", "one", "some", "more"}) {
      const abi::Function function = kernel(module, name);
      const int fixed = function_attribute(function, abi::function_attribute::shared_size_bytes);
      EXPECT_IN_CHILD(set_dynamic_limit(function, expected->shared_per_block * 1024 - fixed) ==
                      abi::kSuccess);
      const auto limit = static_cast<std::size_t>(
          function_attribute(function, abi::function_attribute::max_dynamic_shared_size_bytes));
      for (int blocks = 1; blocks <= expected->blocks + 1; ++blocks) {
        std::size_t bytes = 0;
        const Result result = call("cuOccupancyAvailableDynamicSMemPerBlock", &bytes, function, blocks, 64);
        if (active_blocks(function, 64, 0) < blocks) {
          EXPECT_IN_CHILD(result == abi::kInvalidValue);
          continue;
        }
        EXPECT_IN_CHILD(result == abi::kSuccess && active_blocks(function, 64, bytes) >= blocks);
        EXPECT_IN_CHILD(bytes == limit || active_blocks(function, 64, bytes + 1) < blocks);
      }
    }
  });
}

#if TARE_HAVE_CUDA_OCCUPANCY_H
cudaOccDeviceProp device_properties() {
  cudaOccDeviceProp properties;
  properties.computeMajor = attribute(75);
  properties.computeMinor = attribute(76);
  properties.maxThreadsPerBlock = attribute(1);
  properties.maxThreadsPerMultiprocessor = attribute(39);
  properties.regsPerBlock = attribute(12);
  properties.regsPerMultiprocessor = attribute(82);
  properties.warpSize = attribute(10);
  properties.sharedMemPerBlock = static_cast<std::size_t>(attribute(8));
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(attribute(81));
  properties.numSms = attribute(16);
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(attribute(97));
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(attribute(111));
  return properties;
}

cudaOccFuncAttributes function_attributes(abi::Function function) {
  namespace of = abi::function_attribute;
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = function_attribute(function, of::max_threads_per_block);
  attributes.numRegs = function_attribute(function, of::num_regs);
  attributes.sharedSizeBytes = static_cast<std::size_t>(function_attribute(function, of::shared_size_bytes));
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes =
      static_cast<std::size_t>(function_attribute(function, of::max_dynamic_shared_size_bytes));
  attributes.numBlockBarriers = 1;
  return attributes;
}

/// Holds what the device says of the function, as it is set now, against NVIDIA's calculator.
void compare_occupancy(const char* name, abi::Function function, int carveout) {
  const cudaOccDeviceProp properties = device_properties();
  const cudaOccFuncAttributes attributes = function_attributes(function);
  cudaOccDeviceState state;
  state.carveoutConfig = carveout;
  const std::size_t limit = attributes.maxDynamicSharedSizeBytes;
  for (const std::size_t dynamic : {std::size_t{0}, std::size_t{1}, std::size_t{300}, std::size_t{7 * 1024},
                                    std::size_t{10'241}, limit / 2, limit, limit + 1}) {
    for (const int block : {1, 32, 33, 64, 96, 100, 192, 256, 512, 768, 1000, 1024}) {
      cudaOccResult result;
      EXPECT_IN_CHILD(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state,
                                                              block, dynamic) == CUDA_OCC_SUCCESS);
      const int active = active_blocks(function, block, dynamic);
      const std::string what = std::string(name) + " with " + std::to_string(block) + " threads, " +
                               std::to_string(dynamic) + " bytes and a carve-out of " +
                               std::to_string(carveout) + ": " + std::to_string(active) + " blocks and not " +
                               std::to_string(result.activeBlocksPerMultiprocessor);
      expect_in_child(active == result.activeBlocksPerMultiprocessor, what.c_str());
    }
    int grid = 0, block = 0, expected_grid = 0, expected_block = 0;
    EXPECT_IN_CHILD(cudaOccMaxPotentialOccupancyBlockSize(&expected_grid, &expected_block, &properties,
                                                          &attributes, &state, nullptr,
                                                          dynamic) == CUDA_OCC_SUCCESS);
    const Result best = call("cuOccupancyMaxPotentialBlockSize", &grid, &block, function,
                             abi::BlockSizeToSharedBytes{}, dynamic, 0);
    EXPECT_IN_CHILD((best == abi::kSuccess) == (expected_block != 0));
    EXPECT_IN_CHILD(best != abi::kSuccess || (grid == expected_grid && block == expected_block));
  }
}
#endif

TEST_P(Capabilities, OccupancyIsThatOfNvidiasCalculator) {
#if TARE_HAVE_CUDA_OCCUPANCY_H
  expect_fresh_process_succeeds([] {
    const abi::Module module = load_kernels();
    for (const char* name : {"none", "one", "some", "more", "most"}) {
      const abi::Function function = kernel(module, name);
      const int fixed = function_attribute(function, abi::function_attribute::shared_size_bytes);
      for (const bool opt_in : {false, true}) {
        if (opt_in)
          EXPECT_IN_CHILD(set_dynamic_limit(function, expected->shared_per_block * 1024 - fixed) == 0);
        for (const int carveout : {-1, 0, 10, 25, 50, 77, 100}) {
          EXPECT_IN_CHILD(call("cuFuncSetAttribute", function,
                               abi::function_attribute::preferred_shared_memory_carveout,
                               carveout) == abi::kSuccess);
          compare_occupancy(name, function, carveout);
        }
      }
    }
  });
#else
  GTEST_SKIP() << "cuda_occupancy.h was not found when this was built: it comes with the CUDA toolkit";
#endif
}

INSTANTIATE_TEST_SUITE_P(Each, Capabilities, ::testing::ValuesIn(kExpected), [](const auto& given) {
  return std::to_string(given.param.number / 10) + "_" + std::to_string(given.param.number % 10);
});

}  // namespace
}  // namespace tare::conformance
