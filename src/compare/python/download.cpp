// Filling a wheelhouse, for another version of Python and another machine than these, with pip.
#include <sys/utsname.h>

#include <fmt/format.h>

#include <set>

#include "compare/descriptor_limit.hpp"
#include "compare/python/install.hpp"
#include "compare/python/workshop.hpp"
#include "compare/report/text.hpp"
#include "tare/error.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;
using State = InstallOutcome::State;

// Wheels for a C library that is no newer than this run on every machine that the libraries support.
constexpr int kNewestGlibc = 28, kOldestGlibc = 17;

std::string this_machine() {
  utsname system{};
  uname(&system);
  return system.machine;
}

std::vector<std::string> target_options(const std::string& version, const std::string& machine) {
  std::string digits = version;
  std::erase(digits, '.');
  std::vector<std::string> options{"--python-version", version, "--implementation", "cp", "--abi",
                                   "cp" + digits};
  for (int minor = kNewestGlibc; minor >= kOldestGlibc; --minor)
    options.insert(options.end(), {"--platform", fmt::format("manylinux_2_{}_{}", minor, machine)});
  for (const char* older : {"manylinux2014", "manylinux2010", "manylinux1", "linux"})
    options.insert(options.end(), {"--platform", fmt::format("{}_{}", older, machine)});
  return options;
}

StepFailed no_pins(const PythonEnvironment& environment, int cuda, const std::string& version, bool is_own) {
  const std::string versions = versions_with_pins(environment, cuda);
  StepFailed failed{
      fmt::format("there are no versions of it for CUDA {} and Python {}", cuda, version), {}, {}};
  if (versions.empty()) {
    failed.hint = fmt::format("--cuda {} has some", cuda == 13 ? 12 : 13);
    return failed;
  }
  failed.reason += fmt::format("; there are for Python {}", versions);
  failed.hint = is_own
                    ? "--python VERSION names that of the machine it is for; without it, it is this machine's"
                    : "--python takes one of these: that of the machine it is for";
  return failed;
}

// Whole files only, under their names: what was half downloaded stays in the private folder.
void move_files(const fs::path& from, const fs::path& to) {
  for (const fs::directory_entry& entry : fs::directory_iterator(from))
    fs::rename(entry.path(), to / entry.path().filename());
}

void download(const PythonEnvironment& environment, const PinSet& pins, const std::string& version,
              const DownloadOptions& options, int cuda, const BasePython& python, Workshop& shop) {
  const fs::path folder = shop.path() / "files";
  const std::string machine = options.machine.empty() ? this_machine() : options.machine;
  const std::vector<std::string> pip{
      python.program.string(), "-I", "-m", "pip", "download", "--no-deps", "--dest", folder.string(),
      "--progress-bar",        "off"};
  const Attempt attempt{options.rows, cuda, version, options.directory, false};
  fs::create_directories(folder);
  shop.expect_steps(pins.source.empty() ? 1 : 2);
  std::vector<std::string> command = pip;
  command.insert(command.end(), {"--only-binary", ":all:"});
  std::set<std::string> wanted(pins.packages.begin(), pins.packages.end());
  wanted.insert(pins.build.begin(), pins.build.end());
  for (const std::string& option : target_options(version, machine)) command.push_back(option);
  command.insert(command.end(), wanted.begin(), wanted.end());
  const std::size_t count = wanted.size();
  if (count > 0)
    shop.run(fmt::format("{}: downloading {} for Python {}", environment.name,
                         plural(static_cast<int>(count), "package"), version),
             "pip " + python.pip, command, installer_environment(shop.temporary()), attempt);
  if (!pins.source.empty()) {
    command = pip;
    for (const std::string& pin : pins.source)
      command.insert(command.end(), {"--no-binary", parse_pin(pin).name});
    command.insert(command.end(), pins.source.begin(), pins.source.end());
    shop.run(fmt::format("{}: downloading the source of {}", environment.name, list_of_pins(pins.source)),
             "pip " + python.pip, command,
             build_variables(environment, cuda, shop.path(), false, shop.interrupts()), attempt);
  }
  move_files(folder, options.directory);
}

InstallOutcome download_one(const PythonEnvironment& environment, const DownloadOptions& options, int cuda,
                            InstallProgress& progress, const Interrupts& interrupts) {
  InstallOutcome outcome;
  outcome.environment = environment.name;
  outcome.directory = options.directory;
  Workshop shop(options.directory, progress, interrupts);
  try {
    const BasePython python = shop.pythons().any(options.interpreter);
    if (python.program.empty()) throw StepFailed{python.reason, "", python.hint};
    if (python.pip.empty())
      throw StepFailed{python.program.string() + " has no pip, which does the downloading", "",
                       "apt-get install python3-pip, or name another interpreter: --with PATH"};
    const std::string version = options.version.empty() ? python.minor : options.version;
    const PinSet* const pins = find_pins(environment, cuda, version);
    if (!pins) throw no_pins(environment, cuda, version, options.version.empty());
    download(environment, *pins, version, options, cuda, python, shop);
    outcome.state = State::installed;
    outcome.contents = fmt::format("for Python {}: {}", version, list_of_pins(pins->packages));
    for (const auto* more : {&pins->build, &pins->source})
      if (!more->empty()) outcome.contents += ", " + list_of_pins(*more);
  } catch (const StepFailed& failed) {
    outcome.reason = failed.reason;
    outcome.detail = failed.detail;
    outcome.hint = failed.hint;
  }
  return outcome;
}

}  // namespace

std::vector<InstallOutcome> download_packages(const DownloadOptions& options, InstallProgress& progress) {
  require_descriptors(kDescriptorsForChildren);
  const Interrupts interrupts;
  const int cuda = choose_cuda(options.cuda, options.device, interrupts);
  std::vector<InstallOutcome> outcomes;
  for (const WantedEnvironment& each : wanted_environments(options.rows, cuda)) {
    outcomes.push_back(download_one(each.environment, options, cuda, progress, interrupts));
    progress.finished(outcomes.back());
  }
  return outcomes;
}

}  // namespace tare::compare
