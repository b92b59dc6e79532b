// The choices that depend on the device and its driver.
#include "frontend/device_compile.hpp"

#include <algorithm>
#include <chrono>

#include "compile/nvrtc_library.hpp"
#include "compile/source_text.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"

namespace tare::detail {
namespace {

/// "compute_XX" of the highest known architecture below the device's; empty where the device's own is
/// known, or is older than all of them (then the compiler's own refusal says so).
std::string architecture_below(const std::string& device_arch, const std::vector<int>& known) {
  const auto device = parse_architecture(device_arch);
  if (!device || known.empty() || std::find(known.begin(), known.end(), device->number) != known.end())
    return {};
  int best = 0;
  for (const int number : known)
    if (number < device->number) best = std::max(best, number);
  return best == 0 ? "" : "compute_" + std::to_string(best);
}

}  // namespace

CompileOptions for_device(const PrimaryContext& context, CompileOptions options) {
  if (options.arch.empty()) options.arch = "sm_" + std::to_string(context.device().compute_capability());
  return options;
}

Code code_for_driver(Code wanted) {
  return driver_info().loads_ptx_only ? Code::ptx : wanted;
}

Compiled compile_nvrtc_for(const std::string& source, Code code, const std::vector<std::string>& names,
                           const CompileOptions& options, bool arch_from_device) {
  if (arch_from_device) {
    const NvrtcLibrary& nvrtc = NvrtcLibrary::load(options.compiler);
    CompileOptions older = options;
    older.arch = architecture_below(options.arch, nvrtc.architectures);
    if (!older.arch.empty()) return compile_nvrtc(source, Code::ptx, names, older);
  }
  return compile_nvrtc(source, code, names, options);
}

NvccResult run_nvcc_for(const std::string& source, Code code, const std::vector<std::string>& names,
                        const CompileOptions& options, bool arch_from_device, bool want_dependencies) {
  try {
    return run_nvcc(source, code, names, options, want_dependencies);
  } catch (const Error& error) {
    if (!arch_from_device || error.kind() != ErrorKind::argument) throw;
    CompileOptions older = options;
    older.arch = architecture_below(options.arch, nvcc_architectures(options));
    if (older.arch.empty()) throw;
    return run_nvcc(source, Code::ptx, names, older, want_dependencies);
  }
}

Module load_compiled(const PrimaryContext& context, const Compiled& compiled, double& load_ms) {
  constexpr int kUnsupportedPtxVersion = 222;
  const auto start = std::chrono::steady_clock::now();
  try {
    Module module = Module::load(context, compiled.image);
    load_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return module;
  } catch (const Error& error) {
    if (error.code() != kUnsupportedPtxVersion) throw;
    throw Error(error.kind(), error.what(),
                "the PTX was made by " + compiled.compiler + " (" + compiled.compiler_path +
                    ") for the driver " + driver_info().path +
                    ": use a compiler that is no newer than the driver, or update the driver",
                error.code(), error.code_name());
  }
}

Kernel find_kernel(const Module& module, const Compiled& compiled, const std::string& name) {
  const auto lowered = compiled.lowered_names.find(name);
  return module.kernel(lowered == compiled.lowered_names.end() ? name : lowered->second);
}

}  // namespace tare::detail
