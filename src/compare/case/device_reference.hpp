// A reference that runs on the device, as the owner gives it to the process that runs it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compare/case/reference_runs.hpp"

namespace tare::compare {

/// The kernel that calls the reference.
inline constexpr const char* kReferenceEntry = "tare_reference_kernel";
/// `tare worker OPTION TASK MEMORY`: that process's command.
inline constexpr const char* kReferenceOption = "--reference";

struct DeviceReference {
  std::string name;                               // "reference()"
  std::string file_name;                          // the source's, in messages
  std::vector<std::string> for_nvrtc, for_clang;  // programs to try in this order, each with kReferenceEntry
  struct Argument {
    std::size_t offset = 0, bytes = 0;  // in the shared memory
    bool is_buffer = false, is_output = false;
  };
  std::vector<Argument> arguments;
};

/// The task's text, and the result's: all of a ReferenceRun but the outputs, which are in the memory.
std::string encode(const DeviceReference& task);
ReferenceRun decode_result(std::string_view text);
/// Where the result is written, beside the task.
std::filesystem::path result_file(const std::filesystem::path& task);

/// The process: reads the task, compiles, launches, waits, and writes outputs and result. Returns its exit
/// code.
int device_reference_main(const std::filesystem::path& task, const std::filesystem::path& memory);

}  // namespace tare::compare
