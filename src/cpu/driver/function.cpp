// Functions: compiled when first needed, their attributes and their parameters.
#include <algorithm>

#include "cpu/driver/api.hpp"
#include "cpu/driver/attributes.hpp"
#include "cpu/driver/library.hpp"
#include "cpu/driver/module.hpp"
#include "cpu/runtime/floating_point.hpp"

namespace tare::cpu {

using abi::Result;

FunctionObject::FunctionObject(std::shared_ptr<ModuleObject> owner, const ptx::Function& function)
    : module(std::move(owner)),
      entry(function),
      sizes(codegen::sizes_of(*module->ptx, function)),
      dynamic_shared_limit(sizes.static_shared_bytes < kSharedBytesPerBlock
                               ? kSharedBytesPerBlock - sizes.static_shared_bytes
                               : 0) {}

const codegen::CompiledKernel* FunctionObject::compiled() {
  std::call_once(once_, [this] {
    Process& process = Process::get();
    // Counted, because the end of the process waits for the compiler.
    struct Count {
      std::atomic<int>& threads;
      explicit Count(std::atomic<int>& counter) : threads(counter) { threads.fetch_add(1); }
      ~Count() { threads.fetch_sub(1); }
    } const count(process.compiling);
    const DefaultFloatingPoint floating_point;
    auto result = codegen::compile(*module->ptx, entry, process.settings.compile);
    if (auto* failed = std::get_if<codegen::CompileError>(&result)) {
      error = std::move(*failed);
      return;
    }
    kernel_ = std::move(std::get<codegen::CompiledKernel>(result));
    ready_.store(&kernel_, std::memory_order_release);
  });
  return ready_.load(std::memory_order_acquire);
}

int FunctionObject::max_threads_per_block() const {
  const auto& bound = entry.reqntid[0] != 0 ? entry.reqntid : entry.maxntid;
  if (bound[0] == 0) return kMaxThreadsPerBlock;
  const std::uint64_t threads = std::uint64_t{bound[0]} * std::max(bound[1], 1u) * std::max(bound[2], 1u);
  return static_cast<int>(std::min<std::uint64_t>(threads, kMaxThreadsPerBlock));
}

Result find_function(abi::Function handle, std::shared_ptr<FunctionObject>& function) {
  if (handle == nullptr) return abi::kInvalidHandle;
  function = Process::get().functions.find(handle);
  if (function) return abi::kSuccess;
  // cuLaunchKernel and its like also take a kernel of a library in place of a function.
  const auto kernel = Process::get().kernels.find(handle);
  if (!kernel) return abi::kInvalidHandle;
  return function_of(*kernel, function);
}

Result function_attribute(const FunctionObject& function, abi::Enum number, int& value) {
  namespace attribute = abi::function_attribute;
  switch (number) {
    case attribute::max_threads_per_block:
      value = function.max_threads_per_block();
      break;
    case attribute::shared_size_bytes:
      value = static_cast<int>(function.sizes.static_shared_bytes);
      break;
    case attribute::const_size_bytes:
      value = static_cast<int>(function.sizes.constant_bytes);
      break;
    case attribute::local_size_bytes:
      value = static_cast<int>(function.sizes.local_bytes_per_thread);
      break;
    // A processor's registers are not a thread's: the least that a GPU would report stands in.
    case attribute::num_regs:
      value = 16;
      break;
    case attribute::ptx_version:
      value = function.module->ptx->target_sm;
      break;
    case attribute::binary_version:
      value = Process::get().settings.capability->number;
      break;
    case attribute::max_dynamic_shared_size_bytes:
      value = static_cast<int>(function.dynamic_shared_limit.load());
      break;
    case attribute::preferred_shared_memory_carveout:
      value = function.carveout.load();
      break;
    case attribute::required_cluster_width:
    case attribute::required_cluster_height:
    case attribute::required_cluster_depth:
      value = static_cast<int>(
          function.entry
              .reqnctapercluster[static_cast<std::size_t>(number - attribute::required_cluster_width)]);
      break;
    case attribute::cache_mode_ca:
    case attribute::cluster_size_must_be_set:
    case attribute::non_portable_cluster_size_allowed:
    case attribute::cluster_scheduling_policy_preference:
      value = 0;
      break;
    default:
      return abi::kInvalidValue;
  }
  return abi::kSuccess;
}

Result set_function_attribute(FunctionObject& function, abi::Enum number, int value) {
  namespace attribute = abi::function_attribute;
  switch (number) {
    case attribute::max_dynamic_shared_size_bytes:
      if (value < 0 || static_cast<std::size_t>(value) + function.sizes.static_shared_bytes >
                           Process::get().settings.capability->shared_per_block) {
        return abi::kInvalidValue;
      }
      function.dynamic_shared_limit.store(static_cast<std::size_t>(value));
      return abi::kSuccess;
    case attribute::preferred_shared_memory_carveout:
      if (value < -1 || value > 100) return abi::kInvalidValue;
      function.carveout.store(value);
      return abi::kSuccess;
    case attribute::required_cluster_width:
    case attribute::required_cluster_height:
    case attribute::required_cluster_depth:
    case attribute::non_portable_cluster_size_allowed:
    case attribute::cluster_scheduling_policy_preference:
      return fail(abi::kNotSupported, "the CPU device has no clusters");
    default:
      return abi::kInvalidValue;
  }
}

Result parameter_info(const ptx::Function& entry, std::size_t index, std::size_t* offset,
                      std::size_t* bytes) {
  if (offset == nullptr || index >= entry.parameters.size()) return abi::kInvalidValue;
  *offset = entry.parameters[index].offset;
  if (bytes != nullptr) *bytes = entry.parameters[index].size;
  return abi::kSuccess;
}

namespace {

template <typename Body>
Result with_function(abi::Function handle, Body body) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>&) -> Result {
    std::shared_ptr<FunctionObject> function;
    if (const Result found = find_function(handle, function); found != abi::kSuccess) return found;
    return body(*function);
  });
}

}  // namespace

