// Making environments. The order of an installation: is it there already; an empty environment in a private
// folder; wheels; packages built from source; everything as pinned?; then one rename.
#include "compare/python/install.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <thread>

#include "compare/descriptor_limit.hpp"
#include "compare/python/failure.hpp"
#include "compare/python/interpreter.hpp"
#include "compare/python/workshop.hpp"
#include "compare/report/text.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;
using State = InstallOutcome::State;

// Only one installation at a time works in a data directory.
class Lock {
 public:
  Lock(const fs::path& folder, InstallProgress& progress, const Interrupts& interrupts) {
    std::error_code error;
    fs::create_directories(folder, error);
    file_ = Descriptor(open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file_)
      throw Error(ErrorKind::io, "cannot write to " + folder.string() + ": " + strerror(errno),
                  "TARE_DATA_DIR names another directory");
    for (bool said = false; flock(file_.get(), LOCK_EX | LOCK_NB) != 0; said = true) {
      if (!said) progress.step(0, 1, "waiting for another installation to end");
      interrupts.check();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    // What a machine that lost its power left.
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.path().filename().string().starts_with(".part-")) fs::remove_all(entry.path(), error);
  }

 private:
  Descriptor file_;
};

// How packages get into an environment: commands that only lack their arguments.
struct Installer {
  std::string name;                   // "uv 0.4.18", "pip 23.2.1"
  std::vector<std::string> make;      // makes an empty environment
  std::vector<std::string> packages;  // installs into it
  std::vector<std::string> no_cache;  // options: nothing built earlier is taken
};

class Installation {
 public:
  Installation(const InstallOptions& options, int cuda, Workshop& workshop, fs::path place)
      : options_(options),
        cuda_(cuda),
        shop_(workshop),
        place_(std::move(place)),
        attempt_{options.rows, cuda, "", options.wheelhouse, options.offline} {}

  // Each throws StepFailed and Interrupted.
  bool is_there(const PythonEnvironment& environment, InstallOutcome& outcome);
  void install(const PythonEnvironment& environment, InstallOutcome& outcome);

 private:
  Installer choose_installer(const BasePython& python);
  bool pip_is_configured(const BasePython& python);
  void make_environment(const PythonEnvironment& environment, const Installer& installer);
  void add_packages(const PythonEnvironment& environment, const PinSet& pins, const Installer& installer);
  void build_packages(const PythonEnvironment& environment, const PinSet& pins, const Installer& installer);
  void check(const PinSet& pins);
  void put_in_place();
  std::vector<std::string> sources() const;

  const InstallOptions& options_;
  int cuda_;
  Workshop& shop_;
  fs::path place_;
  Attempt attempt_;
  fs::path built() const { return shop_.path() / "environment"; }
  std::string interpreter() const { return built() / "bin/python"; }
};

// What is pinned but missing or of another version; empty where all is right.
std::string difference(const PinSet& pins, const InstalledPackages& have) {
  std::string text;
  for (const auto* list : {&pins.packages, &pins.source})
    for (const std::string& each : *list) {
      const Pin pin = parse_pin(each);
      const auto found = have.packages.find(pin.name);
      if (found != have.packages.end() && found->second == pin.version) continue;
      text += (text.empty() ? "" : "; ") + pin.name + " " + pin.version + " is wanted, " +
              (found == have.packages.end() ? "it is missing" : found->second + " is there");
    }
  return text;
}

std::string contents_of(const PinSet& pins, const std::string& python) {
  std::string text = "Python " + python;
  for (const auto* list : {&pins.source, &pins.packages})
    if (!list->empty()) text += ", " + list_of_pins(*list);
  return text;
}

// Scripts name the interpreter by its path, which changes with the rename.
void rewrite_paths(const fs::path& environment, const std::string& from, const std::string& to) {
  const auto rewrite = [&](const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    in.close();
    if (text.find('\0') != std::string::npos || text.find(from) == std::string::npos) return;
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    std::ofstream(file, std::ios::binary) << text;
  };
  rewrite(environment / "pyvenv.cfg");
  for (const fs::directory_entry& entry : fs::directory_iterator(environment / "bin"))
    if (entry.is_regular_file() && !entry.is_symlink()) rewrite(entry.path());
}

bool Installation::is_there(const PythonEnvironment& environment, InstallOutcome& outcome) {
  const fs::path program = interpreter_at(place_);
  if (program.empty()) return false;
  const InstalledPackages have =
      installed_packages(program, shop_.temporary(), shop_.guard(), shop_.interrupts());
  if (!have.failed.empty()) return false;
  const std::string minor = have.python.substr(0, have.python.rfind('.'));
  if (!options_.interpreter.empty() && shop_.pythons().any(options_.interpreter).minor != minor) return false;
  const PinSet* const pins = find_pins(environment, cuda_, minor);
  if (!pins || !difference(*pins, have).empty()) return false;
  outcome.contents = contents_of(*pins, have.python);
  return true;
}

