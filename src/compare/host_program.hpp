// The `aot` row's library: a host .cu with the kernel and a <<<...>>> launch of it, compiled by nvcc before
// the row's worker starts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compare/case/job.hpp"
#include "compare/child.hpp"
#include "tare/toolkit.hpp"

namespace tare::compare {

/// The symbol in the library: int (void** arguments, const unsigned* grid, const unsigned* block,
/// unsigned dynamic_shared_bytes, void* stream), which returns the CUDA runtime's error code.
inline constexpr const char* kHostProgramSymbol = "tare_launch";

/// The text of the .cu.
std::string host_program_source(const Job& job);

struct HostProgram {
  std::filesystem::path library;  // empty where it could not be made
  std::string reason, log;        // why not
  std::vector<std::string> options;
  double compile_ms = 0;
};

/// Writes and compiles it in `folder`. Blocks for seconds; never throws because of the compiler.
HostProgram build_host_program(const Job& job, const Tool& nvcc, int compute_capability, bool strict_fp,
                               const std::vector<std::string>& include_dirs,
                               const std::filesystem::path& folder, const std::string& driver,
                               std::chrono::duration<double> limit, Guard& guard,
                               const Interrupts& interrupts);

}  // namespace tare::compare
