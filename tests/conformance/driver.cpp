#include "conformance/driver.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace tare::conformance {
namespace {

void* library() {
  static void* const handle = [] {
    // Every kernel is compiled anew, so that the bits are those of this build's compiler.
    setenv("CUDA_CACHE_DISABLE", "1", 0);
    void* opened = dlopen(driver_path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) throw std::runtime_error(dlerror());
    return opened;
  }();
  return handle;
}

}  // namespace

std::string driver_path() {
  const char* chosen = std::getenv("TARE_DRIVER");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return TARE_BINARY_DIR "/lib/tare/cpu/libcuda.so.1";
}

void* symbol(const char* name) {
  return dlsym(library(), name);
}

std::string name_of(Result code) {
  const char* name = nullptr;
  call("cuGetErrorName", code, &name);
  return std::string(name == nullptr ? "no such code" : name) + " (" + std::to_string(code) + ")";
}

std::string last_error() {
  return call_as<const char*>("tareCpuLastError");
}

void WithContext::SetUp() {
  ASSERT_OK(call("cuInit", 0u));
  ASSERT_OK(call("cuDevicePrimaryCtxRetain", &context_, 0));
  ASSERT_OK(call("cuCtxSetCurrent", context_));
}

void WithContext::TearDown() {
  call("cuCtxSetCurrent", abi::Context{});
  EXPECT_OK(call("cuDevicePrimaryCtxRelease_v2", 0));
}

std::string ptx(std::string_view text) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + std::string(text);
}

abi::Module load(const std::string& text) {
  abi::Module module = nullptr;
  EXPECT_OK(call("cuModuleLoadData", &module, static_cast<const void*>(text.c_str())));
  return module;
}

abi::Function function_of(abi::Module module, const char* name) {
  abi::Function function = nullptr;
  EXPECT_OK(call("cuModuleGetFunction", &function, module, name));
  return function;
}

Result launch(abi::Function function, const Shape& shape, std::vector<void*> parameters) {
  return call("cuLaunchKernel", function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
              shape.block[1], shape.block[2], shape.shared_bytes, shape.stream,
              parameters.empty() ? nullptr : parameters.data(), static_cast<void**>(nullptr));
}

Gate::Gate() {
  void* memory = nullptr;
  EXPECT_OK(call("cuMemHostAlloc", &memory, std::size_t{64}, 0u));
  word_ = static_cast<std::uint32_t*>(memory);
  __atomic_store_n(word_, 0u, __ATOMIC_SEQ_CST);
}
Gate::~Gate() {
  open();
  call("cuMemFreeHost", static_cast<void*>(word_));
}
void Gate::hold(abi::Stream stream) {
  EXPECT_OK(call("cuStreamWaitValue32_v2", stream, address(), std::uint32_t{1}, 0u));
}
void Gate::open() {
  __atomic_store_n(word_, 1u, __ATOMIC_SEQ_CST);
}

}  // namespace tare::conformance
