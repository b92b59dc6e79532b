#include "cli/cpu_environment.hpp"

#include <vector>

#include "cli/command_line.hpp"

namespace tare::cli {
namespace {

/// `first` in front of a list that is separated by colons, once. An empty entry would be the current folder.
std::string in_front(const std::string& first, const std::string& list) {
  if (list.empty() || list == first || list.starts_with(first + ':')) return list.empty() ? first : list;
  return first + ':' + list;
}

/// The folder beside the CPU device that keeps compilers to PTX: an nvcc, and libraries named as nvJitLink
/// that have nothing in them, for numba-cuda and cuda.core to find loaded already and to pass over.
void keep_to_ptx(std::map<std::string, std::string>& set, const std::filesystem::path& folder,
                 const Variables& now) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "nvcc", ignored))
    throw UsageError("--ptx-only: " + folder.string() + " is missing",
                     "it belongs beside the CPU device's libcuda.so.1");
  set["PATH"] = in_front(folder, now("PATH"));
  std::string preload = now("LD_PRELOAD");
  for (const char* name : {"libnvJitLink.so.12", "libnvJitLink.so.13"})
    preload = in_front(folder / name, preload);
  set["LD_PRELOAD"] = preload;
}

}  // namespace

std::map<std::string, std::string> cpu_environment(const std::filesystem::path& library,
                                                   const WithCpuOptions& options, const Variables& now) {
  const std::filesystem::path folder = library.parent_path();
  if (library.filename() != "libcuda.so.1")
    throw UsageError(library.string() + " is not called libcuda.so.1, so programs would not find it",
                     "rename it, or take the CPU device that is beside tare (unset TARE_CPU_DEVICE)");
  // The loader takes lists of libraries apart at these, and has no way to quote them.
  const char* const separators = options.ptx_only ? ":; " : ":;";
  if (folder.string().find_first_of(separators) != std::string::npos)
    throw UsageError("the loader cannot search a folder of this name: " + folder.string(),
                     "move the CPU device to a folder without colons, semicolons and spaces in its name");
  std::map<std::string, std::string> set{{"LD_LIBRARY_PATH", in_front(folder, now("LD_LIBRARY_PATH"))},
                                         {"TARE_DRIVER", library}};
  if (!now("NUMBA_CUDA_DRIVER").empty()) set["NUMBA_CUDA_DRIVER"] = library;
  if (options.devices > 0) set["TARE_CPU_DEVICES"] = std::to_string(options.devices);
  if (options.threads > 0) set["TARE_CPU_THREADS"] = std::to_string(options.threads);
  if (!options.compute_capability.empty()) set["TARE_CPU_CC"] = options.compute_capability;
  if (!options.quiet && now("TARE_CPU_FAULTS").empty()) set["TARE_CPU_FAULTS"] = "1";
  if (options.ptx_only) keep_to_ptx(set, folder / "ptx-only", now);
  return set;
}

}  // namespace tare::cli