void Installation::install(const PythonEnvironment& environment, InstallOutcome& outcome) {
  const BasePython python = shop_.pythons().find(environment, cuda_, options_.interpreter);
  if (python.program.empty()) throw StepFailed{python.reason, "", python.hint};
  attempt_.python = python.minor;
  const PinSet& pins = *find_pins(environment, cuda_, python.minor);
  const Installer installer = choose_installer(python);
  shop_.expect_steps(pins.source.empty() ? 2 : 3);
  make_environment(environment, installer);
  add_packages(environment, pins, installer);
  if (!pins.source.empty()) build_packages(environment, pins, installer);
  check(pins);
  put_in_place();
  outcome.contents = contents_of(pins, python.version);
}

// uv does not read pip's settings; somebody who told pip where packages come from means all of them.
bool Installation::pip_is_configured(const BasePython& python) {
  if (python.pip.empty()) return false;
  for (const char* own : {"UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_FIND_LINKS", "UV_CONFIG_FILE"})
    if (getenv(own)) return false;
  Child::Settings settings;
  settings.program = python.program;
  settings.arguments = {python.program.string(), "-I", "-m", "pip", "config", "list"};
  settings.environment = installer_environment(shop_.temporary());
  const Finished finished =
      run_program(settings, shop_.guard(), shop_.interrupts(), std::chrono::seconds(60));
  const std::string& list = finished.output.text();
  constexpr std::array<std::string_view, 5> kKeys{
      "index-url=", "find-links=", "proxy=", "no-index=", "cert="};
  return std::any_of(kKeys.begin(), kKeys.end(),
                     [&](std::string_view key) { return list.find(key) != std::string::npos; });
}

Installer Installation::choose_installer(const BasePython& python) {
  const std::string base = python.program;
  Installer installer;
  const fs::path uv = find_program("uv");
  if (!uv.empty() && !pip_is_configured(python)) {
    installer.name = "uv";
    installer.make = {uv, "venv", "--quiet", "--python", base, built()};
    installer.packages = {uv, "pip", "install", "--python", interpreter(), "--compile-bytecode"};
    installer.no_cache = {"--no-cache"};
  } else {
    installer.name = python.pip.empty() ? "pip" : "pip " + python.pip;
    installer.no_cache = {"--no-cache-dir"};
    if (at_least(python.pip, 22, 3)) {
      installer.make = {base, "-I", "-m", "venv", "--without-pip", built()};
      installer.packages = {base, "-I", "-m", "pip", "--python", interpreter(), "install"};
    } else {
      installer.make = {base, "-I", "-m", "venv", built()};
      installer.packages = {interpreter(), "-I", "-m", "pip", "install"};
    }
    installer.packages.insert(installer.packages.end(),
                              {"--progress-bar", "off", "--no-warn-script-location"});
  }
  installer.packages.emplace_back("--no-deps");
  return installer;
}

std::vector<std::string> Installation::sources() const {
  std::vector<std::string> options;
  if (!options_.wheelhouse.empty()) options = {"--find-links", fs::absolute(options_.wheelhouse)};
  if (options_.offline) options.emplace_back("--no-index");
  return options;
}

void Installation::make_environment(const PythonEnvironment& environment, const Installer& installer) {
  shop_.run(environment.name + ": making an environment", "making the environment: " + installer.make.front(),
            installer.make, installer_environment(shop_.temporary()), attempt_);
}

void Installation::add_packages(const PythonEnvironment& environment, const PinSet& pins,
                                const Installer& installer) {
  std::vector<std::string> command = installer.packages;
  command.insert(command.end(), {"--only-binary", ":all:"});
  std::set<std::string> wanted(pins.packages.begin(), pins.packages.end());
  wanted.insert(pins.build.begin(), pins.build.end());
  for (const std::string& option : sources()) command.push_back(option);
  command.insert(command.end(), wanted.begin(), wanted.end());
  const std::size_t count = wanted.size();
  if (count == 0) return;
  shop_.run(fmt::format("{}: installing {} with {}", environment.name,
                        plural(static_cast<int>(count), "package"), installer.name),
            installer.name, command, installer_environment(shop_.temporary()), attempt_);
}

