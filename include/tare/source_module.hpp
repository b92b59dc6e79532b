// Eager compilation by a separate program, kept by checksum: the counterpart of PyCUDA's SourceModule.
#pragma once

#include <string>
#include <vector>

#include "tare/cache.hpp"
#include "tare/compile.hpp"
#include "tare/kernel.hpp"
#include "tare/raw_kernel.hpp"

namespace tare {

/// nvcc runs (or the cubin is taken from disk, by checksum) inside the constructor, which blocks.
class SourceModule {
 public:
  /// Template instances are given in `names`; plain extern "C" kernels need none.
  SourceModule(const PrimaryContext& context, const std::string& source, CompileOptions options = {},
               const std::vector<std::string>& names = {}, Cache cache = Cache());
  Kernel kernel(const std::string& name) const;
  const RawKernel::Report& report() const noexcept { return report_; }

 private:
  Module module_;
  RawKernel::Report report_;
};

}  // namespace tare
