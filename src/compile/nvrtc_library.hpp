// NVRTC as we call it: our own declarations, loaded with dlopen together with its builtins.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tare::detail {

using NvrtcProgram = struct NvrtcProgramObject*;
using NvrtcResult = int;

inline constexpr NvrtcResult kNvrtcSuccess = 0;
inline constexpr NvrtcResult kNvrtcCompilation = 6;

/// The loaded library. One per path, kept for the life of the process: NVRTC cannot be unloaded safely.
struct NvrtcLibrary {
  std::filesystem::path path, builtins;
  int major = 0, minor = 0;
  std::vector<int> architectures;  // as numbers, ascending; empty before NVRTC 11.2

  NvrtcResult (*version)(int* major, int* minor);
  const char* (*error_string)(NvrtcResult);
  NvrtcResult (*create)(NvrtcProgram*, const char* source, const char* name, int headers,
                        const char* const* texts, const char* const* include_names);
  NvrtcResult (*destroy)(NvrtcProgram*);
  NvrtcResult (*compile)(NvrtcProgram, int count, const char* const* options);
  NvrtcResult (*log_size)(NvrtcProgram, std::size_t*);
  NvrtcResult (*log)(NvrtcProgram, char*);
  NvrtcResult (*ptx_size)(NvrtcProgram, std::size_t*);
  NvrtcResult (*ptx)(NvrtcProgram, char*);
  NvrtcResult (*cubin_size)(NvrtcProgram, std::size_t*);
  NvrtcResult (*cubin)(NvrtcProgram, char*);
  NvrtcResult (*add_name)(NvrtcProgram, const char* expression);
  NvrtcResult (*lowered_name)(NvrtcProgram, const char* expression, const char** lowered);

  std::string version_text() const { return std::to_string(major) + "." + std::to_string(minor); }

  /// Loads (once) the pair that the search finds. Throws Error(not_found) with every place looked in, and
  /// where the builtins beside it are of another version than the library says it is.
  static const NvrtcLibrary& load(const std::filesystem::path& explicit_path);
};

}  // namespace tare::detail
