// NVIDIA's device library (libdevice): LLVM bitcode, which lies in a toolkit beside libNVVM.
#pragma once

#include <filesystem>
#include <string>

namespace tare::detail {

/// Its bytes. Throws Error(io) for a file that is no whole bitcode: libNVVM would end the process over such a
/// one.
std::string read_device_library(const std::filesystem::path& file);

}  // namespace tare::detail
