// What the environment changes. Each test is a process of its own, because cuInit reads it once.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "conformance/driver.hpp"
#include "conformance/fresh_process.hpp"

namespace tare::conformance {
namespace {

int attribute(int number, int device = 0) {
  int value = -1;
  EXPECT_IN_CHILD(call("cuDeviceGetAttribute", &value, abi::Enum{number}, abi::Device{device}) ==
                  abi::kSuccess);
  return value;
}

void make_context_current() {
  EXPECT_IN_CHILD(call("cuInit", 0u) == abi::kSuccess);
  abi::Context context = nullptr;
  EXPECT_IN_CHILD(call("cuDevicePrimaryCtxRetain", &context, 0) == abi::kSuccess);
  EXPECT_IN_CHILD(call("cuCtxSetCurrent", context) == abi::kSuccess);
}

TEST(Settings, TheComputeCapabilityCanBeAnotherOne) {
  expect_fresh_process_succeeds([] {
    setenv("TARE_CPU_CC", "8.6", 1);
    make_context_current();
    EXPECT_IN_CHILD(attribute(75) == 8 && attribute(76) == 6);
    abi::Module module = nullptr;
    const char* newer = ".version 8.0\n.target sm_90\n.address_size 64\n";
    EXPECT_IN_CHILD(call("cuModuleLoadData", &module, static_cast<const void*>(newer)) ==
                    abi::kNoBinaryForGpu);
  });
}

TEST(Settings, ThereCanBeSeveralDevicesThatReachEachOther) {
  expect_fresh_process_succeeds([] {
    setenv("TARE_CPU_DEVICES", "3", 1);
    make_context_current();
    int count = 0, can = 0;
    EXPECT_IN_CHILD(call("cuDeviceGetCount", &count) == abi::kSuccess && count == 3);
    EXPECT_IN_CHILD(call("cuDeviceCanAccessPeer", &can, abi::Device{0}, abi::Device{2}) == abi::kSuccess &&
                    can == 1);
    abi::Uuid first{}, second{};
    EXPECT_IN_CHILD(call("cuDeviceGetUuid_v2", &first, abi::Device{0}) == abi::kSuccess);
    EXPECT_IN_CHILD(call("cuDeviceGetUuid_v2", &second, abi::Device{1}) == abi::kSuccess);
    EXPECT_IN_CHILD(!std::equal(std::begin(first.bytes), std::end(first.bytes), std::begin(second.bytes)));
    abi::Context other = nullptr;
    EXPECT_IN_CHILD(call("cuDevicePrimaryCtxRetain", &other, 1) == abi::kSuccess);
    EXPECT_IN_CHILD(call("cuCtxEnablePeerAccess", other, 0u) == abi::kSuccess);
    EXPECT_IN_CHILD(call("cuCtxEnablePeerAccess", other, 0u) == abi::kPeerAccessAlreadyEnabled);
    EXPECT_IN_CHILD(call("cuCtxDisablePeerAccess", other) == abi::kSuccess);
    EXPECT_IN_CHILD(call("cuCtxDisablePeerAccess", other) == abi::kPeerAccessNotEnabled);
  });
}

/// The PCI buses of the devices, in the order of their ordinals, for a list of visible ones of three; empty
/// where cuInit finds no device.
std::string buses_of(const char* list) {
  setenv("TARE_CPU_DEVICES", "3", 1);
  if (list != nullptr) setenv("CUDA_VISIBLE_DEVICES", list, 1);
  const Result result = call("cuInit", 0u);
  int count = 0;
  if (result == abi::kNoDevice) {
    EXPECT_IN_CHILD(call("cuInit", 0u) == abi::kNoDevice);
    EXPECT_IN_CHILD(last_error() == "CUDA_VISIBLE_DEVICES hides every device");
    EXPECT_IN_CHILD(call("cuDeviceGetCount", &count) == abi::kNotInitialized);
    return "";
  }
  EXPECT_IN_CHILD(result == abi::kSuccess);
  EXPECT_IN_CHILD(call("cuDeviceGetCount", &count) == abi::kSuccess);
  std::string buses;
  for (abi::Device device = 0; device < count; ++device) {
    char id[16] = {};
    EXPECT_IN_CHILD(call("cuDeviceGetPCIBusId", static_cast<char*>(id), 16, device) == abi::kSuccess);
    EXPECT_IN_CHILD(std::stoi(std::string(id + 5, 2)) == attribute(33, device));
    abi::Device found = -1;
    EXPECT_IN_CHILD(call("cuDeviceGetByPCIBusId", &found, static_cast<const char*>(id)) == abi::kSuccess);
    EXPECT_IN_CHILD(found == device);
    abi::Context context = nullptr;
    EXPECT_IN_CHILD(call("cuDevicePrimaryCtxRetain", &context, device) == abi::kSuccess);
    buses += std::string(id + 5, 2) + " ";
  }
  abi::Device none = -1;
  EXPECT_IN_CHILD(call("cuDeviceGet", &none, count) == abi::kInvalidDevice);
  return buses;
}

/// "GPU-" and the 32 digits of the device's UUID, with nvidia-smi's dashes.
std::string uuid_of(abi::Device device) {
  abi::Uuid uuid{};
  EXPECT_IN_CHILD(call("cuDeviceGetUuid_v2", &uuid, device) == abi::kSuccess);
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    char digits[3] = {};
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(uuid.bytes[i] & 0xff));
    text += (i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(digits);
  }
  return text;
}

TEST(Settings, TheVisibleDevicesAreNumberedInTheOrderOfTheirList) {
  expect_fresh_process_succeeds([] { EXPECT_IN_CHILD(buses_of(nullptr) == "01 02 03 "); });
  expect_fresh_process_succeeds([] { EXPECT_IN_CHILD(buses_of("2,0") == "03 01 "); });
  expect_fresh_process_succeeds([] { EXPECT_IN_CHILD(buses_of(" 1 , 2") == "02 03 "); });
}

TEST(Settings, AnEntryThatNamesNoDeviceEndsTheListOfVisibleOnes) {
  expect_fresh_process_succeeds([] { EXPECT_IN_CHILD(buses_of("0,2,-1,1") == "01 03 "); });
  expect_fresh_process_succeeds([] { EXPECT_IN_CHILD(buses_of("1,3,0") == "02 "); });
  expect_fresh_process_succeeds([] { EXPECT_IN_CHILD(buses_of("1,,0") == "02 "); });
  expect_fresh_process_succeeds([] { EXPECT_IN_CHILD(buses_of("0,GPU-zz") == "01 "); });
  // A beginning that all three have.
  expect_fresh_process_succeeds([] { EXPECT_IN_CHILD(buses_of("0,GPU-") == "01 "); });
}

TEST(Settings, WhereEveryDeviceIsHiddenThereIsNone) {
  expect_fresh_process_succeeds([] { EXPECT_IN_CHILD(buses_of("").empty()); });
  expect_fresh_process_succeeds([] { EXPECT_IN_CHILD(buses_of("-1").empty()); });
  expect_fresh_process_succeeds([] { EXPECT_IN_CHILD(buses_of("none").empty()); });
  expect_fresh_process_succeeds([] { EXPECT_IN_CHILD(buses_of("GPU-").empty()); });
  // As an H200's driver has it.
  expect_fresh_process_succeeds([] {
    setenv("CUDA_VISIBLE_DEVICES", "0,0", 1);
    EXPECT_IN_CHILD(call("cuInit", 0u) == abi::kInvalidDevice);
  });
}

TEST(Settings, AVisibleDeviceCanBeNamedByItsUuidAndKeepsIt) {
  // One process tells the UUIDs, the next one is started with them.
  const std::string file = ::testing::TempDir() + "conformance-uuids-" + std::to_string(getpid());
  setenv("TARE_TEST_UUIDS", file.c_str(), 0);  // a fresh process keeps its parent's
  expect_fresh_process_succeeds([] {
    buses_of(nullptr);
    std::ofstream(std::getenv("TARE_TEST_UUIDS")) << uuid_of(2) << "\n" << uuid_of(1) << "\n";
  });
  expect_fresh_process_succeeds([] {
    std::string third, second;
    std::ifstream(std::getenv("TARE_TEST_UUIDS")) >> third >> second;
    EXPECT_IN_CHILD(third.size() == 40 && second.size() == 40);
    EXPECT_IN_CHILD(buses_of((third + "," + second.substr(0, 20) + ",0").c_str()) == "03 02 01 ");
    EXPECT_IN_CHILD(uuid_of(0) == third && uuid_of(1) == second);
  });
  std::filesystem::remove(file);
  unsetenv("TARE_TEST_UUIDS");
}

TEST(Settings, TheNumberOfThreadsIsTheNumberOfMultiprocessors) {
  expect_fresh_process_succeeds([] {
    setenv("TARE_CPU_THREADS", "1", 1);
    make_context_current();
    EXPECT_IN_CHILD(attribute(16) == 1);
    char name[256] = {};
    EXPECT_IN_CHILD(call("cuDeviceGetName", static_cast<char*>(name), 256, abi::Device{0}) == abi::kSuccess);
    EXPECT_IN_CHILD(std::string(name).starts_with("Tare CPU device (1 core, "));
  });
}

TEST(Settings, AValueThatCannotBeUnderstoodIsSaidAndPassedOver) {
  expect_fresh_process_succeeds(
      [] {
        setenv("TARE_CPU_DEVICES", "0", 1);
        setenv("TARE_CPU_CC", "zz", 1);
        setenv("TARE_CPU_THREADS", "-1", 1);
        setenv("TARE_CPU_TIER", "quick", 1);
        setenv("TARE_CPU_OPT", "3", 1);
        setenv("CUDA_CACHE_MAXSIZE", "1 GiB", 1);
        make_context_current();
        int count = 0;
        EXPECT_IN_CHILD(call("cuDeviceGetCount", &count) == abi::kSuccess && count == 1);
        EXPECT_IN_CHILD(attribute(75) == 9 && attribute(76) == 0);
      },
      "tare CPU device: TARE_CPU_DEVICES=0 is not a number of devices from 1 to 64; it is passed over\n"
      "tare CPU device: TARE_CPU_CC=zz is not the compute capability of a GPU from 5.0 to 12.1; it is passed "
      "over\n"
      "tare CPU device: TARE_CPU_THREADS=-1 is not a number of threads from 1 to 1024; it is passed over\n"
      "tare CPU device: TARE_CPU_TIER=quick is not automatic, general or fast; it is passed over\n"
      "tare CPU device: TARE_CPU_OPT=3 is not a level from 0 to 2; it is passed over\n"
      "tare CPU device: CUDA_CACHE_MAXSIZE=1 GiB is not a number of bytes; it is passed over\n");
}

TEST(Settings, AnEmptyVariableIsOneThatIsNotSet) {
  expect_fresh_process_succeeds(
      [] {
        for (const char* name : {"TARE_CPU_DEVICES", "TARE_CPU_CC", "TARE_CPU_THREADS", "TARE_CPU_TIER",
                                 "TARE_CPU_OPT", "TARE_CPU_FAULTS", "CUDA_CACHE_MAXSIZE"})
          setenv(name, "", 1);
        make_context_current();
        std::fprintf(stderr, "nothing before this\n");
      },
      "^nothing before this\n$");
}

TEST(Settings, TheFastTierRefusesAKernelThatWaitsByNameLineAndWayOut) {
  expect_fresh_process_succeeds([] {
    setenv("TARE_CPU_TIER", "fast", 1);
    make_context_current();
    const char text[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry waits()
{
  bar.sync 0;
  ret;
}
.visible .entry goes() { ret; }
)";
    abi::Module module = nullptr;
    EXPECT_IN_CHILD(call("cuModuleLoadData", &module, static_cast<const void*>(text)) == abi::kSuccess);
    abi::Function waits = nullptr, goes = nullptr;
    EXPECT_IN_CHILD(call("cuModuleGetFunction", &waits, module, "waits") == abi::kSuccess);
    EXPECT_IN_CHILD(call("cuModuleGetFunction", &goes, module, "goes") == abi::kSuccess);
    EXPECT_IN_CHILD(launch(waits, {{1, 1, 1}, {32, 1, 1}}, {}) == abi::kNotSupported);
    EXPECT_IN_CHILD(last_error() ==
                    "bar.sync at line 6 of kernel `waits` makes threads wait for each other, which the fast "
                    "tier does not run: leave TARE_CPU_TIER at `automatic`, or set it to `general`");
    EXPECT_IN_CHILD(launch(goes, {{1, 1, 1}, {32, 1, 1}}, {}) == abi::kSuccess);
  });
}

// A folder for each test: tests run side by side, and a fresh process of a test's own must find the same one.
std::string cache_directory() {
  return ::testing::TempDir() + "conformance-cache-" +
         ::testing::UnitTest::GetInstance()->current_test_info()->name();
}

void compile_one_kernel() {
  setenv("CUDA_CACHE_PATH", cache_directory().c_str(), 1);
  make_context_current();
  abi::Module module = nullptr;
  const std::string text = ptx(".visible .entry k() { ret; }\n");
  EXPECT_IN_CHILD(call("cuModuleLoadData", &module, static_cast<const void*>(text.c_str())) == abi::kSuccess);
  abi::Function function = nullptr;
  EXPECT_IN_CHILD(call("cuModuleGetFunction", &function, module, "k") == abi::kSuccess);
  EXPECT_IN_CHILD(launch(function, {}, {}) == abi::kSuccess);
  EXPECT_IN_CHILD(call("cuCtxSynchronize") == abi::kSuccess);
}

TEST(Settings, CompiledKernelsAreKeptWhereCudaKeepsItsOwn) {
  std::filesystem::remove_all(cache_directory());
  expect_fresh_process_succeeds([] {
    setenv("CUDA_CACHE_DISABLE", "0", 1);
    compile_one_kernel();
  });
  EXPECT_FALSE(std::filesystem::is_empty(cache_directory() + "/tare-cpu"));
  std::filesystem::remove_all(cache_directory());
}

TEST(Settings, NoMoreIsKeptThanCudaMayKeepOfItsOwn) {
  std::filesystem::remove_all(cache_directory());
  expect_fresh_process_succeeds([] {
    setenv("CUDA_CACHE_DISABLE", "0", 1);
    setenv("CUDA_CACHE_MAXSIZE", "100", 1);
    compile_one_kernel();
  });
  EXPECT_TRUE(std::filesystem::is_empty(cache_directory() + "/tare-cpu"));
  std::filesystem::remove_all(cache_directory());
}

TEST(Settings, NothingIsKeptWhereTheCacheIsDisabled) {
  std::filesystem::remove_all(cache_directory());
  expect_fresh_process_succeeds([] {
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    compile_one_kernel();
  });
  EXPECT_FALSE(std::filesystem::exists(cache_directory() + "/tare-cpu"));
}

}  // namespace
}  // namespace tare::conformance
