// A kernel that leaves its allocation: what lies around every one is inaccessible.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

class StrayAccesses : public WithContext {
 protected:
  /// Of a kernel in a context of its own that stores a byte there.
  Result store_at(DevicePointer address) {
    abi::Context fresh = nullptr;
    EXPECT_OK(call("cuCtxCreate_v2", &fresh, 0u, abi::Device{0}));
    const abi::Function function = function_of(load(ptx(R"(
.visible .entry stray(.param .u64 at) {
  .reg .b64 %at; ld.param.u64 %at, [at]; st.global.u8 [%at], 7; ret;
}
)")),
                                               "stray");
    EXPECT_OK(launch(function, {}, {&address}));
    const Result result = call("cuCtxSynchronize");
    told_ = result == abi::kSuccess ? "" : last_error();
    EXPECT_RESULT(result, call("cuCtxSynchronize")) << "sticky";
    EXPECT_OK(call("cuCtxDestroy_v2", fresh));
    return result;
  }
  std::string told_;
};

/// The last byte that an allocation's alignment leaves to it.
DevicePointer end_of(DevicePointer base, std::size_t bytes) {
  return base + (bytes + 511) / 512 * 512;
}

constexpr std::size_t kSizes[] = {1, 4, 512, 513, 3000, 4096, 100'000, 1u << 20, (1u << 20) + 1, 3'000'000};

TEST_F(StrayAccesses, BeyondAnAllocationOfAnySizeAreIllegalAddresses) {
  std::vector<DevicePointer> neighbours;
  for (const std::size_t bytes : kSizes) {
    SCOPED_TRACE(bytes);
    DevicePointer before = 0, pointer = 0, after = 0;
    for (DevicePointer* each : {&before, &pointer, &after}) {
      ASSERT_OK(call("cuMemAlloc_v2", each, bytes));
      neighbours.push_back(*each);
    }
    EXPECT_EQ(pointer % 512, 0u);
    EXPECT_OK(store_at(pointer));
    EXPECT_OK(store_at(pointer + bytes - 1));
    EXPECT_RESULT(abi::kIllegalAddress, store_at(end_of(pointer, bytes)));
    char address[40];
    std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(end_of(pointer, bytes)));
    EXPECT_NE(told_.find(address), std::string::npos) << told_;
    EXPECT_NE(told_.find("kernel `stray`"), std::string::npos) << told_;
    const std::string buffer = " of a buffer of " + std::to_string(bytes) + " bytes";
    const std::size_t behind = end_of(pointer, bytes) - pointer - bytes;
    EXPECT_TRUE(told_.ends_with(behind == 0
                                    ? ", right behind the end" + buffer
                                    : ", " + std::to_string(behind) + " bytes behind the end" + buffer))
        << told_;
    EXPECT_RESULT(abi::kIllegalAddress, store_at(pointer / 4096 * 4096 - 1));
    const std::size_t gap = pointer % 4096 + 1;
    EXPECT_TRUE(told_.ends_with(", " + std::to_string(gap) + (gap == 1 ? " byte" : " bytes") +
                                " before the start" + buffer))
        << told_;
    const std::vector<std::byte> host(bytes + 1);
    EXPECT_RESULT(abi::kInvalidValue,
                  call("cuMemcpyHtoD_v2", pointer, static_cast<const void*>(host.data()), bytes + 1));
  }
  for (const DevicePointer each : neighbours) EXPECT_OK(call("cuMemFree_v2", each));
}

TEST_F(StrayAccesses, FarFromEveryAllocationAreIllegalAddresses) {
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{3'000'000}}) {
    SCOPED_TRACE(bytes);
    DevicePointer pointer = 0;
    ASSERT_OK(call("cuMemAlloc_v2", &pointer, bytes));
    for (const std::int64_t distance :
         {std::int64_t{4} << 10, std::int64_t{20'000}, std::int64_t{4} << 20, std::int64_t{80'000'000},
          std::int64_t{1} << 31, std::int64_t{15} << 30}) {
      SCOPED_TRACE(distance);
      const auto behind = static_cast<std::uint64_t>(distance);
      EXPECT_RESULT(abi::kIllegalAddress, store_at(end_of(pointer, bytes) + behind));
      EXPECT_RESULT(abi::kIllegalAddress, store_at(pointer - behind));
    }
    EXPECT_OK(call("cuMemFree_v2", pointer));
  }
}

TEST_F(StrayAccesses, BeyondAVariableOfAModuleAreIllegalAddresses) {
  const abi::Module module = load(ptx(".visible .global .align 4 .b8 table[700];"));
  DevicePointer pointer = 0;
  std::size_t bytes = 0;
  ASSERT_OK(call("cuModuleGetGlobal_v2", &pointer, &bytes, module, "table"));
  ASSERT_EQ(bytes, 700u);
  EXPECT_OK(store_at(pointer + 699));
  EXPECT_RESULT(abi::kIllegalAddress, store_at(end_of(pointer, bytes)));
  EXPECT_TRUE(told_.ends_with(", 324 bytes behind the end of a module's variables (700 bytes)")) << told_;
}

TEST_F(StrayAccesses, FarFromAnyAllocationAreToldByTheirAddressAlone) {
  EXPECT_RESULT(abi::kIllegalAddress, store_at(0x10));
  EXPECT_EQ(told_, "kernel `stray` accessed memory that is not there, at 0x10");
}

TEST_F(StrayAccesses, ToFreedMemoryAreIllegalAddressesUntilItIsHandedOutAgain) {
  for (const std::size_t bytes : kSizes) {
    SCOPED_TRACE(bytes);
    DevicePointer pointer = 0;
    ASSERT_OK(call("cuMemAlloc_v2", &pointer, bytes));
    EXPECT_OK(store_at(pointer));
    EXPECT_OK(call("cuMemFree_v2", pointer));
    EXPECT_RESULT(abi::kIllegalAddress, store_at(pointer));
    EXPECT_TRUE(told_.ends_with(", in memory that was freed")) << told_;
  }
}

std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  return static_cast<std::size_t>(
      std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n'));
}

TEST_F(StrayAccesses, AHundredThousandAllocationsLiveAndLeaveTheProcessMappings) {
  std::size_t limit = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> limit;
  ASSERT_GT(limit, 0u);
  const std::size_t before = mappings();
  std::vector<DevicePointer> pointers(100'000);
  for (std::uint32_t i = 0; i < pointers.size(); ++i) {
    ASSERT_OK(call("cuMemAlloc_v2", &pointers[i], std::size_t{4} + i % 600));
    ASSERT_OK(call("cuMemsetD32_v2", pointers[i], i, std::size_t{1}));
  }
  EXPECT_LT(mappings(), before + limit / 2 + 1000);
  for (std::uint32_t i = 0; i < pointers.size(); ++i) {
    std::uint32_t value = 0;
    ASSERT_OK(call("cuMemcpyDtoH_v2", static_cast<void*>(&value), pointers[i], sizeof value));
    ASSERT_EQ(value, i);
  }
  for (const DevicePointer each : pointers) ASSERT_OK(call("cuMemFree_v2", each));
  EXPECT_LT(mappings(), before + 1000);
  DevicePointer pointer = 0;
  ASSERT_OK(call("cuMemAlloc_v2", &pointer, std::size_t{4}));
  EXPECT_RESULT(abi::kIllegalAddress, store_at(pointer + 512)) << "guarded again";
}

}  // namespace
}  // namespace tare::conformance
