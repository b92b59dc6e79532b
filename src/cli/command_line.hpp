// The command line as data: what each command was asked for. Parsing knows of no command's work.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/cpu_environment.hpp"
#include "compare/options.hpp"
#include "compare/python/install.hpp"

namespace tare::cli {

enum class Command {
  compare,
  sweep,
  rows,
  rows_install,
  rows_download,
  init,
  with_cpu,
  cache_stats,
  cache_clear,
  cache_explain,
  doctor
};

struct InitOptions {
  std::filesystem::path cu;
  std::string kernel;            // empty: the only one
  std::filesystem::path output;  // empty: the .cu file's name with .toml; "-": standard output
};

struct CacheOptions {
  std::filesystem::path directory;  // empty: the default one
  // explain:
  std::filesystem::path source;
  std::string compiler = "nvrtc", kernel, arch, fp = "default";
  std::vector<std::string> defines;
  std::vector<std::filesystem::path> include_dirs;
};

struct CommandLine {
  Command command = Command::compare;
  compare::CompareOptions compare;  // compare, sweep, rows, doctor
  std::vector<std::int64_t> sizes;  // sweep
  InitOptions init;
  CacheOptions cache;
  WithCpuOptions with_cpu;
  compare::InstallOptions install;
  compare::DownloadOptions download;
  bool rows_json = false;  // rows --json
  bool no_color = false;
  /// Text that was asked for instead of a command (--help, --version): to be printed, and that is all.
  std::optional<std::string> answer;
};

/// A mistake in the command line: exit code 2. what() is one sentence, hint() says what to do next.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message, std::string hint = {})
      : std::runtime_error(message), hint_(std::move(hint)) {}
  const std::string& hint() const noexcept { return hint_; }

 private:
  std::string hint_;
};

/// Throws UsageError, with the nearest known name for an option or command that there is not.
CommandLine parse_command_line(int argc, const char* const* argv);

/// "4194915", "4M" (K, M and G are powers of 1024), "2^28". Throws UsageError; `what` begins the message.
std::int64_t parse_count(const std::string& text, const std::string& what);

/// "1K..64M": two counts, at least 1, the first not above the second. Throws UsageError.
std::pair<std::int64_t, std::int64_t> parse_range(const std::string& text, const std::string& what);

/// "256", "16x16", "8x8x4": threads per block. Throws UsageError.
std::vector<unsigned> parse_block(const std::string& text);

}  // namespace tare::cli
