// Directories and environments of workers.
#include "compare/workspace.hpp"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "tare/error.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 24> kPassedOn{
    "PATH",
    "LD_LIBRARY_PATH",
    "CUDA_PATH",
    "CUDA_HOME",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_MODULE_LOADING",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_FORCE_PTX_JIT",
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVCC_CCBIN",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "USER",
    "LOGNAME",
    "TERM",
    "NO_COLOR",
    "ASAN_OPTIONS",
    "LSAN_OPTIONS",
    "UBSAN_OPTIONS",
    "TSAN_OPTIONS",
};

// What begins with TARE_ and would undo the isolation, or is the owner's alone.
bool is_owners_own(std::string_view name) {
  return name.starts_with("TARE_WORKER") || name.find("CACHE") != std::string_view::npos ||
         name == "TARE_ROWS_DIR";
}

}  // namespace

fs::path make_run_directory() {
  const char* const base = getenv("TMPDIR");
  std::string pattern = fs::absolute(base && *base ? base : "/tmp") / "tare-run-XXXXXX";
  if (!mkdtemp(pattern.data()))
    throw Error(ErrorKind::io, "cannot make a directory for the run, " + pattern + ": " + strerror(errno),
                "set TMPDIR to a directory that can be written");
  return pattern;
}

RunDirectory::~RunDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

IsolatedEnvironment isolate(const fs::path& home, const std::string& driver,
                            const std::map<std::string, std::string>& extra) {
  IsolatedEnvironment environment;
  auto& isolated = environment.isolated;
  isolated["HOME"] = home;
  constexpr std::array<std::pair<const char*, const char*>, 7> kFolders{{
      {"XDG_CACHE_HOME", "cache"},
      {"CUDA_CACHE_PATH", "cuda"},
      {"CUPY_CACHE_DIR", "cupy"},
      {"NUMBA_CACHE_DIR", "numba"},
      {"PYCUDA_CACHE_DIR", "pycuda"},
      {"TARE_CACHE_DIR", "tare"},
      {"TMPDIR", "tmp"},
  }};
  for (const auto& [variable, folder] : kFolders) {
    fs::create_directories(home / folder);
    isolated[variable] = home / folder;
  }
  isolated["PYTHONNOUSERSITE"] = "1";
  isolated["PYTHONDONTWRITEBYTECODE"] = "1";

  for (const std::string_view name : kPassedOn)
    if (const char* const value = getenv(std::string(name).c_str()))
      environment.all[std::string(name)] = value;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (equals != std::string_view::npos && name.starts_with("TARE_") && !is_owners_own(name))
      environment.all[std::string(name)] = text.substr(equals + 1);
  }
  if (!driver.empty()) environment.all["TARE_DRIVER"] = driver;
  for (const auto& [name, value] : isolated) environment.all[name] = value;
  for (const auto& [name, value] : extra) environment.all[name] = environment.isolated[name] = value;
  return environment;
}

std::size_t count_files(const fs::path& directory) {
  std::error_code none;
  std::size_t count = 0;
  for (fs::recursive_directory_iterator at(directory, none), end; !none && at != end; at.increment(none))
    if (at->is_regular_file(none)) ++count;
  return count;
}

}  // namespace tare::compare
