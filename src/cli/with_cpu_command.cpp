// `tare with-cpu`: becomes the program, in an environment where libcuda.so.1 is the CPU device. Because it
// becomes it, exit code, signals, terminal and process id are the program's own.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "cli/commands.hpp"
#include "compare/row.hpp"
#include "tare/driver.hpp"

namespace tare::cli {
namespace {

// As env(1), nohup(1) and the shell have them.
constexpr int kCannotBeRun = 126, kNotFound = 127;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Where the CPU device is. That takes a device that can be seen; which ones the program sees, of as many as
/// it will have, is the program's own question.
std::filesystem::path find_cpu_device() {
  constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
  const char* const given = std::getenv(kVisible);
  const std::string kept = variable(kVisible);
  unsetenv(kVisible);
  choose_driver("cpu");
  std::filesystem::path found = driver_info().path;
  if (given != nullptr) setenv(kVisible, kept.c_str(), /*overwrite=*/1);
  return found;
}

int why_not(const std::string& program, int error) {
  std::error_code ignored;
  const bool is_path = program.find('/') != std::string::npos;
  if (error == ENOENT && (!is_path || !std::filesystem::exists(program, ignored))) {
    std::fprintf(stderr, "tare: program not found: %s%s\n", program.c_str(),
                 is_path ? "" : " (looked in the folders of PATH)");
    if (!is_path && std::filesystem::exists(program, ignored))
      std::fprintf(stderr, "  hint: there is one in this folder: ./%s\n", program.c_str());
    return kNotFound;
  }
  std::string why = std::strerror(error);
  if (error == ENOENT)
    why = "the interpreter or loader that it asks for is not there";
  else if (is_path && std::filesystem::is_directory(program, ignored))
    why = "it is a folder";
  else if (error == EACCES)
    why = "it may not be executed";
  std::fprintf(stderr, "tare: cannot run %s: %s\n", program.c_str(), why.c_str());
  return kCannotBeRun;
}

}  // namespace

int with_cpu_command(const CommandLine& line) {
  const WithCpuOptions& options = line.with_cpu;
  const std::filesystem::path device = find_cpu_device();
  const auto set = cpu_environment(device, options, variable);
  for (const auto& [name, value] : set) setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  if (!options.quiet && !compare::find_program(options.command.front()).empty())
    std::fprintf(stderr, "tare: CUDA runs on this machine's processor (%s), not on a GPU\n", device.c_str());
  std::vector<char*> arguments;
  for (const std::string& each : options.command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execvp(arguments.front(), arguments.data());
  return why_not(options.command.front(), errno);
}

}  // namespace tare::cli
