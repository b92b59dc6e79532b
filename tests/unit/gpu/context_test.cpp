// The primary context and whatever else is current, and the device's own figures.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/abi.hpp"
#include "tare/driver.hpp"
#include "unit/gpu/support.hpp"

namespace tare::testing_support {
namespace {

using testing::MatchesRegex;

/// The loaded driver as another library in the process would call it.
class Contexts : public testing::Test {
 protected:
  void TearDown() override { dlclose(library_); }

  template <class Function>
  Function symbol(const char* name) const {
    return reinterpret_cast<Function>(dlsym(library_, name));
  }
  CUctx_st* current() const {
    CUctx_st* context = nullptr;
    symbol<int (*)(CUctx_st**)>("cuCtxGetCurrent")(&context);
    return context;
  }

  void* library_ = dlopen(driver_info().path.c_str(), RTLD_NOW | RTLD_NOLOAD);
};

TEST_F(Contexts, WhatWasCurrentIsCurrentAgainAfterAScope) {
  PrimaryContext primary;
  ASSERT_EQ(current(), nullptr);
  {
    const auto outer = primary.enter();
    EXPECT_EQ(current(), primary.handle());
    {
      const auto inner = primary.enter();
      EXPECT_EQ(current(), primary.handle());
    }
    EXPECT_EQ(current(), primary.handle());
  }
  EXPECT_EQ(current(), nullptr);
}

TEST_F(Contexts, EveryCallRestoresAForeignContext) {
  CUctx_st* foreign = nullptr;
  ASSERT_EQ(symbol<int (*)(CUctx_st**, unsigned, int)>("cuCtxCreate_v2")(&foreign, 0, 0), 0);
  PrimaryContext primary;
  {
    Stream stream(primary);
    Event event(primary);
    Buffer buffer(primary, 64);
    buffer.fill(1);
    event.record(stream);
    event.synchronize();
    stream.synchronize();
    EXPECT_EQ(current(), foreign);
    Module::load(primary, bytes_of(kNothing)).kernel("nothing").attributes();
    EXPECT_EQ(current(), foreign);
    error_of([&] { Module::load(primary, bytes_of("no ptx")); });
    EXPECT_EQ(current(), foreign);
  }
  EXPECT_EQ(current(), foreign);
  EXPECT_EQ(symbol<int (*)(CUctx_st*)>("cuCtxDestroy_v2")(foreign), 0);
}

TEST_F(Contexts, ThePrimaryContextIsTheOneEveryLibraryGets) {
  PrimaryContext first;
  PrimaryContext second;
  EXPECT_EQ(first.handle(), second.handle());
  CUctx_st* retained = nullptr;
  ASSERT_EQ(symbol<int (*)(CUctx_st**, int)>("cuDevicePrimaryCtxRetain")(&retained, first.device().handle()),
            0);
  EXPECT_EQ(retained, first.handle());
  symbol<int (*)(int)>("cuDevicePrimaryCtxRelease_v2")(first.device().handle());
}

TEST_F(Contexts, TheLastCopyReleasesIt) {
  const Device device;
  const auto active = [&] {
    unsigned flags = 0;
    int is_active = -1;
    symbol<int (*)(int, unsigned*, int*)>("cuDevicePrimaryCtxGetState")(device.handle(), &flags, &is_active);
    return is_active;
  };
  ASSERT_EQ(active(), 0);
  {
    auto first = std::make_unique<PrimaryContext>(device);
    const PrimaryContext copy = *first;
    first.reset();
    EXPECT_EQ(active(), 1);
    EXPECT_GT(copy.memory().total_bytes, 0u);
  }
  EXPECT_EQ(active(), 0);
}

TEST_F(Contexts, FreeMemoryIsPartOfAll) {
  PrimaryContext context;
  const auto memory = context.memory();
  EXPECT_LE(memory.free_bytes, memory.total_bytes);
  EXPECT_EQ(memory.total_bytes, context.device().total_memory_bytes());
}

TEST(Devices, AnOrdinalThatThereIsNotIsRefused) {
  const int count = device_count();
  const auto error = error_of([&] { Device device(count); });
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  EXPECT_THAT(error.what(),
              testing::StartsWith("there is no device " + std::to_string(count) + ": the driver shows "));
  EXPECT_EQ(error_of([] { Device device(-1); }).kind(), ErrorKind::argument);
}

TEST(Devices, ADeviceDescribesItself) {
  const Device device;
  EXPECT_EQ(device.ordinal(), 0);
  EXPECT_FALSE(device.name().empty());
  EXPECT_THAT(device.uuid(),
              MatchesRegex("GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
  EXPECT_GE(device.compute_capability(), 50);
  EXPECT_EQ(device.compute_capability(), 10 * device.attribute(75) + device.attribute(76));
  EXPECT_GT(device.total_memory_bytes(), std::size_t{1} << 20);
  EXPECT_GE(device.multiprocessors(), 1);
  EXPECT_EQ(device.l2_bytes(), static_cast<std::size_t>(device.attribute(38)));
}

TEST(Devices, PeakBandwidthIsWorkedOutFromClockAndWidth) {
  const Device device;
  EXPECT_EQ(device.peak_bytes_per_second(), 250.0 * device.attribute(36) * device.attribute(37));
}

TEST(Devices, AnAttributeThatThereIsNotIsRefusedByTheDriver) {
  const auto error = error_of([] { Device().attribute(100000); });
  EXPECT_EQ(error.code_name(), "CUDA_ERROR_INVALID_VALUE");
}

}  // namespace
}  // namespace tare::testing_support
