// Everything that goes into a key, and the manifest that comes with it.
#pragma once

#include <string>
#include <vector>

#include "cache/include_scan.hpp"
#include "tare/cache.hpp"

namespace tare::detail {

struct KeyInputs {
  std::vector<CacheInput> inputs;
  std::vector<std::string> headers_opened, probed_absent;
  bool has_includes = false;
  std::string unknowable;  // why this compile cannot be cached; empty where it can
  std::vector<std::filesystem::path> toolkit_dirs;
};

/// As the public cache_inputs() for NVRTC and nvcc, with the manifest, and with `unknowable` in place of the
/// exception.
KeyInputs gather_inputs(CachedCompiler compiler, const std::string& source, Code code,
                        const std::vector<std::string>& names, const CompileOptions& options);

/// A compile of a traced kernel: its NVVM IR is all of its source.
struct IrCompile {
  std::string name, ir;
  bool with_clang = false;                       // else with libNVVM
  std::vector<std::filesystem::path> compilers;  // libNVVM; or every clang that would be asked, in order
  std::filesystem::path libdevice;               // that is linked in; empty: none
  CompileOptions options;
};

/// The same compile, of IR whose text is all that is known of it. Throws Error(not_found) where the compiler
/// is absent.
IrCompile ir_compile(bool with_clang, const std::string& ir, const std::string& name, CompileOptions options);

/// Its inputs: nothing is started, loaded or read whole. The IR holds every constant and every type, so a
/// file's time stamp counts nowhere but in the compiler's own identity.
KeyInputs gather_inputs(const IrCompile& compile);

/// The options alone, one input per field.
std::vector<CacheInput> option_inputs(const CompileOptions& options);

}  // namespace tare::detail
