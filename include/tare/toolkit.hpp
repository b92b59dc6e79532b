// Where the compilers are: NVRTC, nvcc, libNVVM, clang, and the CUDA headers. Nothing here loads the driver.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tare {

/// A place that was looked in for a tool, and what was found there.
struct Looked {
  std::string place;   // a path, or "PATH", "the loader's search path"
  std::string result;  // "found", "no such file", "libnvrtc.so.13 without its builtins", ...
};

/// One compiler found. `version` as it names itself ("13.0.88", "19.1.7").
struct Tool {
  std::filesystem::path path;
  std::string version;
  std::vector<Looked> looked;
};

/// Result of a search: the tool, or why there is none, in one line that names the places looked in:
/// "nvcc not found: looked in CUDA_PATH (not set), PATH, /usr/local/cuda*/bin".
struct Search {
  std::optional<Tool> tool;
  std::vector<Looked> looked;
  std::string reason;  // empty where found
  /// An explicit path was given, by argument or environment variable, so that nothing else was looked at.
  bool is_explicit = false;
};

/// Each search goes through, in this order: an explicit path (argument, else the environment variable
/// TARE_NVRTC / TARE_NVCC / TARE_NVVM / TARE_CLANG; an explicit path that is not usable ends the search),
/// CUDA_PATH and CUDA_HOME, NVIDIA's wheels in the active Python (VIRTUAL_ENV, CONDA_PREFIX, python3 on PATH)
/// and in the wheels folder of this build, the loader or PATH, /usr/local/cuda*. TARE_TOOLKIT_SEARCH=explicit
/// stops after the explicit path. nvcc and clang are run to be asked for their version, for at most 20 s
/// each.
Search find_nvrtc(const std::filesystem::path& explicit_path = {});
Search find_nvcc(const std::filesystem::path& explicit_path = {});
/// libNVVM, in nvvm/lib64, lib64 or lib of a toolkit. The version is the one in the file's name, "4".
Search find_nvvm(const std::filesystem::path& explicit_path = {});
Search find_clang(const std::filesystem::path& explicit_path = {});

/// The same; as soon as `stop_descriptor` is readable the program that is being asked is ended, and its
/// version stays unknown.
Search find_nvcc(const std::filesystem::path& explicit_path, int stop_descriptor);
Search find_clang(const std::filesystem::path& explicit_path, int stop_descriptor);

/// CUDA include directories that belong to the toolkit of `tool` (its include/ and include/cccl).
std::vector<std::filesystem::path> toolkit_include_dirs(const Tool& tool);

/// NVIDIA's device library of the toolkit that a libNVVM belongs to (nvvm/libdevice/libdevice.10.bc); empty
/// where it is not there.
std::filesystem::path libdevice_of(const Tool& nvvm);

}  // namespace tare
