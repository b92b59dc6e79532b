// Where a driver library is looked for. Pure lists of paths: nothing here opens anything.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tare::detail {

/// Names and paths of NVIDIA's libcuda, in the order tried: the loader's own search first, then the folders
/// where containers, WSL and NixOS put it.
std::vector<std::string> real_driver_places();

/// What decides where the CPU device is looked for.
struct CpuDeviceSearch {
  std::string environment;           // TARE_CPU_DEVICE: a file, or empty
  std::filesystem::path executable;  // the running program
  std::filesystem::path library;     // the object that libtare's code is in; may be the executable
  std::filesystem::path
      packaged_device;  // the one of the package that the program was built against, or empty
  std::filesystem::path installed_device;  // where an install of this build puts the CPU device
};

/// Paths of the CPU device's libcuda.so.1, in the order tried, without repetition. TARE_CPU_DEVICE, where it
/// is set, is the only one.
std::vector<std::string> cpu_device_places(const CpuDeviceSearch& search);

/// The search that this process implies.
CpuDeviceSearch this_process();

}  // namespace tare::detail
