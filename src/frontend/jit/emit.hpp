// A traced program as NVVM IR text.
#pragma once

#include <string>

#include "frontend/jit/program.hpp"

namespace tare::detail {

/// What differs between the readers of NVVM IR.
struct IrDialect {
  /// libNVVM below compute_100 reads LLVM 7's IR, where a pointer has the type of what it points to; LLVM 19,
  /// and libNVVM from compute_100 on, read IR in which all pointers are `ptr`.
  bool typed_pointers = false;
  int architecture = 0;           // the device's, 90; 0: is not known
  bool ftz = false;               // intrinsics that have a form for it are called in that form
  bool ftz_in_text = false;       // LLVM is told so in the IR, libNVVM by an option
  bool approximate_sqrt = false;  // of floats: an option of libNVVM's has no effect on llvm.sqrt
  bool has_libdevice = false;     // else a function that needs it throws Error(unsupported)
};

struct EmittedIr {
  std::string text;
  bool uses_libdevice = false;
};

/// Throws Error(unsupported) naming the function where one needs NVIDIA's device library and there is none,
/// and for an operation that the architecture lacks.
EmittedIr emit_ir(const TracedProgram& program, const IrDialect& dialect);

}  // namespace tare::detail
