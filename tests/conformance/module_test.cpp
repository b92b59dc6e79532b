// Modules: what is refused and what the log says, variables, kernels and what is told of them.
#include <cstdio>
#include <cstring>
#include <fstream>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

using Modules = WithContext;

const std::string kTwoKernels = ptx(R"(
.visible .global .align 4 .u32 counter = 42;
.visible .const .align 8 .u64 table[3] = {1, 2, 3};
.global .align 8 .u64 where = generic(counter);
.visible .entry first(.param .u64 p, .param .u8 small, .param .align 8 .b8 block[24], .param .f32 last) { ret; }
.visible .entry second() .maxntid 64, 2 {
  .shared .align 4 .b8 tile[256];
  .reg .b32 %r<2>;
  st.shared.u32 [tile], 1;
  ret;
}
)");

struct Loaded {
  Result result = abi::kUnknown;
  abi::Module module = nullptr;
  std::string error, info;
};

Loaded load_with_log(const void* image, std::size_t log_bytes = 4096) {
  Loaded loaded;
  std::vector<char> error(log_bytes, 'x'), info(log_bytes, 'x');
  const abi::Enum options[] = {abi::jit::error_log_buffer, abi::jit::error_log_buffer_size_bytes,
                               abi::jit::info_log_buffer, abi::jit::info_log_buffer_size_bytes};
  void* values[] = {error.data(), reinterpret_cast<void*>(log_bytes), info.data(),
                    reinterpret_cast<void*>(log_bytes)};
  loaded.result = call("cuModuleLoadDataEx", &loaded.module, image, 4u,
                       static_cast<const abi::Enum*>(options), static_cast<void**>(values));
  loaded.error = error.data();
  loaded.info = info.data();
  if (!loaded.error.empty()) {
    EXPECT_EQ(reinterpret_cast<std::size_t>(values[1]), loaded.error.size() + 1);
  }
  return loaded;
}
Loaded load_with_log(const std::string& text) {
  return load_with_log(text.c_str());
}

TEST_F(Modules, ACalledFunctionThatIsNowhereIsInvalidPtxAndOneThatIsOnlyDeclaredIsNot) {
  const std::string declared = ".extern .func nowhere();\n";
  const Loaded called =
      load_with_log(ptx(declared + ".visible .entry k() {\n  call nowhere, ();\n  ret;\n}\n"));
  EXPECT_RESULT(abi::kInvalidPtx, called.result);
  EXPECT_NE(called.error.find("Unresolved extern function 'nowhere'"), std::string::npos) << called.error;
  EXPECT_OK(load_with_log(ptx(declared + ".visible .entry k() { ret; }\n")).result);
}

TEST_F(Modules, ASyntaxErrorIsInvalidPtxAndTheLogNamesTheLine) {
  const Loaded loaded = load_with_log(
      ptx(".visible .entry k() {\n  .reg .b32 %r<3>;\n  frobnicate.u32 %r1, %r2;\n  ret;\n}\n"));
  EXPECT_RESULT(abi::kInvalidPtx, loaded.result);
  EXPECT_EQ(loaded.error.find("ptxas application ptx input, line 6; error   : "), 0u) << loaded.error;
  EXPECT_NE(loaded.error.find("ptxas fatal   : Ptx assembly aborted due to errors"), std::string::npos)
      << loaded.error;
  EXPECT_NE(last_error().find("line 6"), std::string::npos) << last_error();
}

TEST_F(Modules, ALogLongerThanItsBufferIsCut) {
  std::string text = ptx("garbage");
  std::vector<char> small(16, 'x');
  const abi::Enum options[] = {abi::jit::error_log_buffer, abi::jit::error_log_buffer_size_bytes};
  void* values[] = {small.data(), reinterpret_cast<void*>(std::size_t{8})};
  abi::Module module = nullptr;
  EXPECT_RESULT(abi::kInvalidPtx,
                call("cuModuleLoadDataEx", &module, static_cast<const void*>(text.c_str()), 2u,
                     static_cast<const abi::Enum*>(options), static_cast<void**>(values)));
  EXPECT_EQ(std::string(small.data()).size(), 7u);
  EXPECT_EQ(small[8], 'x') << "nothing is written past the size given";
}

