// Launching as it was before CUDA 4: block, shared memory and parameters are set in the function, one call
// each, and a launch takes them from there. PyCUDA still sets the block this way before every launch.
#include <cstring>
#include <vector>

#include "cpu/driver/api.hpp"
#include "cpu/driver/attributes.hpp"
#include "cpu/driver/module.hpp"

namespace tare::cpu {

using abi::Result;

// The launch itself is cuLaunchKernel's, with all its checks.
TARE_API Result cuLaunchKernel(abi::Function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                               unsigned by, unsigned bz, unsigned shared, abi::Stream s, void** parameters,
                               void** extra);

namespace {

template <typename Body>
Result with_function(abi::Function handle, Body body) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>&) -> Result {
    std::shared_ptr<FunctionObject> function;
    if (const Result found = find_function(handle, function); found != abi::kSuccess) return found;
    const std::scoped_lock lock(function->stateful.mutex);
    return body(*function);
  });
}

Result set_parameter(abi::Function handle, int offset, const void* value, std::size_t bytes) {
  return with_function(handle, [&](FunctionObject& function) -> Result {
    if (offset < 0 || value == nullptr) return abi::kInvalidValue;
    const std::size_t at = static_cast<std::size_t>(offset);
    if (bytes > kMaxParameterBytes || at > kMaxParameterBytes - bytes) return abi::kInvalidValue;
    std::vector<std::byte>& parameters = function.stateful.parameters;
    if (parameters.size() < at + bytes) parameters.resize(at + bytes);
    std::memcpy(parameters.data() + at, value, bytes);
    return abi::kSuccess;
  });
}

Result launch_grid(abi::Function handle, int width, int height, abi::Stream stream) {
  if (width <= 0 || height <= 0) return abi::kInvalidValue;
  std::array<unsigned, 3> block{};
  unsigned shared = 0;
  std::vector<std::byte> parameters;
  const Result known = with_function(handle, [&](FunctionObject& function) -> Result {
    block = function.stateful.block;
    shared = function.stateful.shared_bytes;
    parameters = function.stateful.parameters;
    return abi::kSuccess;
  });
  if (known != abi::kSuccess) return known;
  std::size_t bytes = parameters.size();
  parameters.resize(bytes + 1);  // a kernel without parameters still gets an address
  void* extra[] = {reinterpret_cast<void*>(abi::launch_param::buffer_pointer), parameters.data(),
                   reinterpret_cast<void*>(abi::launch_param::buffer_size), &bytes,
                   reinterpret_cast<void*>(abi::launch_param::end)};
  return cuLaunchKernel(handle, static_cast<unsigned>(width), static_cast<unsigned>(height), 1, block[0],
                        block[1], block[2], shared, stream, nullptr, extra);
}

}  // namespace

TARE_API Result cuFuncSetBlockShape(abi::Function handle, int x, int y, int z) {
  return with_function(handle, [&](FunctionObject& function) -> Result {
    if (x <= 0 || y <= 0 || z <= 0 || x > kMaxThreadsPerBlock || y > kMaxThreadsPerBlock || z > kMaxBlockZ ||
        x * y > kMaxThreadsPerBlock || x * y * z > kMaxThreadsPerBlock)
      return abi::kInvalidValue;
    function.stateful.block = {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
    return abi::kSuccess;
  });
}

TARE_API Result cuFuncSetSharedSize(abi::Function handle, unsigned bytes) {
  return with_function(handle, [&](FunctionObject& function) -> Result {
    function.stateful.shared_bytes = bytes;
    return abi::kSuccess;
  });
}

TARE_API Result cuParamSetSize(abi::Function handle, unsigned bytes) {
  return with_function(handle, [&](FunctionObject& function) -> Result {
    if (bytes > kMaxParameterBytes) return abi::kInvalidValue;
    function.stateful.parameters.resize(bytes);
    return abi::kSuccess;
  });
}
TARE_API Result cuParamSeti(abi::Function handle, int offset, unsigned value) {
  return set_parameter(handle, offset, &value, sizeof value);
}
TARE_API Result cuParamSetf(abi::Function handle, int offset, float value) {
  return set_parameter(handle, offset, &value, sizeof value);
}
TARE_API Result cuParamSetv(abi::Function handle, int offset, void* value, unsigned bytes) {
  return set_parameter(handle, offset, value, bytes);
}

TARE_API Result cuLaunch(abi::Function handle) {
  return launch_grid(handle, 1, 1, nullptr);
}
TARE_API Result cuLaunchGrid(abi::Function handle, int width, int height) {
  return launch_grid(handle, width, height, nullptr);
}
TARE_API Result cuLaunchGridAsync(abi::Function handle, int width, int height, abi::Stream stream) {
  return launch_grid(handle, width, height, stream);
}

}  // namespace tare::cpu
