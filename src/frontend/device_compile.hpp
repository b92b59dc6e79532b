// Compiling for the device at hand: its architecture where none is given, PTX where the driver takes
// nothing else, and PTX of an older architecture where the compiler does not know the device's.
#pragma once

#include <string>
#include <vector>

#include "compile/nvcc_command.hpp"
#include "tare/compile.hpp"
#include "tare/kernel.hpp"

namespace tare::detail {

/// The options with the device's architecture filled in.
CompileOptions for_device(const PrimaryContext& context, CompileOptions options);

/// What to compile to: PTX where the driver loads nothing else.
Code code_for_driver(Code wanted);

/// As compile_nvrtc; a device that is newer than the compiler (`options.arch` came from the device) gets
/// PTX for the highest architecture that the compiler knows, which the driver then compiles on.
Compiled compile_nvrtc_for(const std::string& source, Code code, const std::vector<std::string>& names,
                           const CompileOptions& options, bool arch_from_device);
NvccResult run_nvcc_for(const std::string& source, Code code, const std::vector<std::string>& names,
                        const CompileOptions& options, bool arch_from_device, bool want_dependencies);

/// Module::load, with who made the code and where that lives added to a driver's refusal of the PTX's
/// version. `load_ms`: host time of the load.
Module load_compiled(const PrimaryContext& context, const Compiled& compiled, double& load_ms);

/// By the name that the program was compiled with, else by its symbol.
Kernel find_kernel(const Module& module, const Compiled& compiled, const std::string& name);

}  // namespace tare::detail