TEST_F(Modules, NewerPtxAndNewerTargetsAreRefused) {
  EXPECT_RESULT(abi::kUnsupportedPtxVersion,
                load_with_log(std::string(".version 9.9\n.target sm_80\n.address_size 64\n")).result);
  EXPECT_RESULT(abi::kNoBinaryForGpu,
                load_with_log(std::string(".version 8.7\n.target sm_100\n.address_size 64\n")).result);
}

TEST_F(Modules, MachineCodeIsRefusedAndTheLogSaysWhy) {
  char elf[64] = {0x7f, 'E', 'L', 'F'};
  Loaded loaded = load_with_log(elf);
  EXPECT_RESULT(abi::kNoBinaryForGpu, loaded.result);
  EXPECT_NE(loaded.error.find("loads PTX only"), std::string::npos) << loaded.error;
  const std::uint32_t fatbin[16] = {0xba55ed50};
  EXPECT_RESULT(abi::kNoBinaryForGpu, load_with_log(fatbin).result);
  const std::uint32_t wrapper[16] = {0x466243b1};
  EXPECT_RESULT(abi::kNoBinaryForGpu, load_with_log(wrapper).result);
  EXPECT_RESULT(abi::kInvalidImage, load_with_log("\x01\x02\x03").result);
  EXPECT_RESULT(abi::kInvalidImage, load_with_log("").result);
}

TEST_F(Modules, ArgumentsAreChecked) {
  abi::Module module = nullptr;
  EXPECT_RESULT(abi::kInvalidValue, call("cuModuleLoadData", &module, static_cast<const void*>(nullptr)));
  EXPECT_RESULT(abi::kFileNotFound, call("cuModuleLoad", &module, "/nonexistent/kernel.ptx"));
  module = load(kTwoKernels);
  abi::Function function = nullptr;
  EXPECT_RESULT(abi::kNotFound, call("cuModuleGetFunction", &function, module, "third"));
  EXPECT_RESULT(abi::kInvalidValue,
                call("cuModuleGetFunction", &function, module, static_cast<const char*>(nullptr)));
  EXPECT_OK(call("cuModuleUnload", module));
  EXPECT_RESULT(abi::kInvalidHandle, call("cuModuleGetFunction", &function, module, "first"));
  EXPECT_RESULT(abi::kInvalidHandle, call("cuModuleUnload", module));
}

TEST_F(Modules, AFileOfPtxIsLoaded) {
  const std::string path = ::testing::TempDir() + "conformance_module.ptx";
  std::ofstream(path) << kTwoKernels;
  abi::Module module = nullptr;
  EXPECT_OK(call("cuModuleLoad", &module, path.c_str()));
  std::remove(path.c_str());
  EXPECT_NE(function_of(module, "first"), nullptr);
}

TEST_F(Modules, VariablesHaveTheirInitialValuesAndAddresses) {
  const abi::Module module = load(kTwoKernels);
  DevicePointer counter = 0, table = 0, where = 0;
  std::size_t bytes = 0;
  ASSERT_OK(call("cuModuleGetGlobal_v2", &counter, &bytes, module, "counter"));
  EXPECT_EQ(bytes, 4u);
  std::uint32_t value = 0;
  EXPECT_OK(call("cuMemcpyDtoH_v2", static_cast<void*>(&value), counter, sizeof value));
  EXPECT_EQ(value, 42u);
  ASSERT_OK(call("cuModuleGetGlobal_v2", &table, &bytes, module, "table"));
  EXPECT_EQ(bytes, 24u);
  std::uint64_t words[3] = {};
  EXPECT_OK(call("cuMemcpyDtoH_v2", static_cast<void*>(words), table, sizeof words));
  EXPECT_EQ(words[0] * 100 + words[1] * 10 + words[2], 123u);
  ASSERT_OK(call("cuModuleGetGlobal_v2", &where, &bytes, module, "where"));
  std::uint64_t address = 0;
  EXPECT_OK(call("cuMemcpyDtoH_v2", static_cast<void*>(&address), where, sizeof address));
  EXPECT_EQ(address, counter);
  EXPECT_RESULT(abi::kNotFound, call("cuModuleGetGlobal_v2", &counter, &bytes, module, "nothing"));
}

