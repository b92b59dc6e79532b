// Libraries: modules that belong to no context. Each context that uses one gets its own instance.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cpu/driver/abi.hpp"
#include "cpu/driver/module.hpp"

namespace tare::cpu {

struct LibraryObject;

struct KernelObject {
  std::weak_ptr<LibraryObject> library;
  const ptx::Function* entry = nullptr;  // in the library's module
  abi::Kernel handle() { return reinterpret_cast<abi::Kernel>(this); }
};

struct LibraryObject {
  std::shared_ptr<const ptx::Module> ptx;
  std::vector<std::shared_ptr<KernelObject>> kernels;
  std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<ModuleObject>> instances;  // by the context's id
};

/// The library's module in the current context, made now if need be.
abi::Result module_of(LibraryObject& library, std::shared_ptr<ModuleObject>& module);
/// The kernel's function in the current context, compiled.
abi::Result function_of(const KernelObject& kernel, std::shared_ptr<FunctionObject>& function);

}  // namespace tare::cpu
