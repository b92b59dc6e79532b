// The options of `tare cache` and its commands.
#include <CLI/CLI.hpp>

#include "cli/options.hpp"

namespace tare::cli {
namespace {

constexpr const char* kCacheExamples = R"(
Examples:
  tare cache stats                          what is kept, and how often it was found
  tare cache clear                          remove what is kept
  tare cache explain my.cu --kernel saxpy --arch sm_90    why a look-up would miss
)";
constexpr const char* kCacheStatsExamples = R"(
Examples:
  tare cache stats
  tare cache stats --dir /mnt/scratch/tare
)";
constexpr const char* kCacheClearExamples = R"(
Examples:
  tare cache clear
  tare cache clear --dir /mnt/scratch/tare
)";
constexpr const char* kCacheExplainExamples = R"(
Examples:
  tare cache explain my.cu --kernel saxpy --arch sm_90
  tare cache explain my.cu --compiler nvcc -D BLOCK=128 -I include
  tare cache explain kernel.ll --compiler libnvvm --kernel kernel    of tare::jit: what kernel.ir() gives, in a file
)";

}  // namespace

void add_cache(CLI::App& app, CommandLine& line, RawTexts& raw) {
  app.footer(kCacheExamples);
  app.require_subcommand(1);
  CLI::App* stats = app.add_subcommand("stats", "What is kept, and how often it was found");
  CLI::App* clear = app.add_subcommand("clear", "Remove what is kept");
  CLI::App* explain = app.add_subcommand("explain", "Why a look-up would miss");
  for (CLI::App* each : {stats, clear, explain})
    each->add_option("--dir", raw.cache_directory,
                     "The cache's directory (default: TARE_CACHE_DIR, else XDG_CACHE_HOME/tare, else "
                     "HOME/.cache/tare)")
        ->type_name("DIR");
  stats->footer(kCacheStatsExamples);
  clear->footer(kCacheClearExamples);
  explain->footer(kCacheExplainExamples);
  stats->callback([&line] { line.command = Command::cache_stats; });
  clear->callback([&line] { line.command = Command::cache_clear; });
  explain->callback([&line] { line.command = Command::cache_explain; });
  explain->add_option("source", raw.cache_source, "The CUDA C++ source, or the IR of a kernel of tare::jit")
      ->type_name("FILE")
      ->required();
  explain
      ->add_option("--kernel", line.cache.kernel,
                   "The kernel's name, as given to RawKernel, SourceModule or JitOptions")
      ->type_name("NAME");
  explain
      ->add_option("--compiler", line.cache.compiler,
                   "nvrtc (RawKernel), nvcc (SourceModule), libnvvm or clang (tare::jit)")
      ->capture_default_str()
      ->type_name("NAME")
      ->check(one_of({"nvrtc", "nvcc", "libnvvm", "clang"}));
  explain->add_option("--arch", line.cache.arch, "The architecture, like sm_90 (default: the device's)")
      ->type_name("ARCH");
  explain->add_option("--fp", line.cache.fp, "default or strict")
      ->capture_default_str()
      ->type_name("NAME")
      ->check(one_of({"default", "strict"}));
  explain->add_option("-D,--define", line.cache.defines, "NAME or NAME=VALUE")
      ->type_name("MACRO")
      ->allow_extra_args(false);
  explain->add_option("-I,--include-dir", raw.include_dirs, "A folder of headers")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

}  // namespace tare::cli
