// SourceModule: all of it happens in the constructor.
#include "tare/source_module.hpp"

#include "frontend/cached_compile.hpp"
#include "frontend/device_compile.hpp"

namespace tare {

SourceModule::SourceModule(const PrimaryContext& context, const std::string& source, CompileOptions options,
                           const std::vector<std::string>& names, Cache cache) {
  detail::CachedModule loaded =
      detail::load_or_compile(CachedCompiler::nvcc, context, source, names, options, cache);
  module_ = std::move(loaded.module);
  report_ = std::move(loaded.report);
}

Kernel SourceModule::kernel(const std::string& name) const {
  return detail::find_kernel(module_, report_.details, name);
}

}  // namespace tare
