// What the environment changes. Each test is a process of its own, because cuInit reads it once.
#include <filesystem>
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
      "tare CPU device: TARE_CPU_CC=zz is not the compute capability of a GPU from 5.0 to 12.1; it is passed over\n"
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
