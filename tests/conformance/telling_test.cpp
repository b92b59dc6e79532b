// What is told about a call that is refused: the calling thread's text, and with TARE_CPU_FAULTS=1 a line on
// stderr, once.
#include <cstdlib>
#include <functional>

#include "conformance/driver.hpp"
#include "conformance/fresh_process.hpp"

namespace tare::conformance {
namespace {

void begin(bool aloud) {
  if (aloud) setenv("TARE_CPU_FAULTS", "1", 1);
  EXPECT_IN_CHILD(call("cuInit", 0u) == abi::kSuccess);
  abi::Context context = nullptr;
  EXPECT_IN_CHILD(call("cuDevicePrimaryCtxRetain", &context, 0) == abi::kSuccess);
  EXPECT_IN_CHILD(call("cuCtxSetCurrent", context) == abi::kSuccess);
}

Result load_image(const std::string& image) {
  abi::Module module = nullptr;
  return call("cuModuleLoadData", &module, static_cast<const void*>(image.c_str()));
}

void refuse_one_of_each_kind() {
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_IN_CHILD(load_image(std::string("\x50\xed\x55\xba\x01\x01", 6)) == abi::kNoBinaryForGpu);
    EXPECT_IN_CHILD(load_image(".version 9.5\n.target sm_90\n") == abi::kUnsupportedPtxVersion);
    EXPECT_IN_CHILD(load_image(".version 8.6\n.target sm_100\n") == abi::kNoBinaryForGpu);
    EXPECT_IN_CHILD(load_image(".version 8.0\n.target sm_80\n.visible .entry k() { nonsense; }\n") ==
                    abi::kInvalidPtx);
    const abi::Module module =
        load(ptx(".visible .entry k() { ret; }\n.visible .entry t() {\n"
                 ".reg .b64 %t; .reg .b32 %r<5>;\n"
                 "tex.1d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [%t, {%r0}]; ret; }\n"));
    EXPECT_IN_CHILD(launch(function_of(module, "k"), {{1, 1, 1}, {2048, 1, 1}}, {}) == abi::kInvalidValue);
    EXPECT_IN_CHILD(launch(function_of(module, "t"), {}, {}) == abi::kNotSupported);
  }
}

TEST(Telling, ARefusalIsOneLineThatSaysWhyAndWhatToDo) {
  expect_fresh_process_succeeds(
      [] {
        begin(/*aloud=*/true);
        refuse_one_of_each_kind();
      },
      "^tare CPU device: the CPU device loads PTX only; this image is a fat binary: make PTX with `nvcc "
      "-ptx`, "
      "or run a Python program with `tare with-cpu --ptx-only`\n"
      "tare CPU device: PTX line 1: Unsupported .version 9.5; current version is '9.0' "
      ".compile with CUDA 13.0 or older; of pip's packages, cuda-toolkit==13.0.\\*.\n"
      "tare CPU device: PTX line 2: SM version specified by .target 'sm_100' is higher than the device's, "
      "sm_90 .compile for this one, or choose another with `tare with-cpu --cc` or TARE_CPU_CC.\n"
      "tare CPU device: PTX line 3: [^\n]*nonsense[^\n]*\n"
      "tare CPU device: the block is larger than 1024 threads, or than 1024 x 1024 x 64\n"
      "tare CPU device: tex.1d.v4.f32.s32 at line 7 of kernel `t` is not supported by the CPU device\n$");
}

TEST(Telling, WithoutTheSettingNothingIsWritten) {
  expect_fresh_process_succeeds(
      [] {
        unsetenv("TARE_CPU_FAULTS");
        begin(/*aloud=*/false);
        refuse_one_of_each_kind();
        EXPECT_IN_CHILD(call("cuGraphCreate") == abi::kNotSupported);
        std::fprintf(stderr, "nothing before this\n");
      },
      "^nothing before this\n$");
}

TEST(Telling, ACallThatThereIsNotIsNamedAsProgramsWriteIt) {
  expect_fresh_process_succeeds(
      [] {
        begin(/*aloud=*/true);
        for (const char* name : {"cuMemAllocManaged", "cuMemAllocAsync_ptsz", "cuStreamBeginCapture_v2",
                                 "cuArrayCreate_v2", "cuTexObjectCreate", "cuMemAllocAsync"}) {
          EXPECT_IN_CHILD(call(name) == abi::kNotSupported);
          const std::string base = std::string(name).substr(0, std::string_view(name).find('_'));
          EXPECT_IN_CHILD(last_error() ==
                          base + ": the CPU device does not have this call (docs/cpu-device.md)");
        }
      },
      "^tare CPU device: cuMemAllocManaged: the CPU device does not have this call .docs/cpu-device.md.\n"
      "tare CPU device: cuMemAllocAsync: [^\n]*\ntare CPU device: cuStreamBeginCapture: [^\n]*\n"
      "tare CPU device: cuArrayCreate: [^\n]*\ntare CPU device: cuTexObjectCreate: [^\n]*\n$");
}

TEST(Telling, TheRuntimeLibraryIsToldWhatItNeedsAndOtherSearchesForTablesAreNot) {
  expect_fresh_process_succeeds(
      [] {
        begin(/*aloud=*/true);
        const void* table = nullptr;
        const abi::Uuid other{{0xda, 0x91, 0x51, 0xd3}};
        const abi::Uuid cudart{
            {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9}};
        for (const abi::Uuid* const id : {&other, &cudart, &cudart})
          EXPECT_IN_CHILD(call("cuGetExportTable", &table, id) == abi::kNotFound);
      },
      "^tare CPU device: this program uses the CUDA runtime library .cudart., which needs NVIDIA's driver: "
      "see "
      "docs/with-cpu.md\n$");
}

TEST(Telling, OrdinaryAnswersSayNothing) {
  expect_fresh_process_succeeds(
      [] {
        begin(/*aloud=*/true);
        void* address = nullptr;
        abi::Enum status = 0;
        EXPECT_IN_CHILD(call("cuGetProcAddress_v2", static_cast<const char*>("cuOfTomorrow"), &address, 13000,
                             std::uint64_t{0}, &status) == abi::kSuccess);
        EXPECT_IN_CHILD(call("cuGetProcAddress", static_cast<const char*>("cuOfTomorrow"), &address, 13000,
                             std::uint64_t{0}) == abi::kNotFound);
        int value = 0;
        EXPECT_IN_CHILD(call("cuDeviceGetAttribute", &value, abi::Enum{100'000}, abi::Device{0}) ==
                        abi::kInvalidValue);
        DevicePointer pointer = 0;
        EXPECT_IN_CHILD(call("cuMemAlloc_v2", &pointer, std::size_t{0}) == abi::kInvalidValue);
        Gate gate;
        gate.hold(nullptr);
        EXPECT_IN_CHILD(call("cuStreamQuery", static_cast<abi::Stream>(nullptr)) == abi::kNotReady);
        gate.open();
        std::fprintf(stderr, "nothing before this\n");
      },
      "^nothing before this\n$");
}

TEST(Telling, AProgramThatTriesForEverIsToldAFewTimes) {
  expect_fresh_process_succeeds(
      [] {
        begin(/*aloud=*/true);
        for (int i = 0; i < 1000; ++i)
          EXPECT_IN_CHILD(load_image(std::string(static_cast<std::size_t>(i), '\n') + "x") ==
                          abi::kInvalidPtx);
      },
      "line 64: [^\n]*\ntare CPU device: further refusals are not told\n$");
}

using LastError = WithContext;

TEST_F(LastError, AnErrorWithoutATextTakesAwayTheTextOfAnEarlierOne) {
  DevicePointer pointer = 0;
  std::size_t pitch = 0;
  void* values[1] = {};
  const abi::Enum no_option = -1;
  const std::function<Result()> without_text[] = {
      [&] { return call("cuMemAlloc_v2", &pointer, std::size_t{0}); },
      [&] { return call("cuMemAllocPitch_v2", &pointer, &pitch, std::size_t{0}, std::size_t{1}, 4u); },
      [&] { return call("cuInit", 1u); },
      [&] {
        abi::Module module = nullptr;
        return call("cuModuleLoadDataEx", &module, static_cast<const void*>(".version 8.0"), 1u, &no_option,
                    static_cast<void**>(values));
      },
      [&] { return call("cuLaunchKernelEx", static_cast<const abi::LaunchConfig*>(nullptr)); },
  };
  for (const auto& each : without_text) {
    EXPECT_RESULT(abi::kInvalidPtx, load_image("x"));
    EXPECT_NE(last_error(), "");
    EXPECT_OK(call("cuCtxSynchronize"));
    EXPECT_NE(last_error(), "") << "a call that succeeds leaves it";
    const Result result = each();
    EXPECT_RESULT(abi::kInvalidValue, result);
    EXPECT_EQ(last_error(), "");
  }
  Gate gate;
  gate.hold(nullptr);
  EXPECT_RESULT(abi::kInvalidPtx, load_image("x"));
  EXPECT_RESULT(abi::kNotReady, call("cuStreamQuery", static_cast<abi::Stream>(nullptr)));
  EXPECT_NE(last_error(), "") << "not ready is no error";
}

}  // namespace
}  // namespace tare::conformance
