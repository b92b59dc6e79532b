// compile(): the object cache first, the code generator if need be, then the loader.
#include <algorithm>

#include "cpu/analysis/call_graph.hpp"
#include "cpu/analysis/flow.hpp"
#include "cpu/analysis/inline.hpp"
#include "cpu/analysis/spin.hpp"
#include "cpu/analysis/warp_steps.hpp"
#include "cpu/codegen/fingerprint.hpp"
#include "cpu/codegen/generate.hpp"
#include "cpu/codegen/kernel.hpp"
#include "cpu/codegen/loader.hpp"
#include "cpu/codegen/machine.hpp"

namespace tare::cpu::codegen {
namespace {

bool load(CompiledKernel& kernel, const std::vector<char>& object) {
  LoadedObject loaded = load_object({object.data(), object.size()}, kEntryPoint);
  if (loaded.function == nullptr) return false;
  kernel.run = reinterpret_cast<BlocksFunction>(loaded.function);
  kernel.code = std::move(loaded.memory);
  return true;
}

CompileError refused(const ptx::Function& entry, const analysis::CallRefusal& refusal) {
  return {true, refusal.line,
          refusal.what + " at line " + std::to_string(refusal.line) + " of kernel `" + entry.name +
              "` is not supported by the CPU device"};
}

/// Which of the device's own functions are called.
void find_services(const ptx::Module& module, const ptx::Function& entry, CompiledKernel& kernel) {
  for (const ptx::Instruction& instruction : entry.body) {
    if (instruction.op != ptx::Op::call || analysis::is_indirect(instruction)) continue;
    const std::string& name = module.functions[instruction.operands[1].symbol].name;
    kernel.prints |= name == "vprintf";
    kernel.allocates |= name == "malloc" || name == "free";
  }
}

std::variant<CompiledKernel, CompileError> compile_flat(const ptx::Module& module, const ptx::Function& entry,
                                                        const CompileOptions& options) {
  CompiledKernel kernel;
  const KernelLayout layout = layout_kernel(module, entry);
  kernel.static_shared_bytes = layout.static_shared_bytes;
  kernel.local_bytes_per_thread = layout.local_bytes_per_thread;
  kernel.has_stack = layout.has_stack;
  find_services(module, entry, kernel);
  kernel.has_barriers = std::any_of(entry.body.begin(), entry.body.end(), analysis::stops);
  const bool use_cache = options.use_object_cache && !options.object_cache_directory.empty();
  ObjectKey key{};
  if (use_cache) {
    key = fingerprint(module, entry, options, host().cpu + host().features);
    if (const auto found = find_object(options.object_cache_directory, key)) {
      kernel.frame_bytes_per_thread = found->frame_bytes_per_thread;
      kernel.from_object_cache = load(kernel, found->object);
      if (kernel.from_object_cache) return kernel;
    }
  }
  auto generated = generate(module, entry, layout, options);
  if (auto* error = std::get_if<CompileError>(&generated)) return std::move(*error);
  auto& object = std::get<GeneratedObject>(generated);
  kernel.frame_bytes_per_thread = object.frame_bytes_per_thread;
  if (!load(kernel, object.object)) {
    return CompileError{false, entry.line,
                        "the machine code of kernel `" + entry.name + "` could not be loaded"};
  }
  if (use_cache) {
    keep_object(options.object_cache_directory, key,
                {object.frame_bytes_per_thread, std::move(object.object)}, options.object_cache_bytes);
  }
  return kernel;
}

}  // namespace

std::variant<CompiledKernel, CompileError> compile(const ptx::Module& module, const ptx::Function& entry,
                                                   const CompileOptions& options) {
  auto flat = analysis::flatten(module, entry);
  if (const auto* refusal = std::get_if<analysis::CallRefusal>(&flat)) return refused(entry, *refusal);
  auto& function = std::get<ptx::Function>(flat);
  analysis::insert_warp_steps(function);
  analysis::insert_yields(function);
  return compile_flat(module, function, options);
}

}  // namespace tare::cpu::codegen
