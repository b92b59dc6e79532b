// The three compilers behind one name each, and the PTX that they make of a kernel's source.
#pragma once

#include <array>
#include <string>

#include "complete.hpp"

namespace tare::kernels {

enum class Compiler { nvrtc, nvcc, clang };
inline constexpr std::array kCompilers{Compiler::nvrtc, Compiler::nvcc, Compiler::clang};

std::string to_string(Compiler compiler);
/// Why this compiler cannot be used here; empty where it can.
std::string why_missing(Compiler compiler);
/// PTX for sm_90 under the strict floating-point contract, from NAME.cu in `folder`. Blocks. Throws
/// CompileError with the log, Error(not_found) where the compiler is missing, Error(io) without the source.
Compiled compile(const Complete& kernel, Compiler compiler, const std::string& folder);

}  // namespace tare::kernels
