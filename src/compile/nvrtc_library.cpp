// Loads libnvrtc and, before it looks for them by name, the builtins from the same folder.
#include "compile/nvrtc_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "compile/locate.hpp"
#include "driver/shared_library.hpp"
#include "tare/error.hpp"

namespace tare::detail {
namespace fs = std::filesystem;
namespace {

template <class Function>
void resolve(void* library, const fs::path& path, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr)
    throw Error(ErrorKind::not_found, path.string() + " has no " + name,
                "NVRTC 11.2 or later is needed; set TARE_NVRTC to such a one");
}

void* open_library(const fs::path& path) {
  std::string why;
  void* library = open_shared_library(path, why);
  if (library == nullptr) throw Error(ErrorKind::not_found, "cannot load " + path.string() + ": " + why);
  return library;
}

/// NVRTC asks the loader for its builtins by exact name, and takes whatever the loader's cache has.
/// A library that is loaded already wins, so load the one that belongs to it.
fs::path load_builtins(const fs::path& nvrtc, const std::string& version) {
  const fs::path exact = nvrtc.parent_path() / ("libnvrtc-builtins.so." + version);
  std::error_code error;
  if (fs::exists(exact, error)) {
    open_library(exact);
    return exact;
  }
  throw Error(ErrorKind::not_found,
              nvrtc.string() + " is NVRTC " + version + ", but beside it lies " +
                  builtins_beside(nvrtc).filename().string() + " instead of " + exact.filename().string(),
              "reinstall NVRTC, or set TARE_NVRTC to a folder that has both");
}

std::unique_ptr<NvrtcLibrary> open_pair(const fs::path& path) {
  auto nvrtc = std::make_unique<NvrtcLibrary>();
  nvrtc->path = path;
  void* library = open_library(path);
  resolve(library, path, "nvrtcVersion", nvrtc->version);
  resolve(library, path, "nvrtcGetErrorString", nvrtc->error_string);
  resolve(library, path, "nvrtcCreateProgram", nvrtc->create);
  resolve(library, path, "nvrtcDestroyProgram", nvrtc->destroy);
  resolve(library, path, "nvrtcCompileProgram", nvrtc->compile);
  resolve(library, path, "nvrtcGetProgramLogSize", nvrtc->log_size);
  resolve(library, path, "nvrtcGetProgramLog", nvrtc->log);
  resolve(library, path, "nvrtcGetPTXSize", nvrtc->ptx_size);
  resolve(library, path, "nvrtcGetPTX", nvrtc->ptx);
  resolve(library, path, "nvrtcGetCUBINSize", nvrtc->cubin_size);
  resolve(library, path, "nvrtcGetCUBIN", nvrtc->cubin);
  resolve(library, path, "nvrtcAddNameExpression", nvrtc->add_name);
  resolve(library, path, "nvrtcGetLoweredName", nvrtc->lowered_name);
  nvrtc->version(&nvrtc->major, &nvrtc->minor);
  nvrtc->builtins = load_builtins(path, nvrtc->version_text());

  NvrtcResult (*count_of)(int*) = nullptr;
  NvrtcResult (*list_of)(int*) = nullptr;
  resolve(library, path, "nvrtcGetNumSupportedArchs", count_of);
  resolve(library, path, "nvrtcGetSupportedArchs", list_of);
  int count = 0;
  if (count_of(&count) == kNvrtcSuccess && count > 0) {
    nvrtc->architectures.resize(static_cast<std::size_t>(count));
    if (list_of(nvrtc->architectures.data()) != kNvrtcSuccess) nvrtc->architectures.clear();
    std::sort(nvrtc->architectures.begin(), nvrtc->architectures.end());
  }
  return nvrtc;
}

}  // namespace

const NvrtcLibrary& NvrtcLibrary::load(const fs::path& explicit_path) {
  static std::mutex mutex;
  static std::map<fs::path, std::unique_ptr<NvrtcLibrary>> loaded;
  const Tool tool = require(locate_nvrtc(explicit_path),
                            "install it (pip install 'nvidia-cuda-nvrtc==13.0.*'), or set TARE_NVRTC");
  std::error_code error;
  const fs::path path = fs::absolute(tool.path, error);
  const std::lock_guard lock(mutex);
  std::unique_ptr<NvrtcLibrary>& entry = loaded[path];
  if (!entry) entry = open_pair(path);
  return *entry;
}

}  // namespace tare::detail
