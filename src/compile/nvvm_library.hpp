// libNVVM as we call it: our own declarations, loaded with dlopen.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tare::detail {

using NvvmProgram = struct NvvmProgramObject*;
using NvvmResult = int;

inline constexpr NvvmResult kNvvmSuccess = 0;
inline constexpr NvvmResult kNvvmInvalidOption = 7;

/// The loaded library. One per path, kept for the life of the process.
struct NvvmLibrary {
  std::filesystem::path path;
  int major = 0, minor = 0;  // of libNVVM itself: 2.0 came with CUDA 11 to 13

  NvvmResult (*version)(int* major, int* minor);
  const char* (*error_string)(NvvmResult);
  NvvmResult (*create)(NvvmProgram*);
  NvvmResult (*destroy)(NvvmProgram*);
  NvvmResult (*add)(NvvmProgram, const char* text, std::size_t size, const char* name);
  /// Only what the other modules call is taken from it: for libdevice.
  NvvmResult (*add_lazily)(NvvmProgram, const char* text, std::size_t size, const char* name);
  NvvmResult (*verify)(NvvmProgram, int count, const char* const* options);
  NvvmResult (*compile)(NvvmProgram, int count, const char* const* options);
  NvvmResult (*log_size)(NvvmProgram, std::size_t*);
  NvvmResult (*log)(NvvmProgram, char*);
  NvvmResult (*result_size)(NvvmProgram, std::size_t*);
  NvvmResult (*result)(NvvmProgram, char*);

  std::string version_text() const { return std::to_string(major) + "." + std::to_string(minor); }

  /// Loads it once. Throws Error(not_found).
  static const NvvmLibrary& load(const std::filesystem::path& path);
};

}  // namespace tare::detail
