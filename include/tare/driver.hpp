// The CUDA driver in use: NVIDIA's libcuda, or the CPU device in its place. Loaded with dlopen at the
// first need and kept for the life of the process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tare {

struct DriverInfo {
  std::string path;                    // of the loaded libcuda
  int version = 0;                     // cuDriverGetVersion: 13000 is 13.0
  bool is_cpu_device = false;          // it answers the CPU device's query
  bool loads_ptx_only = false;         // it takes no machine code (from the same query)
  std::string cpu_device_info;         // the query's answer (JSON), else empty
  std::vector<std::string> looked_in;  // every place tried before, "PATH: why not"
};

/// Says which driver to load, before anything has loaded one: "gpu" (a real one, else an error),
/// "cpu" (the CPU device), a path, or "" for the default: `TARE_DRIVER` if set, else a real one if it
/// has a device, else the CPU device. Throws Error(argument) if a different driver is loaded already.
void choose_driver(std::string_view choice);

/// Loads the driver if need be (blocks for as long as cuInit takes) and describes it.
/// Throws Error(not_found) naming every place looked in, Error(driver) if cuInit fails,
/// Error(forked) in a child forked after the driver was initialised.
const DriverInfo& driver_info();

/// Devices that the driver shows. Throws as driver_info().
int device_count();

/// "lazy" (a kernel is loaded at its first use) or "eager"; empty where the driver does not tell. It is the
/// user's choice (`CUDA_MODULE_LOADING`); nothing here changes it. Throws as driver_info().
std::string module_loading();

}  // namespace tare

#ifdef TARE_PACKAGED_CPU_DEVICE
#include "tare/packaged_cpu_device.hpp"  // IWYU pragma: export
#endif
