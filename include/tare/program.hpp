// Explicit compilation with NVRTC or clang: you call compile(). The counterpart of cuda.core's Program.
#pragma once

#include <string>
#include <vector>

#include "tare/compile.hpp"
#include "tare/kernel.hpp"

namespace tare {

/// A compiled and loaded program: its kernels by the names asked for.
class LoadedProgram {
 public:
  LoadedProgram(const PrimaryContext& context, Compiled compiled);
  /// By name or name expression, as given to compile(). Throws Error(not_found).
  Kernel kernel(const std::string& name) const;
  const Compiled& compiled() const noexcept { return compiled_; }
  const Module& module() const noexcept { return module_; }
  double load_ms() const noexcept { return load_ms_; }

 private:
  Compiled compiled_;
  Module module_;
  double load_ms_ = 0;
};

/// CUDA C++ source that NVRTC compiles when you say so. Nothing is cached by us.
class Program {
 public:
  Program(const PrimaryContext& context, std::string source, CompileOptions options = {});
  /// Compiles and loads; blocks. On a driver that loads PTX only, Code::cubin is compiled as PTX.
  LoadedProgram compile(Code code, const std::vector<std::string>& names) const;

 private:
  PrimaryContext context_;
  std::string source_;
  CompileOptions options_;
};

/// The same with clang 19: always PTX, no NVIDIA software needed.
class ClangProgram {
 public:
  ClangProgram(const PrimaryContext& context, std::string source, CompileOptions options = {});
  LoadedProgram compile(const std::vector<std::string>& names) const;

 private:
  PrimaryContext context_;
  std::string source_;
  CompileOptions options_;
};

}  // namespace tare
