#include "cpu/driver/library.hpp"

#include <fstream>
#include <iterator>

#include "cpu/driver/api.hpp"
#include "cpu/driver/jit_options.hpp"

namespace tare::cpu {

using abi::Result;

Result module_of(LibraryObject& library, std::shared_ptr<ModuleObject>& module) {
  std::shared_ptr<ContextObject> context;
  if (const Result state = current_context(context); state != abi::kSuccess) return state;
  const std::scoped_lock lock(library.mutex);
  auto& slot = library.instances[context->id];
  if (!slot) {
    LoadLog log;
    if (const Result made = instantiate(context, library.ptx, log, slot); made != abi::kSuccess) return made;
  }
  module = slot;
  return abi::kSuccess;
}

Result function_of(const KernelObject& kernel, std::shared_ptr<FunctionObject>& function) {
  const auto library = kernel.library.lock();
  if (!library) return abi::kInvalidHandle;
  std::shared_ptr<ModuleObject> module;
  if (const Result found = module_of(*library, module); found != abi::kSuccess) return found;
  function = module->find(kernel.entry->name.c_str());
  if (!function) return abi::kNotFound;
  function->compiled();
  return abi::kSuccess;
}

namespace {

Result load(abi::Library* out, const void* code, const JitOptions& options) {
  return entry([&](Process& process) -> Result {
    if (out == nullptr || code == nullptr) return abi::kInvalidValue;
    LoadLog log;
    auto library = std::make_shared<LibraryObject>();
    const Result result = parse_image(code, library->ptx, log);
    options.write(log.error, {}, 0.0f);
    if (result != abi::kSuccess) return result;
    for (const ptx::Function& function : library->ptx->functions) {
      if (!function.is_entry || function.is_extern) continue;
      auto kernel = std::make_shared<KernelObject>();
      kernel->library = library;
      kernel->entry = &function;
      library->kernels.push_back(kernel);
      process.kernels.add(std::move(kernel));
    }
    *out = reinterpret_cast<abi::Library>(library.get());
    process.libraries.add(std::move(library));
    return abi::kSuccess;
  });
}

template <typename Body>
Result with_library(abi::Library handle, Body body) {
  return entry([&](Process& process) -> Result {
    const auto library = process.libraries.find(handle);
    if (!library) return abi::kInvalidHandle;
    return body(*library);
  });
}

template <typename Body>
Result with_kernel(abi::Kernel handle, Body body) {
  return entry([&](Process& process) -> Result {
    const auto kernel = process.kernels.find(handle);
    if (!kernel) return abi::kInvalidHandle;
    return body(*kernel);
  });
}

/// Kernels are asked about per device, which here means in the current context.
Result function_on(const KernelObject& kernel, abi::Device device,
                   std::shared_ptr<FunctionObject>& function) {
  if (!Process::get().has_device(device)) return abi::kInvalidDevice;
  return function_of(kernel, function);
}

}  // namespace

TARE_API Result cuLibraryLoadData(abi::Library* out, const void* code, const abi::Enum* jit_options,
                                  void** jit_values, unsigned jit_count, const abi::Enum* library_options,
                                  void** library_values, unsigned library_count) {
  if (library_count != 0 && (library_options == nullptr || library_values == nullptr))
    return fail(abi::kInvalidValue);
  JitOptions options;
  if (const Result read = options.read(jit_count, jit_options, jit_values); read != abi::kSuccess)
    return read;
  return load(out, code, options);
}

TARE_API Result cuLibraryLoadFromFile(abi::Library* out, const char* path, const abi::Enum* jit_options,
                                      void** jit_values, unsigned jit_count, const abi::Enum*, void**,
                                      unsigned) {
  if (path == nullptr) return fail(abi::kInvalidValue);
  JitOptions options;
  if (const Result read = options.read(jit_count, jit_options, jit_values); read != abi::kSuccess)
    return read;
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(abi::kFileNotFound, std::string("cannot open ") + path);
  const std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return load(out, image.c_str(), options);
}

TARE_API Result cuLibraryUnload(abi::Library handle) {
  return entry([&](Process& process) -> Result {
    const auto library = process.libraries.remove(handle);
    if (!library) return abi::kInvalidHandle;
    for (const auto& kernel : library->kernels) process.kernels.remove(kernel.get());
    const std::scoped_lock lock(library->mutex);
    for (const auto& [id, module] : library->instances) {
      const auto context = module->context.lock();
      if (!context || context->destroyed.load()) continue;
      context->synchronise();
      unload(module);
    }
    library->instances.clear();
    return abi::kSuccess;
  });
}

TARE_API Result cuLibraryGetKernel(abi::Kernel* out, abi::Library handle, const char* name) {
  return with_library(handle, [&](LibraryObject& library) -> Result {
    if (out == nullptr || name == nullptr) return abi::kInvalidValue;
    for (const auto& kernel : library.kernels) {
      if (kernel->entry->name != name) continue;
      *out = kernel->handle();
      return abi::kSuccess;
    }
    return fail(abi::kNotFound, std::string("the library has no kernel `") + name + "`");
  });
}

TARE_API Result cuLibraryGetKernelCount(unsigned* count, abi::Library handle) {
  return with_library(handle, [&](LibraryObject& library) -> Result {
    if (count == nullptr) return abi::kInvalidValue;
    *count = static_cast<unsigned>(library.kernels.size());
    return abi::kSuccess;
  });
}

TARE_API Result cuLibraryEnumerateKernels(abi::Kernel* out, unsigned count, abi::Library handle) {
  return with_library(handle, [&](LibraryObject& library) -> Result {
    if (out == nullptr || count == 0) return abi::kInvalidValue;
    for (unsigned i = 0; i < count && i < library.kernels.size(); ++i) out[i] = library.kernels[i]->handle();
    return abi::kSuccess;
  });
}

TARE_API Result cuLibraryGetModule(abi::Module* out, abi::Library handle) {
  return with_library(handle, [&](LibraryObject& library) -> Result {
    if (out == nullptr) return abi::kInvalidValue;
    std::shared_ptr<ModuleObject> module;
    if (const Result found = module_of(library, module); found != abi::kSuccess) return found;
    *out = module->handle();
    return abi::kSuccess;
  });
}

TARE_API Result cuLibraryGetGlobal(abi::DevicePointer* address, std::size_t* bytes, abi::Library handle,
                                   const char* name) {
  return with_library(handle, [&](LibraryObject& library) -> Result {
    if (name == nullptr || (address == nullptr && bytes == nullptr)) return abi::kInvalidValue;
    std::shared_ptr<ModuleObject> module;
    if (const Result found = module_of(library, module); found != abi::kSuccess) return found;
    abi::DevicePointer where = 0;
    std::size_t size = 0;
    if (!module->find_variable(name, where, size)) return abi::kNotFound;
    if (address != nullptr) *address = where;
    if (bytes != nullptr) *bytes = size;
    return abi::kSuccess;
  });
}

TARE_API Result cuKernelGetFunction(abi::Function* out, abi::Kernel handle) {
  return with_kernel(handle, [&](const KernelObject& kernel) -> Result {
    if (out == nullptr) return abi::kInvalidValue;
    std::shared_ptr<FunctionObject> function;
    if (const Result found = function_of(kernel, function); found != abi::kSuccess) return found;
    *out = function->handle();
    return abi::kSuccess;
  });
}

TARE_API Result cuKernelGetLibrary(abi::Library* out, abi::Kernel handle) {
  return with_kernel(handle, [&](const KernelObject& kernel) -> Result {
    const auto library = kernel.library.lock();
    if (out == nullptr || !library) return abi::kInvalidValue;
    *out = reinterpret_cast<abi::Library>(library.get());
    return abi::kSuccess;
  });
}

TARE_API Result cuKernelGetName(const char** name, abi::Kernel handle) {
  return with_kernel(handle, [&](const KernelObject& kernel) -> Result {
    if (name == nullptr) return abi::kInvalidValue;
    *name = kernel.entry->name.c_str();
    return abi::kSuccess;
  });
}

TARE_API Result cuKernelGetParamInfo(abi::Kernel handle, std::size_t index, std::size_t* offset,
                                     std::size_t* bytes) {
  return with_kernel(handle, [&](const KernelObject& kernel) {
    return parameter_info(*kernel.entry, index, offset, bytes);
  });
}

TARE_API Result cuKernelGetAttribute(int* value, abi::Enum number, abi::Kernel handle, abi::Device device) {
  return with_kernel(handle, [&](const KernelObject& kernel) -> Result {
    if (value == nullptr) return abi::kInvalidValue;
    std::shared_ptr<FunctionObject> function;
    if (const Result found = function_on(kernel, device, function); found != abi::kSuccess) return found;
    return function_attribute(*function, number, *value);
  });
}

TARE_API Result cuKernelSetAttribute(abi::Enum number, int value, abi::Kernel handle, abi::Device device) {
  return with_kernel(handle, [&](const KernelObject& kernel) -> Result {
    std::shared_ptr<FunctionObject> function;
    if (const Result found = function_on(kernel, device, function); found != abi::kSuccess) return found;
    return set_function_attribute(*function, number, value);
  });
}

TARE_API Result cuKernelSetCacheConfig(abi::Kernel handle, abi::Enum config, abi::Device device) {
  return with_kernel(handle, [&](const KernelObject&) -> Result {
    if (!Process::get().has_device(device)) return abi::kInvalidDevice;
    return config < 0 || config > 3 ? abi::kInvalidValue : abi::kSuccess;
  });
}

}  // namespace tare::cpu
