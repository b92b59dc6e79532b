// The driver under test: TARE_DRIVER where that is set, else the one that this build made. Loaded
// with dlopen and called through its own names; nothing of libtare, nothing of the driver's sources
// but the types of its interface.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/driver/abi.hpp"

namespace tare::conformance {

namespace abi = cpu::abi;
using abi::DevicePointer;
using abi::Result;

std::string driver_path();
/// The address of an exported name; null if there is none.
void* symbol(const char* name);
/// "CUDA_ERROR_INVALID_VALUE (1)", for messages.
std::string name_of(Result code);
/// What the driver says about this thread's last failure.
std::string last_error();

/// Calls an exported function: call<Result>("cuMemAlloc_v2", &pointer, bytes). Arguments must have
/// the types of the function's parameters.
template <typename Return, typename... Arguments>
Return call_as(const char* name, Arguments... arguments) {
  void* const address = symbol(name);
  if (address == nullptr) throw std::runtime_error(std::string("no such export: ") + name);
  return reinterpret_cast<Return (*)(Arguments...)>(address)(arguments...);
}
template <typename... Arguments>
Result call(const char* name, Arguments... arguments) {
  return call_as<Result>(name, arguments...);
}

#define EXPECT_RESULT(expected, ...)                                                           \
  EXPECT_EQ(::tare::conformance::name_of(expected), ::tare::conformance::name_of(__VA_ARGS__)) \
      << ::tare::conformance::last_error()
#define ASSERT_RESULT(expected, ...)                                                           \
  ASSERT_EQ(::tare::conformance::name_of(expected), ::tare::conformance::name_of(__VA_ARGS__)) \
      << ::tare::conformance::last_error()
#define EXPECT_OK(...) EXPECT_RESULT(::tare::conformance::abi::kSuccess, __VA_ARGS__)
#define ASSERT_OK(...) ASSERT_RESULT(::tare::conformance::abi::kSuccess, __VA_ARGS__)

/// A test with the primary context of device 0 current; whatever it leaves behind goes with the context.
class WithContext : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  abi::Context context_ = nullptr;
};

/// Device memory of `count` elements; freed at the end of the scope.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    EXPECT_OK(call("cuMemAlloc_v2", &pointer_, count * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    EXPECT_OK(call("cuMemcpyHtoD_v2", pointer_, static_cast<const void*>(values.data()),
                   values.size() * sizeof(T)));
  }
  ~DeviceArray() { call("cuMemFree_v2", pointer_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  DevicePointer pointer() const { return pointer_; }
  DevicePointer* argument() { return &pointer_; }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    EXPECT_OK(call("cuMemcpyDtoH_v2", static_cast<void*>(values.data()), pointer_, count_ * sizeof(T)));
    return values;
  }

 private:
  DevicePointer pointer_ = 0;
  std::size_t count_;
};

/// `.version 8.0 .target sm_80 .address_size 64`, each on a line of its own, then the text: so the
/// text's first line is line 4.
std::string ptx(std::string_view text);

/// Loads PTX; fails the test if it is refused.
abi::Module load(const std::string& text);
abi::Function function_of(abi::Module module, const char* name);

struct Shape {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  abi::Stream stream = nullptr;
};
Result launch(abi::Function function, const Shape& shape, std::vector<void*> parameters);

/// Launches `name` of the text with the arguments, then synchronises.
template <typename... Arguments>
void run(const std::string& text, const char* name, const Shape& shape, Arguments*... arguments) {
  const abi::Function function = function_of(load(text), name);
  ASSERT_OK(launch(function, shape, {static_cast<void*>(arguments)...}));
  ASSERT_OK(call("cuCtxSynchronize"));
}

/// A word in page-locked memory that holds a stream back until open().
class Gate {
 public:
  Gate();
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  /// What follows in the stream waits for open().
  void hold(abi::Stream stream);
  void open();
  DevicePointer address() const { return reinterpret_cast<std::uintptr_t>(word_); }

 private:
  std::uint32_t* word_ = nullptr;
};

}  // namespace tare::conformance
