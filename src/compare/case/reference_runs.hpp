// The two ways to run a case's reference function: compiled by the host's compiler as a program of its own,
// or as a kernel of one thread on the loaded device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/case/reference.hpp"

namespace tare::compare {

struct ReferenceRun {
  bool ran = false;
  std::string how;      // "reference() compiled by g++ 12.2.0 -O2 -ffp-contract=off"
  std::string problem;  // why it did not run: one line
  std::string log;      // of the compiler, where it refused the source
  std::vector<std::optional<HostBuffer>> outputs;
};

/// Compiles and runs the reference in child processes. Throws CaseError where the function does not take the
/// case's arguments, crashes, calls exit() or does not end within the limit (nor its compiler), and
/// Interrupted.
ReferenceRun run_on_host(const Job& job, const std::vector<HostBuffer>& inputs,
                         const ReferenceSettings& settings);

/// Through libtare and NVRTC or clang on the loaded device, in a process of its own (own_executable());
/// loads the driver if need be. Throws CaseError where the reference does not end within the limit, and
/// Interrupted.
ReferenceRun run_on_device(const Job& job, const std::vector<HostBuffer>& inputs,
                           const ReferenceSettings& settings);

/// C++ in front of a reference: CUDA's keywords, vector and 16-bit types as a host compiler can take them.
extern const char* const kHostPrelude;

/// `text` without #include lines of CUDA's own headers; every other line keeps its number.
std::string without_cuda_includes(const std::string& text);

/// A #line directive for the next line.
std::string line_directive(int line, const std::string& file);

}  // namespace tare::compare