void Installation::build_packages(const PythonEnvironment& environment, const PinSet& pins,
                                  const Installer& installer) {
  std::vector<std::string> command = installer.packages;
  // A wheel built earlier may be for another CUDA: the caches do not tell them apart.
  command.insert(command.end(), installer.no_cache.begin(), installer.no_cache.end());
  command.emplace_back("--no-build-isolation");
  for (const std::string& pin : pins.source)
    command.insert(command.end(), {"--no-binary", parse_pin(pin).name});
  for (const auto& more : {sources(), pins.source}) command.insert(command.end(), more.begin(), more.end());
  std::map<std::string, std::string> variables =
      build_variables(environment, cuda_, shop_.path(), true, shop_.interrupts());
  variables["PATH"] = (built() / "bin").string() + ":" + variables["PATH"];
  shop_.run(fmt::format("{}: building {} (minutes)", environment.name, list_of_pins(pins.source)),
            "building " + list_of_pins(pins.source) + ": " + installer.name, command, variables, attempt_);
}

void Installation::check(const PinSet& pins) {
  const InstalledPackages have =
      installed_packages(interpreter(), shop_.temporary(), shop_.guard(), shop_.interrupts());
  if (!have.failed.empty()) throw StepFailed{"the new environment's Python " + have.failed, {}, {}};
  if (const std::string wrong = difference(pins, have); !wrong.empty())
    throw StepFailed{"the installer left something else than it was told: " + wrong, {}, {}};
}

void Installation::put_in_place() {
  rewrite_paths(built(), built(), place_);
  if (const Descriptor folder(open(built().c_str(), O_RDONLY | O_CLOEXEC)); folder) syncfs(folder.get());
  shop_.interrupts().check();
  std::error_code none;
  int result = 0;
  if (!fs::exists(fs::symlink_status(place_, none))) {
    result = rename(built().c_str(), place_.c_str());
  } else {
    // The old one goes with the private folder.
    result = renameat2(AT_FDCWD, built().c_str(), AT_FDCWD, place_.c_str(), RENAME_EXCHANGE);
    if (result != 0 && (errno == EINVAL || errno == ENOSYS)) {  // not every file system can exchange
      result = rename(place_.c_str(), (shop_.path() / "old").c_str());
      if (result == 0) result = rename(built().c_str(), place_.c_str());
    }
  }
  if (result != 0)
    throw StepFailed{"cannot move the environment to " + place_.string() + ": " + strerror(errno), {}, {}};
}

// `no_index`: it has just been found that no package index can be reached.
InstallOutcome install_one(const WantedEnvironment& wanted, const InstallOptions& options, int cuda,
                           bool no_index, const fs::path& folder, InstallProgress& progress,
                           const Interrupts& interrupts) {
  InstallOutcome outcome;
  outcome.environment = wanted.environment.name;
  outcome.directory = environment_directory(wanted.environment.name, cuda);
  Workshop workshop(folder, progress, interrupts);
  Installation installation(options, cuda, workshop, outcome.directory);
  try {
    if (installation.is_there(wanted.environment, outcome)) {
      outcome.state = State::already_there;
      return outcome;
    }
    if (no_index) throw StepFailed{"not tried, for the same reason", {}, {}};
    installation.install(wanted.environment, outcome);
    outcome.state = State::installed;
  } catch (const StepFailed& failed) {
    outcome.reason = failed.reason;
    outcome.detail = failed.detail;
    outcome.hint = failed.hint;
    outcome.no_index = failed.no_index;
  }
  return outcome;
}

bool has_gpu() {
  try {
    return !driver_info().is_cpu_device;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::vector<InstallOutcome> install_environments(const InstallOptions& options, InstallProgress& progress) {
  if (std::error_code none; !options.wheelhouse.empty() && !fs::is_directory(options.wheelhouse, none))
    throw Error(ErrorKind::argument, "--wheelhouse: no such folder: " + options.wheelhouse.string());
  require_descriptors(kDescriptorsForChildren);
  const Interrupts interrupts;
  const int cuda = choose_cuda(options.cuda, options.device, interrupts);
  const std::vector<WantedEnvironment> wanted = wanted_environments(options.rows, cuda);
  const fs::path folder = data_directory() / "rows";
  const Lock lock(folder, progress, interrupts);
  std::vector<InstallOutcome> outcomes;
  bool no_index = false;
  for (const WantedEnvironment& each : wanted) {
    InstallOutcome outcome;
    if (options.rows.empty() && !each.no_gpu.empty() && !has_gpu()) {
      outcome.environment = each.environment.name;
      outcome.state = State::left_out;
      outcome.reason = each.no_gpu;
    } else {
      outcome = install_one(each, options, cuda, no_index, folder, progress, interrupts);
      no_index |= outcome.no_index;
      if (outcome.state != State::failed && !each.no_gpu.empty() && !has_gpu())
        outcome.note = "its rows cannot run here: " + each.no_gpu;
    }
    progress.finished(outcome);
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace tare::compare
