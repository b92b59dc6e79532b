// Loads libNVVM, and keeps it: it cannot be unloaded safely.
#include "compile/nvvm_library.hpp"

#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>

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
                "libNVVM of CUDA 11 or later is needed; set TARE_NVVM to such a one");
}

std::unique_ptr<NvvmLibrary> open_library(const fs::path& path) {
  std::string why;
  void* library = open_shared_library(path, why);
  if (library == nullptr)
    throw Error(
        ErrorKind::not_found, "cannot load " + path.string() + " as libNVVM: " + why,
        "a CUDA toolkit has it in nvvm/lib64/libnvvm.so; TARE_NVVM or JitOptions::compiler_path names it");
  auto nvvm = std::make_unique<NvvmLibrary>();
  nvvm->path = path;
  resolve(library, path, "nvvmVersion", nvvm->version);
  resolve(library, path, "nvvmGetErrorString", nvvm->error_string);
  resolve(library, path, "nvvmCreateProgram", nvvm->create);
  resolve(library, path, "nvvmDestroyProgram", nvvm->destroy);
  resolve(library, path, "nvvmAddModuleToProgram", nvvm->add);
  resolve(library, path, "nvvmLazyAddModuleToProgram", nvvm->add_lazily);
  resolve(library, path, "nvvmVerifyProgram", nvvm->verify);
  resolve(library, path, "nvvmCompileProgram", nvvm->compile);
  resolve(library, path, "nvvmGetProgramLogSize", nvvm->log_size);
  resolve(library, path, "nvvmGetProgramLog", nvvm->log);
  resolve(library, path, "nvvmGetCompiledResultSize", nvvm->result_size);
  resolve(library, path, "nvvmGetCompiledResult", nvvm->result);
  nvvm->version(&nvvm->major, &nvvm->minor);
  return nvvm;
}

}  // namespace

const NvvmLibrary& NvvmLibrary::load(const fs::path& path) {
  static std::mutex mutex;
  static std::map<fs::path, std::unique_ptr<NvvmLibrary>> loaded;
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const std::lock_guard lock(mutex);
  std::unique_ptr<NvvmLibrary>& entry = loaded[absolute];
  if (!entry) entry = open_library(absolute);
  return *entry;
}

}  // namespace tare::detail
