#include "cpu/driver/module.hpp"

#include <fstream>
#include <iterator>

#include "cpu/driver/api.hpp"
#include "cpu/driver/jit_options.hpp"
#include "cpu/runtime/host.hpp"

namespace tare::cpu {

using abi::Result;

std::byte* ModuleObject::address_of(const ptx::Variable& variable) const {
  const auto& segment = variable.space == ptx::Space::global     ? globals
                        : variable.space == ptx::Space::constant ? constants
                                                                 : nullptr;
  return segment ? segment->base + variable.offset : nullptr;
}

std::shared_ptr<FunctionObject> ModuleObject::find(const char* name) const {
  for (const auto& function : functions) {
    if (function->entry.name == name) return function;
  }
  return nullptr;
}

bool ModuleObject::find_variable(const char* name, abi::DevicePointer& address, std::size_t& bytes) const {
  for (const ptx::Variable& variable : ptx->variables) {
    std::byte* const base = variable.name == name ? address_of(variable) : nullptr;
    if (base == nullptr) continue;
    address = reinterpret_cast<std::uintptr_t>(base);
    bytes = variable.size;
    return true;
  }
  return false;
}

void unload(const std::shared_ptr<ModuleObject>& module) {
  Process& process = Process::get();
  process.modules.remove(module.get());
  for (const auto& function : module->functions) process.functions.remove(function.get());
  for (const auto& segment : {module->globals, module->constants}) {
    if (segment) process.addresses.remove(reinterpret_cast<std::uintptr_t>(segment->base));
  }
  // Functions own their module: this ends the circle.
  module->functions.clear();
}

void unload_modules_of(const ContextObject& context) {
  for (const auto& module : Process::get().modules.all()) {
    if (module->context.lock().get() == &context) unload(module);
  }
}

namespace {

/// The load itself, with its log in the caller's buffers.
Result load(abi::Module* out, const void* image, const JitOptions& options) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>& context) -> Result {
    if (out == nullptr || image == nullptr) return abi::kInvalidValue;
    const std::int64_t begin = now_ns();
    LoadLog log;
    log.wants_errors = options.wants_errors();
    std::shared_ptr<const ptx::Module> parsed;
    std::shared_ptr<ModuleObject> module;
    Result result = parse_image(image, parsed, log);
    if (result == abi::kSuccess) result = instantiate(context, parsed, log, module);
    options.write(log.error, {}, static_cast<float>(static_cast<double>(now_ns() - begin) / 1e6));
    if (result == abi::kSuccess) *out = module->handle();
    return result;
  });
}

template <typename Body>
Result with_module(abi::Module handle, Body body) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    const auto module = process.modules.find(handle);
    if (!module) return abi::kInvalidHandle;
    return body(module);
  });
}

}  // namespace

TARE_API Result cuModuleLoadData(abi::Module* out, const void* image) {
  return load(out, image, {});
}

TARE_API Result cuModuleLoadDataEx(abi::Module* out, const void* image, unsigned count,
                                   const abi::Enum* options, void** values) {
  JitOptions read;
  if (const Result result = read.read(count, options, values); result != abi::kSuccess) return result;
  return load(out, image, read);
}

/// A fat binary holds machine code, or PTX in NVIDIA's own compression: neither is for this device.
TARE_API Result cuModuleLoadFatBinary(abi::Module* out, const void* image) {
  return load(out, image, {});
}

TARE_API Result cuModuleLoad(abi::Module* out, const char* path) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>&) -> Result {
    if (out == nullptr || path == nullptr) return abi::kInvalidValue;
    std::ifstream file(path, std::ios::binary);
    if (!file) return fail(abi::kFileNotFound, std::string("cannot open ") + path);
    const std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return load(out, image.c_str(), {});
  });
}

TARE_API Result cuModuleUnload(abi::Module handle) {
  return with_module(handle, [](const std::shared_ptr<ModuleObject>& module) -> Result {
    // As with cuMemFree: what was queued before still finds the module's variables.
    if (const auto context = module->context.lock()) {
      if (const Result state = context->synchronise(); state != abi::kSuccess) return state;
    }
    unload(module);
    return abi::kSuccess;
  });
}

TARE_API Result cuModuleGetFunction(abi::Function* out, abi::Module handle, const char* name) {
  return with_module(handle, [&](const std::shared_ptr<ModuleObject>& module) -> Result {
    if (out == nullptr || name == nullptr) return abi::kInvalidValue;
    const auto function = module->find(name);
    if (!function) return fail(abi::kNotFound, std::string("the module has no kernel `") + name + "`");
    // The compiler's time is spent here, where the module is made ready, not at the first launch. A
    // kernel that cannot be compiled is refused when it is launched.
    function->compiled();
    *out = function->handle();
    return abi::kSuccess;
  });
}

TARE_API Result cuModuleGetGlobal_v2(abi::DevicePointer* address, std::size_t* bytes, abi::Module handle,
                                     const char* name) {
  return with_module(handle, [&](const std::shared_ptr<ModuleObject>& module) -> Result {
    if (name == nullptr || (address == nullptr && bytes == nullptr)) return abi::kInvalidValue;
    abi::DevicePointer found = 0;
    std::size_t size = 0;
    if (!module->find_variable(name, found, size)) {
      return fail(abi::kNotFound, std::string("the module has no variable `") + name + "`");
    }
    if (address != nullptr) *address = found;
    if (bytes != nullptr) *bytes = size;
    return abi::kSuccess;
  });
}

TARE_API Result cuModuleGetFunctionCount(unsigned* count, abi::Module handle) {
  return with_module(handle, [&](const std::shared_ptr<ModuleObject>& module) -> Result {
    if (count == nullptr) return abi::kInvalidValue;
    *count = static_cast<unsigned>(module->functions.size());
    return abi::kSuccess;
  });
}

TARE_API Result cuModuleEnumerateFunctions(abi::Function* out, unsigned count, abi::Module handle) {
  return with_module(handle, [&](const std::shared_ptr<ModuleObject>& module) -> Result {
    if (out == nullptr || count == 0) return abi::kInvalidValue;
    for (unsigned i = 0; i < count && i < module->functions.size(); ++i)
      out[i] = module->functions[i]->handle();
    return abi::kSuccess;
  });
}

TARE_API Result cuModuleGetLoadingMode(abi::Enum* mode) {
  return entry([&](Process& process) -> Result {
    if (mode == nullptr) return abi::kInvalidValue;
    constexpr abi::Enum kEager = 1, kLazy = 2;
    *mode = process.settings.eager_loading ? kEager : kLazy;
    return abi::kSuccess;
  });
}

}  // namespace tare::cpu