TARE_API Result cuFuncGetAttribute(int* value, abi::Enum number, abi::Function handle) {
  return with_function(handle, [&](const FunctionObject& function) -> Result {
    if (value == nullptr) return abi::kInvalidValue;
    return function_attribute(function, number, *value);
  });
}

TARE_API Result cuFuncSetAttribute(abi::Function handle, abi::Enum number, int value) {
  return with_function(
      handle, [&](FunctionObject& function) { return set_function_attribute(function, number, value); });
}

TARE_API Result cuFuncGetName(const char** name, abi::Function handle) {
  return with_function(handle, [&](const FunctionObject& function) -> Result {
    if (name == nullptr) return abi::kInvalidValue;
    *name = function.entry.name.c_str();
    return abi::kSuccess;
  });
}

TARE_API Result cuFuncGetModule(abi::Module* out, abi::Function handle) {
  return with_function(handle, [&](const FunctionObject& function) -> Result {
    if (out == nullptr) return abi::kInvalidValue;
    *out = function.module->handle();
    return abi::kSuccess;
  });
}

TARE_API Result cuFuncGetParamInfo(abi::Function handle, std::size_t index, std::size_t* offset,
                                   std::size_t* bytes) {
  return with_function(handle, [&](const FunctionObject& function) {
    return parameter_info(function.entry, index, offset, bytes);
  });
}

TARE_API Result cuFuncSetCacheConfig(abi::Function handle, abi::Enum config) {
  return with_function(handle, [&](const FunctionObject&) -> Result {
    return config < 0 || config > 3 ? abi::kInvalidValue : abi::kSuccess;
  });
}

TARE_API Result cuFuncSetSharedMemConfig(abi::Function handle, abi::Enum config) {
  return with_function(handle, [&](const FunctionObject&) -> Result {
    return config < 0 || config > 2 ? abi::kInvalidValue : abi::kSuccess;
  });
}

TARE_API Result cuFuncIsLoaded(abi::Enum* state, abi::Function handle) {
  return with_function(handle, [&](const FunctionObject& function) -> Result {
    if (state == nullptr) return abi::kInvalidValue;
    *state = function.compiled_already() != nullptr ? 1 : 0;
    return abi::kSuccess;
  });
}

TARE_API Result cuFuncLoad(abi::Function handle) {
  return with_function(handle, [](FunctionObject& function) -> Result {
    if (function.compiled() != nullptr) return abi::kSuccess;
    return fail(function.error.unsupported ? abi::kNotSupported : abi::kInvalidPtx, function.error.message);
  });
}

}  // namespace tare::cpu
