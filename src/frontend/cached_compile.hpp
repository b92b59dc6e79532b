// "From the cache, else compiled": what RawKernel and SourceModule have in common.
#pragma once

#include <string>
#include <vector>

#include "tare/cache.hpp"
#include "tare/raw_kernel.hpp"

namespace tare::detail {

struct CachedModule {
  Module module;
  RawKernel::Report report;
};

/// Looks up, else compiles; loads; keeps what loaded. A hit neither loads nor starts the compiler. Throws
/// what the compile or the load throws; never because of the cache.
CachedModule load_or_compile(CachedCompiler compiler, const PrimaryContext& context,
                             const std::string& source, const std::vector<std::string>& names,
                             const CompileOptions& options, const Cache& cache);

}  // namespace tare::detail
