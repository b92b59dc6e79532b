// `tare cache stats`, `clear` and `explain`: the compile cache that RawKernel, SourceModule and tare::jit
// keep. (The caches of `tare compare` are private to each run and gone after it.)
#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "compare/report/text.hpp"
#include "tare/cache.hpp"
#include "tare/device.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"

namespace tare::cli {
namespace {

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

/// The directory that was asked for, without making it: looking must not leave anything behind.
std::filesystem::path directory_of(const CacheOptions& options) {
  return options.directory.empty() ? Cache::default_directory() : options.directory;
}

bool is_there(const std::filesystem::path& directory) {
  std::error_code ignored;
  return std::filesystem::is_directory(directory, ignored);
}

std::string utc(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

/// What RawKernel or SourceModule would compile to here: PTX where the driver takes nothing else. With an
/// architecture given no driver is needed.
Code code_here(CompileOptions& compile) {
  try {
    const DriverInfo& driver = driver_info();
    if (compile.arch.empty()) compile.arch = fmt::format("sm_{}", Device().compute_capability());
    return driver.loads_ptx_only ? Code::ptx : Code::cubin;
  } catch (const Error&) {
    if (compile.arch.empty()) throw;
    return Code::cubin;
  }
}

/// What a look-up with these options is for. tare::jit compiles to PTX for a virtual architecture.
std::vector<CacheInput> wanted_inputs(const CacheOptions& options, const std::string& source,
                                      CompileOptions compile) {
  Code code = code_here(compile);
  std::vector<std::string> names;
  if (!options.kernel.empty()) names.push_back(options.kernel);
  CachedCompiler compiler = options.compiler == "nvcc" ? CachedCompiler::nvcc : CachedCompiler::nvrtc;
  if (options.compiler == "libnvvm" || options.compiler == "clang") {
    compiler = options.compiler == "clang" ? CachedCompiler::clang : CachedCompiler::libnvvm;
    code = Code::ptx;
    if (compile.arch.starts_with("sm_")) compile.arch.replace(0, 3, "compute_");
  }
  return cache_inputs(compiler, source, code, names, compile);
}

std::string or_none(const std::string& value) {
  return value.empty() ? "(none)" : value;
}

}  // namespace

int cache_stats_command(const CommandLine& line) {
  const std::filesystem::path directory = directory_of(line.cache);
  print("directory       " + directory.string() + '\n');
  if (!is_there(directory)) {
    print("                not there: nothing was kept yet\n");
    return 0;
  }
  const Cache cache(directory);
  if (const std::string reason = cache.unusable(); !reason.empty()) print("unusable        " + reason + '\n');
  const auto entries = cache.entries();
  const CacheCounters counters = cache.stats();
  print(fmt::format("entries         {}\n", entries.size()));
  print(fmt::format("size            {} of at most {}\n",
                    compare::binary_bytes(static_cast<double>(cache.total_bytes())),
                    compare::binary_bytes(static_cast<double>(Cache::kDefaultMaxBytes))));
  if (!entries.empty()) print("last used       " + utc(entries.front().last_used) + '\n');
  print(fmt::format("hits            {}\nmisses          {}\nstores          {}\n", counters.hits,
                    counters.misses, counters.stores));
  print(fmt::format("repaired        {}\nevicted         {}\nfailed writes   {}\n", counters.repaired,
                    counters.evicted, counters.write_failures));
  return 0;
}

int cache_clear_command(const CommandLine& line) {
  const std::filesystem::path directory = directory_of(line.cache);
  const std::size_t removed = is_there(directory) ? Cache(directory).clear() : 0;
  print(fmt::format("{} {} removed from {}\n", removed, removed == 1 ? "entry" : "entries",
                    directory.string()));
  return 0;
}

int cache_explain_command(const CommandLine& line) {
  const CacheOptions& options = line.cache;
  if (options.compiler != "nvcc" && options.kernel.empty())
    throw UsageError("tare cache explain needs --kernel: its name is a part of what is looked up");
  CompileOptions compile;
  compile.arch = options.arch;
  compile.defines = options.defines;
  compile.include_dirs = options.include_dirs;
  if (options.fp == "strict") compile.set_strict_fp();
  const auto inputs = wanted_inputs(options, read_file(options.source), std::move(compile));

  const std::filesystem::path directory = directory_of(options);
  if (!is_there(directory)) {
    print("would miss: there is no " + directory.string() + " yet\n");
    return 0;
  }
  const CacheExplanation explanation = Cache(directory).explain(inputs);
  print((explanation.present ? "would hit: " : "would miss: ") + explanation.key + '\n');
  if (explanation.present) return 0;
  if (explanation.nearest.empty()) {
    print("the cache is empty\n");
    return 0;
  }
  print("the nearest entry is " + explanation.nearest + "; it differs in\n");
  for (const auto& difference : explanation.differences)
    print(fmt::format("  {}: {} is wanted, {} is kept\n", difference.name, or_none(difference.wanted),
                      or_none(difference.kept)));
  return 0;
}

}  // namespace tare::cli
