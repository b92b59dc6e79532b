// The CPU device's exported query: how a libcuda says that it is the CPU device, and what code it loads. It
// is all that libtare knows of the CPU device.
#pragma once

#include <string>

namespace tare::detail {

inline constexpr const char* kCpuDeviceInfoSymbol = "tareCpuDeviceInfo";
inline constexpr const char* kCpuLastErrorSymbol = "tareCpuLastError";

/// `const char* tareCpuDeviceInfo(void)`: JSON text, for example
/// {"name":"tare CPU device","version":"0.1.0","code":["ptx"],"ptx":"9.0"}. The text is the library's.
using CpuDeviceInfoFunction = const char* (*)();
/// `const char* tareCpuLastError(void)`: details of the calling thread's last failed call, valid until its
/// next call.
using CpuLastErrorFunction = const char* (*)();

/// Whether the query's answer lists PTX as the only kind of code. False for text that is not such an answer.
bool takes_ptx_only(const std::string& answer);

}  // namespace tare::detail
