// The environment in which a program finds the CPU device where it looks for NVIDIA's driver. Pure: what is
// there goes in, what is to be set comes out.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tare::cli {

struct WithCpuOptions {
  std::vector<std::string> command;  // the program and its arguments
  int devices = 0;                   // 0: as the environment says, else 1
  int threads = 0;                   // 0: as the environment says, else all cores
  std::string compute_capability;    // "8.0"; empty: as the environment says, else 9.0
  bool ptx_only = false;             // keep the program's compilers from making machine code
  bool quiet = false;
};

/// The value of an environment variable; empty where it is not set.
using Variables = std::function<std::string(const char*)>;

/// Variables to set, by name, for a program that is to run on the CPU device `library`, a path of a
/// libcuda.so.1. Throws UsageError where the loader could not find a library in that folder.
std::map<std::string, std::string> cpu_environment(const std::filesystem::path& library,
                                                   const WithCpuOptions& options, const Variables& now);

}  // namespace tare::cli
