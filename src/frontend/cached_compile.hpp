// "From the cache, else compiled": what RawKernel, SourceModule and tare::jit have in common.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cache/entry.hpp"
#include "cache/inputs.hpp"
#include "tare/cache.hpp"
#include "tare/raw_kernel.hpp"

namespace tare::detail {

struct CachedModule {
  Module module;
  RawKernel::Report report;
};

/// Compiles, and says in `entry` what came out and, for nvcc, which files were opened; in `doubt`, why it
/// must not be kept.
using MakeEntry = std::function<void(Entry& entry, std::string& doubt)>;

/// Looks up what `inputs` are the key of, else makes it; loads; keeps what loaded. Throws what `make` or the
/// load throws; never because of the cache.
CachedModule load_or_make(const PrimaryContext& context, KeyInputs inputs, const Cache& cache,
                          const MakeEntry& make);

/// The same for CUDA C++. A hit neither loads nor starts the compiler. Throws
/// what the compile or the load throws; never because of the cache.
CachedModule load_or_compile(CachedCompiler compiler, const PrimaryContext& context,
                             const std::string& source, const std::vector<std::string>& names,
                             const CompileOptions& options, const Cache& cache);

}  // namespace tare::detail