TEST_F(Modules, KernelsCanBeCountedAndListed) {
  const abi::Module module = load(kTwoKernels);
  unsigned count = 0;
  ASSERT_OK(call("cuModuleGetFunctionCount", &count, module));
  ASSERT_EQ(count, 2u);
  abi::Function functions[2] = {};
  ASSERT_OK(call("cuModuleEnumerateFunctions", static_cast<abi::Function*>(functions), 2u, module));
  const char* name = nullptr;
  EXPECT_OK(call("cuFuncGetName", &name, functions[1]));
  EXPECT_STREQ(name, "second");
  EXPECT_EQ(function_of(module, "second"), functions[1]);
}

TEST_F(Modules, ParametersHaveOffsetsAndSizes) {
  const abi::Function first = function_of(load(kTwoKernels), "first");
  const std::size_t expected[][2] = {{0, 8}, {8, 1}, {16, 24}, {40, 4}};
  for (std::size_t i = 0; i < 4; ++i) {
    std::size_t offset = 99, size = 99;
    ASSERT_OK(call("cuFuncGetParamInfo", first, i, &offset, &size));
    EXPECT_EQ(offset, expected[i][0]) << i;
    EXPECT_EQ(size, expected[i][1]) << i;
  }
  std::size_t offset = 0;
  EXPECT_RESULT(abi::kInvalidValue, call("cuFuncGetParamInfo", first, std::size_t{4}, &offset,
                                         static_cast<std::size_t*>(nullptr)));
}

TEST_F(Modules, AttributesAreThoseOfTheKernel) {
  const abi::Function second = function_of(load(kTwoKernels), "second");
  const auto attribute = [&](abi::Enum number) {
    int value = -1;
    EXPECT_OK(call("cuFuncGetAttribute", &value, number, second));
    return value;
  };
  namespace of = abi::function_attribute;
  EXPECT_EQ(attribute(of::max_threads_per_block), 128);
  EXPECT_EQ(attribute(of::shared_size_bytes), 256);
  EXPECT_EQ(attribute(of::const_size_bytes), 24);
  EXPECT_EQ(attribute(of::ptx_version), 80);
  EXPECT_EQ(attribute(of::binary_version), 90);
  EXPECT_EQ(attribute(of::max_dynamic_shared_size_bytes), 48 * 1024 - 256);
  EXPECT_OK(call("cuFuncSetAttribute", second, of::max_dynamic_shared_size_bytes, 227 * 1024 - 256));
  EXPECT_EQ(attribute(of::max_dynamic_shared_size_bytes), 227 * 1024 - 256);
  EXPECT_RESULT(abi::kInvalidValue,
                call("cuFuncSetAttribute", second, of::max_dynamic_shared_size_bytes, 227 * 1024));
  int value = 0;
  EXPECT_RESULT(abi::kInvalidValue, call("cuFuncGetAttribute", &value, abi::Enum{99}, second));
}

TEST_F(Modules, OccupancyIsThatOfTheComputeCapability) {
  const abi::Function first = function_of(load(kTwoKernels), "first");
  int blocks = 0, grid = 0, block = 0;
  EXPECT_OK(call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, first, 256, std::size_t{0}));
  EXPECT_EQ(blocks, 8) << "2048 threads of a multiprocessor";
  EXPECT_OK(call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, first, 32, std::size_t{0}));
  EXPECT_EQ(blocks, 32) << "at most 32 blocks";
  EXPECT_OK(call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, first, 64, std::size_t{40 * 1024}));
  EXPECT_EQ(blocks, 5) << "228 KiB of shared memory, 1 KiB of it reserved for each block";
  EXPECT_OK(call("cuOccupancyMaxPotentialBlockSize", &grid, &block, first, abi::BlockSizeToSharedBytes{},
                 std::size_t{0}, 0));
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid % 2, 0);
}

TEST_F(Modules, AnUnsupportedInstructionFailsItsKernelOnly) {
  const std::string text = ptx(R"(
.visible .entry good() { ret; }
.visible .entry bad(.param .u64 t) {
  .reg .b32 %r<5>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [t];
  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];
  ret;
}
)");
  const Loaded loaded = load_with_log(text);
  ASSERT_RESULT(abi::kSuccess, loaded.result);
  EXPECT_NE(loaded.error.find("tex.1d.v4.f32.s32"), std::string::npos) << loaded.error;
  const abi::Function good = function_of(loaded.module, "good");
  const abi::Function bad = function_of(loaded.module, "bad");
  std::uint64_t texture = 0;
  EXPECT_RESULT(abi::kNotSupported, launch(bad, {}, {&texture}));
  EXPECT_NE(last_error().find("tex.1d.v4.f32.s32"), std::string::npos) << last_error();
  EXPECT_NE(last_error().find("11"), std::string::npos) << "the line: " << last_error();
  EXPECT_OK(launch(good, {}, {}));
  EXPECT_OK(call("cuCtxSynchronize")) << "the refusal is not a fault of the context";
}

