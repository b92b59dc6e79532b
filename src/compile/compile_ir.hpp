// NVVM IR in, PTX out: with libNVVM in this process, or with clang as a child process. clang's back end is
// LLVM's own, which libtare does not link: it would bring LLVM into every program that launches a kernel,
// while a child process costs only those that have no libNVVM, and is found and run as ClangProgram's is.
#pragma once

#include <string>

#include "tare/compile.hpp"
#include "tare/toolkit.hpp"

namespace tare::detail {

/// A kernel in NVVM IR; `libdevice` is linked in where it is not empty.
struct IrSource {
  std::string name;  // what logs call it
  std::string text;
  std::filesystem::path libdevice;
};

/// Of `options`: arch ("compute_90"), fmad, ftz, prec_div, prec_sqrt. The IR is verified before it is
/// compiled. Throws CompileError with libNVVM's log, Error(argument) for an architecture that it does not
/// know, Error(not_found) where it cannot be loaded.
Compiled compile_nvvm(const Tool& nvvm, const IrSource& source, const CompileOptions& options);

/// The same with clang's back end, for at most sm_90. `options.prec_sqrt` has no effect: which square root it
/// is stands in the IR.
Compiled compile_ir_clang(const Tool& clang, const IrSource& source, const CompileOptions& options);

}  // namespace tare::detail
