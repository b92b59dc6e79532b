#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <fstream>
#include <thread>

#include "conformance/driver.hpp"
#include "conformance/fresh_process.hpp"

namespace tare::conformance {
namespace {

using Memory = WithContext;

TEST_F(Memory, AllocationsAreAlignedDistinctAndFreedOnce) {
  DevicePointer first = 0, second = 0;
  ASSERT_OK(call("cuMemAlloc_v2", &first, std::size_t{1}));
  ASSERT_OK(call("cuMemAlloc_v2", &second, std::size_t{3} << 20));
  EXPECT_EQ(first % 256, 0u);
  EXPECT_EQ(second % 256, 0u);
  EXPECT_NE(first, second);
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemFree_v2", second + 4));
  EXPECT_OK(call("cuMemFree_v2", first));
  EXPECT_OK(call("cuMemFree_v2", second));
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemFree_v2", second));
  EXPECT_OK(call("cuMemFree_v2", DevicePointer{0}));
}

TEST_F(Memory, NothingAndNowhereAreInvalid) {
  DevicePointer pointer = 0;
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemAlloc_v2", &pointer, std::size_t{0}));
  EXPECT_RESULT(abi::kInvalidValue,
                call("cuMemAlloc_v2", static_cast<DevicePointer*>(nullptr), std::size_t{16}));
}

TEST_F(Memory, MoreThanTheMachineHasIsOutOfMemoryAndSaysHowMuch) {
  std::size_t free_bytes = 0, total = 0;
  ASSERT_OK(call("cuMemGetInfo_v2", &free_bytes, &total));
  EXPECT_LT(free_bytes, total);
  DevicePointer pointer = 0;
  EXPECT_RESULT(abi::kOutOfMemory, call("cuMemAlloc_v2", &pointer, total + 1));
  EXPECT_NE(last_error().find("of device memory needed"), std::string::npos) << last_error();
  EXPECT_RESULT(abi::kOutOfMemory, call("cuMemAlloc_v2", &pointer, std::size_t{1} << 60));
  EXPECT_OK(call("cuCtxSynchronize")) << "running out of memory harms nothing else";
}

TEST_F(Memory, ThousandsOfSmallAllocationsKeepTheirContents) {
  constexpr std::uint32_t kCount = 5000;
  std::vector<DevicePointer> pointers(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_OK(call("cuMemAlloc_v2", &pointers[i], std::size_t{4} + i % 3000));
    ASSERT_OK(call("cuMemcpyHtoD_v2", pointers[i], static_cast<const void*>(&i), sizeof i));
  }
  for (std::uint32_t i = 0; i < kCount; i += 2) ASSERT_OK(call("cuMemFree_v2", pointers[i]));
  for (std::uint32_t i = 1; i < kCount; i += 2) {
    std::uint32_t read = 0;
    ASSERT_OK(call("cuMemcpyDtoH_v2", static_cast<void*>(&read), pointers[i], sizeof read));
    ASSERT_EQ(read, i);
  }
}

TEST_F(Memory, PitchedMemoryHasRowsOf512) {
  DevicePointer pointer = 0;
  std::size_t pitch = 0;
  ASSERT_OK(call("cuMemAllocPitch_v2", &pointer, &pitch, std::size_t{100}, std::size_t{7}, 4u));
  EXPECT_EQ(pitch, 512u);
  EXPECT_RESULT(abi::kInvalidValue,
                call("cuMemAllocPitch_v2", &pointer, &pitch, std::size_t{100}, std::size_t{7}, 3u));
}

TEST_F(Memory, TheAddressRangeOfAnInnerAddressIsTheAllocations) {
  DevicePointer pointer = 0, base = 0;
  std::size_t bytes = 0;
  ASSERT_OK(call("cuMemAlloc_v2", &pointer, std::size_t{1000}));
  EXPECT_OK(call("cuMemGetAddressRange_v2", &base, &bytes, pointer + 999));
  EXPECT_EQ(base, pointer);
  EXPECT_EQ(bytes, 1000u);
  EXPECT_RESULT(abi::kNotFound, call("cuMemGetAddressRange_v2", &base, &bytes, DevicePointer{64}));
}

TEST_F(Memory, PageLockedMemoryIsSeenAtTheSameAddress) {
  void* host = nullptr;
  ASSERT_OK(call("cuMemHostAlloc", &host, std::size_t{4096}, 0x2u));
  DevicePointer device = 0;
  EXPECT_OK(call("cuMemHostGetDevicePointer_v2", &device, host, 0u));
  EXPECT_EQ(device, reinterpret_cast<std::uintptr_t>(host));
  unsigned flags = 0;
  EXPECT_OK(call("cuMemHostGetFlags", &flags, host));
  EXPECT_EQ(flags, 0x2u);
  EXPECT_OK(call("cuMemsetD32_v2", device, 7u, std::size_t{1024}));
  EXPECT_EQ(static_cast<std::uint32_t*>(host)[1023], 7u);
  EXPECT_OK(call("cuMemFreeHost", host));
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemFreeHost", host));
}

TEST_F(Memory, RegisteredMemoryIsKnownUntilUnregistered) {
  std::vector<std::uint32_t> own(1024);
  void* const host = own.data();
  DevicePointer device = 0;
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemHostGetDevicePointer_v2", &device, host, 0u));
  ASSERT_OK(call("cuMemHostRegister_v2", host, own.size() * 4, 0u));
  EXPECT_RESULT(abi::kHostMemoryAlreadyRegistered, call("cuMemHostRegister_v2", host, std::size_t{4}, 0u));
  EXPECT_OK(call("cuMemHostGetDevicePointer_v2", &device, host, 0u));
  EXPECT_OK(call("cuMemHostUnregister", host));
  EXPECT_RESULT(abi::kHostMemoryNotRegistered, call("cuMemHostUnregister", host));
}

TEST_F(Memory, OnlyMemoryThatIsThereCanBeRegistered) {
  constexpr std::size_t kBytes = 16 * 4096;
  void* const host = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(host, MAP_FAILED);
  auto* const middle = static_cast<std::byte*>(host) + kBytes / 2;
  ASSERT_OK(call("cuMemHostRegister_v2", host, kBytes, 0u));
  ASSERT_OK(call("cuMemHostUnregister", host));
  munmap(middle, kBytes / 2);
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemHostRegister_v2", host, kBytes, 0u)) << "half of it is gone";
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemHostRegister_v2", static_cast<void*>(middle), kBytes, 0u));
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemHostRegister_v2", host, ~std::size_t{0}, 0u)) << "wraps";
  EXPECT_OK(call("cuMemHostRegister_v2", host, kBytes / 2, 0u));
  EXPECT_OK(call("cuMemHostUnregister", host));
  munmap(host, kBytes / 2);
}

TEST(MemoryWithoutStandardStreams, IsNotWhatTheProgramPrintsTo) {
  expect_fresh_process_succeeds([] {
    for (const int standard : {0, 1, 2}) close(standard);
    abi::Context context = nullptr;
    call("cuInit", 0u);
    call("cuDevicePrimaryCtxRetain", &context, abi::Device{0});
    call("cuCtxSetCurrent", context);
    DevicePointer memory = 0;
    EXPECT_IN_CHILD(call("cuMemAlloc_v2", &memory, std::size_t{4} << 20) == abi::kSuccess);
    for (const int standard : {0, 1, 2}) EXPECT_IN_CHILD(fcntl(standard, F_GETFD) == -1 && errno == EBADF);
  });
}

TEST_F(Memory, PointerAttributesTellDeviceFromHost) {
  DevicePointer device = 0;
  void* host = nullptr;
  ASSERT_OK(call("cuMemAlloc_v2", &device, std::size_t{256}));
  ASSERT_OK(call("cuMemHostAlloc", &host, std::size_t{256}, 0u));
  abi::Enum type = 0;
  ASSERT_OK(
      call("cuPointerGetAttribute", static_cast<void*>(&type), abi::pointer_attribute::memory_type, device));
  EXPECT_EQ(type, abi::memory_type::device);
  const DevicePointer host_address = reinterpret_cast<std::uintptr_t>(host);
  ASSERT_OK(call("cuPointerGetAttribute", static_cast<void*>(&type), abi::pointer_attribute::memory_type,
                 host_address));
  EXPECT_EQ(type, abi::memory_type::host);
  abi::Context context = nullptr;
  ASSERT_OK(
      call("cuPointerGetAttribute", static_cast<void*>(&context), abi::pointer_attribute::context, device));
  EXPECT_EQ(context, context_);
  std::uint64_t word = 0;
  const DevicePointer unknown = reinterpret_cast<std::uintptr_t>(&word);
  EXPECT_RESULT(abi::kInvalidValue, call("cuPointerGetAttribute", static_cast<void*>(&type),
                                         abi::pointer_attribute::memory_type, unknown));
  const abi::Enum numbers[] = {abi::pointer_attribute::memory_type, abi::pointer_attribute::range_size};
  std::size_t size = 77;
  void* out[] = {&type, &size};
  ASSERT_OK(call("cuPointerGetAttributes", 2u, static_cast<const abi::Enum*>(numbers),
                 static_cast<void**>(out), unknown));
  EXPECT_EQ(type, 0);
  EXPECT_EQ(size, 0u);
}

}  // namespace
}  // namespace tare::conformance