TEST_F(Modules, LinkingPassesOnePtxTextThrough) {
  abi::LinkState link = nullptr;
  const auto add = [&](abi::Enum type, const std::string& text) {
    return call("cuLinkAddData_v2", link, type, static_cast<const void*>(text.data()), text.size(), "name",
                0u, static_cast<const abi::Enum*>(nullptr), static_cast<void**>(nullptr));
  };
  ASSERT_OK(call("cuLinkCreate_v2", 0u, static_cast<const abi::Enum*>(nullptr), static_cast<void**>(nullptr),
                 &link));
  void* image = nullptr;
  std::size_t bytes = 0;
  EXPECT_RESULT(abi::kInvalidValue, call("cuLinkComplete", link, &image, &bytes)) << "nothing was added";
  EXPECT_RESULT(abi::kInvalidPtx, add(abi::jit::input_ptx, ptx("nonsense")));
  EXPECT_OK(add(abi::jit::input_ptx, kTwoKernels));
  ASSERT_OK(call("cuLinkComplete", link, &image, &bytes));
  EXPECT_EQ(bytes, kTwoKernels.size() + 1);
  EXPECT_NE(function_of(load(static_cast<const char*>(image)), "second"), nullptr);
  EXPECT_OK(call("cuLinkDestroy", link));
  EXPECT_RESULT(abi::kInvalidHandle, call("cuLinkDestroy", link));
}

TEST_F(Modules, ALibraryServesEveryContext) {
  const std::string text = ptx(R"(
.visible .global .align 4 .u32 result;
.visible .entry put(.param .u32 value) {
  .reg .b32 %r<2>;
  ld.param.u32 %r1, [value];
  st.global.u32 [result], %r1;
  ret;
}
)");
  abi::Library library = nullptr;
  ASSERT_OK(call("cuLibraryLoadData", &library, static_cast<const void*>(text.c_str()),
                 static_cast<const abi::Enum*>(nullptr), static_cast<void**>(nullptr), 0u,
                 static_cast<const abi::Enum*>(nullptr), static_cast<void**>(nullptr), 0u));
  abi::Kernel kernel = nullptr;
  ASSERT_OK(call("cuLibraryGetKernel", &kernel, library, "put"));
  EXPECT_RESULT(abi::kNotFound, call("cuLibraryGetKernel", &kernel, library, "get"));
  ASSERT_OK(call("cuLibraryGetKernel", &kernel, library, "put"));
  const auto put_and_read = [&](std::uint32_t value, bool through_kernel) {
    abi::Function function = nullptr;
    EXPECT_OK(call("cuKernelGetFunction", &function, kernel));
    if (through_kernel) function = reinterpret_cast<abi::Function>(kernel);
    EXPECT_OK(launch(function, {}, {&value}));
    DevicePointer result = 0;
    std::size_t bytes = 0;
    EXPECT_OK(call("cuLibraryGetGlobal", &result, &bytes, library, "result"));
    std::uint32_t read = 0;
    EXPECT_OK(call("cuMemcpyDtoH_v2", static_cast<void*>(&read), result, sizeof read));
    return read;
  };
  EXPECT_EQ(put_and_read(11, false), 11u);
  abi::Context second = nullptr;
  ASSERT_OK(call("cuCtxCreate_v2", &second, 0u, abi::Device{0}));
  EXPECT_EQ(put_and_read(22, true), 22u);
  EXPECT_OK(call("cuCtxDestroy_v2", second));
  EXPECT_OK(call("cuCtxSetCurrent", context_));
  EXPECT_EQ(put_and_read(33, true), 33u);
  EXPECT_OK(call("cuLibraryUnload", library));
  EXPECT_RESULT(abi::kInvalidHandle, call("cuLibraryUnload", library));
}

}  // namespace
}  // namespace tare::conformance
