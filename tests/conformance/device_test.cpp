#include <sched.h>

#include <cstring>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

class DeviceQueries : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_OK(call("cuInit", 0u)); }
  static int attribute(int number) {
    int value = -12345;
    EXPECT_OK(call("cuDeviceGetAttribute", &value, abi::Enum{number}, abi::Device{0}));
    return value;
  }
};

TEST_F(DeviceQueries, ThereIsOneDeviceAndItIsNamed) {
  int count = 0;
  ASSERT_OK(call("cuDeviceGetCount", &count));
  EXPECT_EQ(count, 1);
  abi::Device device = -1;
  ASSERT_OK(call("cuDeviceGet", &device, 0));
  EXPECT_EQ(device, 0);
  EXPECT_RESULT(abi::kInvalidDevice, call("cuDeviceGet", &device, 1));
  EXPECT_RESULT(abi::kInvalidDevice, call("cuDeviceGet", &device, -1));
  char name[256] = {};
  ASSERT_OK(call("cuDeviceGetName", static_cast<char*>(name), 256, device));
  EXPECT_EQ(std::string(name).find("Tare CPU device ("), 0u) << name;
  char cut[6] = {};
  ASSERT_OK(call("cuDeviceGetName", static_cast<char*>(cut), 6, device));
  EXPECT_STREQ(cut, "Tare ");
}

TEST_F(DeviceQueries, ItPresentsComputeCapability90AndTheLimitsThatGoWithIt) {
  EXPECT_EQ(attribute(75), 9);
  EXPECT_EQ(attribute(76), 0);
  int major = 0, minor = -1;
  EXPECT_OK(call("cuDeviceComputeCapability", &major, &minor, abi::Device{0}));
  EXPECT_EQ(major, 9);
  EXPECT_EQ(minor, 0);
  EXPECT_EQ(attribute(1), 1024);
  EXPECT_EQ(attribute(4), 64);
  EXPECT_EQ(attribute(5), 2147483647);
  EXPECT_EQ(attribute(6), 65535);
  EXPECT_EQ(attribute(8), 49152);
  EXPECT_EQ(attribute(10), 32);
  EXPECT_EQ(attribute(97), 232448);
  EXPECT_EQ(attribute(41), 1) << "unified addressing";
  EXPECT_EQ(attribute(115), 0) << "memory pools";
  EXPECT_EQ(attribute(95), 1) << "cooperative launches";
}

TEST_F(DeviceQueries, ItHasAMultiprocessorForEveryCoreItMayUse) {
  cpu_set_t set;
  CPU_ZERO(&set);
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  const char* chosen = std::getenv("TARE_CPU_THREADS");
  EXPECT_EQ(attribute(16), chosen != nullptr ? std::atoi(chosen) : CPU_COUNT(&set));
}

TEST_F(DeviceQueries, EveryAttributeNumberAnswersAndOthersAreInvalid) {
  for (int number = 1; number <= 147; ++number) EXPECT_NE(attribute(number), -12345) << number;
  int value = 0;
  EXPECT_RESULT(abi::kInvalidValue, call("cuDeviceGetAttribute", &value, abi::Enum{0}, abi::Device{0}));
  EXPECT_RESULT(abi::kInvalidValue, call("cuDeviceGetAttribute", &value, abi::Enum{148}, abi::Device{0}));
  EXPECT_RESULT(abi::kInvalidDevice, call("cuDeviceGetAttribute", &value, abi::Enum{1}, abi::Device{7}));
}

TEST_F(DeviceQueries, ItsUuidAndPciIdAreItsOwnAndStayTheSame) {
  abi::Uuid first{}, second{}, zero{};
  ASSERT_OK(call("cuDeviceGetUuid_v2", &first, abi::Device{0}));
  ASSERT_OK(call("cuDeviceGetUuid", &second, abi::Device{0}));
  EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0);
  EXPECT_NE(std::memcmp(&first, &zero, sizeof first), 0);
  char id[16] = {};
  ASSERT_OK(call("cuDeviceGetPCIBusId", static_cast<char*>(id), 16, abi::Device{0}));
  EXPECT_STREQ(id, "0000:01:00.0");
  abi::Device device = -1;
  ASSERT_OK(call("cuDeviceGetByPCIBusId", &device, static_cast<const char*>(id)));
  EXPECT_EQ(device, 0);
  EXPECT_RESULT(abi::kInvalidDevice, call("cuDeviceGetByPCIBusId", &device, "0000:09:00.0"));
}

TEST_F(DeviceQueries, ADeviceIsNotItsOwnPeer) {
  int can = -1;
  EXPECT_OK(call("cuDeviceCanAccessPeer", &can, abi::Device{0}, abi::Device{0}));
  EXPECT_EQ(can, 0);
  EXPECT_RESULT(abi::kInvalidDevice, call("cuDeviceCanAccessPeer", &can, abi::Device{0}, abi::Device{3}));
}

TEST_F(DeviceQueries, MemoryIsTheMachines) {
  std::size_t total = 0;
  ASSERT_OK(call("cuDeviceTotalMem_v2", &total, abi::Device{0}));
  EXPECT_GT(total, std::size_t{64} << 20);
}

}  // namespace
}  // namespace tare::conformance
