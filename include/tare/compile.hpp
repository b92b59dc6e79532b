// CUDA C++ text in, cubin or PTX out: one set of options and one result for NVRTC, nvcc and clang.
// Nothing here needs a device; loading the result is the front ends' part.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tare {

enum class Code { cubin, ptx };

/// Options in the vocabulary that the compilers share. Unset ones are left to the compiler's default
/// and are not passed.
struct CompileOptions {
  std::string arch;  // "sm_90", "compute_90"; empty: the front end fills it in from the device
  std::string standard = "c++17";
  std::optional<bool> fmad, ftz, prec_div, prec_sqrt;
  std::optional<int> max_registers;
  std::vector<std::string> defines;                 // "NAME" or "NAME=VALUE"
  std::vector<std::filesystem::path> include_dirs;  // before the toolkit's own, in order
  std::vector<std::string> extra;                   // passed as they are, in order
  std::string file_name = "kernel.cu";              // what logs and #line call the source
  int first_line = 1;              // the source's first line in that file: logs show the file's own numbers
  std::filesystem::path compiler;  // explicit path of the compiler; empty: searched (toolkit.hpp)

  /// The strict floating-point contract: no contraction, no flush to zero, exact division and square root.
  void set_strict_fp() {
    fmad = false;
    ftz = false;
    prec_div = true;
    prec_sqrt = true;
  }
};

/// What a compile gave, and everything a record should say about it.
struct Compiled {
  Code code = Code::cubin;
  std::vector<std::byte> image;                      // PTX has no trailing NUL
  std::map<std::string, std::string> lowered_names;  // name expression -> symbol
  std::string log;                                   // warnings; kept on success too
  std::vector<std::string> options;                  // really passed, in order
  std::string compiler;                              // "NVRTC 13.0", "nvcc 13.0.88", "clang 19.1.7"
  std::string compiler_path;
  double compile_ms = 0;  // host time inside the compiler
};

/// Compiles with NVRTC in this process (loaded with dlopen, with its builtins from the same folder).
/// `names`: kernel names or template instances ("scale<float>"). Throws CompileError with the log,
/// Error(not_found) where there is no NVRTC, Error(argument) for an architecture it does not know (naming
/// those it does).
Compiled compile_nvrtc(const std::string& source, Code code, const std::vector<std::string>& names,
                       const CompileOptions& options);
/// nvcc as a child process: no shell, output captured, nothing left behind. Throws as compile_nvrtc.
Compiled compile_nvcc(const std::string& source, Code code, const std::vector<std::string>& names,
                      const CompileOptions& options);
/// clang 19 as a child process, with our own small device header; PTX only, for at most sm_90.
Compiled compile_clang(const std::string& source, const std::vector<std::string>& names,
                       const CompileOptions& options);
/// Loads NVRTC only (dlopen and version call), so that its cost can be told apart. Returns its version,
/// "13.0".
std::string load_nvrtc(const std::filesystem::path& explicit_path = {});

}  // namespace tare
