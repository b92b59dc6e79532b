// From a trace to a loaded module: by libNVVM or clang, or from the cache.
#pragma once

#include "frontend/jit/program.hpp"
#include "tare/jit.hpp"

namespace tare::detail {

/// Writes the IR, compiles it (or finds it in the cache, where `options` ask for that) and loads it into
/// `context`. Fills `made` but for the signature and the kernel, of which it needs the signature. Throws as
/// Program::compile().
Module make_module(const JitOptions& options, const TracedProgram& program, const PrimaryContext& context,
                   JitSpecialization& made);

}  // namespace tare::detail
