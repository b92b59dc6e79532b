// What the environment says about the CPU device: read once, when the driver is initialised.
// docs/cpu-device.md lists the variables.
#pragma once

#include <string>
#include <vector>

#include "cpu/codegen/kernel.hpp"
#include "cpu/runtime/capability.hpp"

namespace tare::cpu {

struct Settings {
  int devices = 1;              // TARE_CPU_DEVICES
  std::vector<int> visible{0};  // of them, in the order of their ordinals: CUDA_VISIBLE_DEVICES
  bool visible_twice = false;   // it names one twice; `visible` is empty
  const Capability* capability = find_capability(90);  // TARE_CPU_CC: "9.0", "8.6", ...; never null
  int threads = 1;                  // TARE_CPU_THREADS, else the cores this process may run on
  bool eager_loading = false;       // CUDA_MODULE_LOADING=EAGER
  bool tell_faults = false;         // TARE_CPU_FAULTS=1: faults and refusals are lines on stderr as well
  codegen::CompileOptions compile;  // TARE_CPU_TIER, TARE_CPU_OPT, CUDA_CACHE_PATH, _DISABLE, _MAXSIZE
  /// Of each variable that is set to what it cannot be: its text, and what it could be.
  std::vector<std::string> not_understood;
};

/// Reads the environment. A value that cannot be understood leaves the default, and is told in
/// `not_understood`.
Settings read_settings();

}  // namespace tare::cpu
