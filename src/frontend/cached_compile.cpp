// One look-up, at most one compile, and the rules for what may be kept.
#include "frontend/cached_compile.hpp"

#include <sys/stat.h>

#include <chrono>
#include <utility>

#include "cache/inputs.hpp"
#include "cache/opened_files.hpp"
#include "cache/store.hpp"
#include "frontend/device_compile.hpp"
#include "tare/error.hpp"

namespace tare::detail {
namespace {

/// Everything that one compile of CUDA C++ is about.
struct Request {
  CachedCompiler compiler;
  const std::string& source;
  const std::vector<std::string>& names;
  CompileOptions options;
  Code code;
  bool arch_from_device;
};

KeyInputs gather(const Request& request) {
  return gather_inputs(request.compiler, request.source, request.code, request.names, request.options);
}

void compile(const Request& request, const KeyInputs& inputs, Entry& entry, std::string& doubt) {
  if (request.compiler == CachedCompiler::nvrtc) {
    entry.compiled = compile_nvrtc_for(request.source, request.code, request.names, request.options,
                                       request.arch_from_device);
  } else {
    const auto start = std::chrono::system_clock::now();
    NvccResult result = run_nvcc_for(request.source, request.code, request.names, request.options,
                                     request.arch_from_device, inputs.has_includes);
    entry.compiled = std::move(result.compiled);
    if (inputs.has_includes)
      entry.opened = opened_files(result.dependencies, inputs.toolkit_dirs, start, doubt);
  }
  if (doubt.empty() && inputs.has_includes && key_of(gather(request).inputs) != key_of(inputs.inputs))
    doubt = "a header changed during the compile";
}

}  // namespace

CachedModule load_or_make(const PrimaryContext& context, KeyInputs inputs, const Cache& cache,
                          const MakeEntry& make) {
  const Key key = key_of(inputs.inputs);
  Cache::State& state = cache.state();
  CachedModule result;
  RawKernel::Report& report = result.report;
  if (!inputs.unknowable.empty()) {
    report.cache_result = "unusable: " + inputs.unknowable;
  } else {
    LookUp look = look_up(state, key);
    report.cache_result = look.result;
    if (look.found) {
      try {
        result.module = load_compiled(context, *look.found, report.load_ms);
        report.details = std::move(*look.found);
        return result;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::driver) throw;
        // Whole, but of no use to this driver: as good as damaged.
        set_aside(state, key);
        count(state, &CacheCounters::repaired);
        report.cache_result = "repaired";
      }
    }
  }

  Entry entry;
  std::string doubt = inputs.unknowable;
  make(entry, doubt);
  report.compiled = true;
  // Loaded before it is kept, so that code which the driver refuses never gets into the cache.
  result.module = load_compiled(context, entry.compiled, report.load_ms);
  report.details = entry.compiled;
  if (!doubt.empty()) {
    report.cache_result = "unusable: " + doubt;
    return result;
  }
  for (CacheInput& input : inputs.inputs) entry.inputs.push_back({input.name, short_form(input.value)});
  entry.headers_opened = std::move(inputs.headers_opened);
  entry.probed_absent = std::move(inputs.probed_absent);
  keep(state, key, entry);
  return result;
}

CachedModule load_or_compile(CachedCompiler compiler, const PrimaryContext& context,
                             const std::string& source, const std::vector<std::string>& names,
                             const CompileOptions& options, const Cache& cache) {
  const Request request{compiler,
                        source,
                        names,
                        for_device(context, options),
                        code_for_driver(Code::cubin),
                        options.arch.empty()};
  const KeyInputs inputs = gather(request);
  return load_or_make(context, inputs, cache, [&](Entry& entry, std::string& doubt) {
    detail::compile(request, inputs, entry, doubt);
  });
}

}  // namespace tare::detail
