// Modules and functions: a parsed PTX text whose variables have memory in a context, and its kernels,
// each compiled when it is first asked for.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cpu/codegen/kernel.hpp"
#include "cpu/driver/abi.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/memory.hpp"
#include "cpu/ptx/module.hpp"
#include "cpu/runtime/worker_pool.hpp"

namespace tare::cpu {

struct ModuleObject;

/// What the launches of before CUDA 4 remember in a function between their calls.
struct StatefulLaunch {
  std::mutex mutex;
  std::array<unsigned, 3> block{1, 1, 1};
  unsigned shared_bytes = 0;
  std::vector<std::byte> parameters;
};

/// A kernel of a module.
struct FunctionObject {
  FunctionObject(std::shared_ptr<ModuleObject> owner, const ptx::Function& function);

  const std::shared_ptr<ModuleObject> module;
  const ptx::Function& entry;
  const codegen::KernelSizes sizes;
  Pace pace;

  // What cuFuncSetAttribute changes.
  std::atomic<std::size_t> dynamic_shared_limit;
  std::atomic<int> carveout{-1};
  StatefulLaunch stateful;

  /// The machine code, compiled now if need be (blocks for milliseconds); null if that failed:
  /// then `error` says why.
  const codegen::CompiledKernel* compiled();
  /// Without compiling: null where that has not been done.
  const codegen::CompiledKernel* compiled_already() const { return ready_.load(std::memory_order_acquire); }
  /// Set once compiled() has returned null.
  codegen::CompileError error;

  int max_threads_per_block() const;
  abi::Function handle() { return reinterpret_cast<abi::Function>(this); }

 private:
  std::once_flag once_;
  codegen::CompiledKernel kernel_;
  std::atomic<const codegen::CompiledKernel*> ready_{nullptr};
};

struct ModuleObject {
  std::weak_ptr<ContextObject> context;
  std::shared_ptr<const ptx::Module> ptx;                  // laid out
  std::shared_ptr<Allocation> globals, constants;          // null where the module has none
  std::vector<std::shared_ptr<FunctionObject>> functions;  // the entries, in the text's order

  std::shared_ptr<FunctionObject> find(const char* name) const;
  /// The variable's address and size; false if the module has none of this name.
  bool find_variable(const char* name, abi::DevicePointer& address, std::size_t& bytes) const;
  std::byte* address_of(const ptx::Variable& variable) const;
  abi::Module handle() { return reinterpret_cast<abi::Module>(this); }
};

/// The text of a load that failed or is worth a word, and the time it took.
struct LoadLog {
  std::string error;
  bool wants_errors = false;  // the caller gave a buffer for them
};

/// Whether all that a text declares has to be defined in it, as where it is loaded, or may be elsewhere.
enum class Completeness : bool { part, whole };

/// PTX text to a parsed, laid out module. On failure the code, with the log filled.
abi::Result parse_image(const void* image, std::shared_ptr<const ptx::Module>& parsed, LoadLog& log,
                        Completeness completeness = Completeness::whole);

/// Gives a parsed module memory in the context and enters it and its functions among the handles.
abi::Result instantiate(const std::shared_ptr<ContextObject>& context,
                        const std::shared_ptr<const ptx::Module>& parsed, LoadLog& log,
                        std::shared_ptr<ModuleObject>& out);

/// Takes the module and its functions from the handles; queued launches keep what they need.
void unload(const std::shared_ptr<ModuleObject>& module);
void unload_modules_of(const ContextObject& context);

/// The function of a handle, which may be a cuLibrary kernel's: then the one of the current context.
abi::Result find_function(abi::Function handle, std::shared_ptr<FunctionObject>& function);

/// One attribute of a function (cuFuncGetAttribute).
abi::Result function_attribute(const FunctionObject& function, abi::Enum number, int& value);
abi::Result set_function_attribute(FunctionObject& function, abi::Enum number, int value);
abi::Result parameter_info(const ptx::Function& entry, std::size_t index, std::size_t* offset,
                           std::size_t* bytes);

/// How many blocks of a function a multiprocessor holds at a time.
int blocks_per_multiprocessor(const FunctionObject& function, int block_size, std::size_t dynamic_shared);

}  // namespace tare::cpu
