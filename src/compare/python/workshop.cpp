// The private folder, and what both commands do in it.
#include "compare/python/workshop.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "compare/case/complaint.hpp"
#include "compare/python/interpreter.hpp"
#include "compare/row.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"
#include "tare/toolkit.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kLongestStep{2};  // building from source on a small machine

std::string replaced(std::string text, std::string_view token, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(token, at)) != std::string::npos; at += by.size())
    text.replace(at, token.size(), by);
  return text;
}

void add_wanted(std::vector<WantedEnvironment>& all, const RowDescription& row) {
  const auto same = std::find_if(all.begin(), all.end(), [&](const WantedEnvironment& each) {
    return each.environment.name == row.python->name;
  });
  if (same == all.end())
    all.push_back({*row.python, row.no_gpu});
  else if (row.no_gpu.empty())
    same->no_gpu.clear();
}

// A name that nothing can be installed for.
[[noreturn]] void refuse(const std::string& name, const std::vector<RowDescription>& rows,
                         const std::vector<std::string>& known) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const RowDescription& each) { return each.name == name; });
  if (row == rows.end()) throw CaseError(unknown("row with an environment to install", name, known));
  if (!row->python)
    throw CaseError("`" + name +
                    "` is a native row: there is nothing to install for it (tare rows says what it "
                    "lacks, if it does). The Python rows are " +
                    list_of(known));
  throw CaseError("`" + name + "` names no versions to install: --python " + name +
                  "=PATH of tare compare names an interpreter for it. Those with versions are " +
                  list_of(known));
}

Search find_toolkit(const Interrupts& interrupts) {
  Search nvcc = find_nvcc({}, interrupts.descriptor());
  interrupts.check();
  return nvcc;
}

std::string toolkit_folder(int cuda, bool need_toolkit, const Interrupts& interrupts) {
  const Search nvcc = find_toolkit(interrupts);
  const std::string wrong =
      !nvcc.tool ? nvcc.reason
      : !at_least(nvcc.tool->version, cuda, 0) || at_least(nvcc.tool->version, cuda + 1, 0)
          ? fmt::format("the toolkit found is CUDA {}, {}", nvcc.tool->version, nvcc.tool->path.string())
          : "";
  if (!wrong.empty() && need_toolkit)
    throw StepFailed{fmt::format("building it needs a CUDA {} toolkit: {}", cuda, wrong), "",
                     fmt::format("CUDA_HOME=DIR names a toolkit of CUDA {}", cuda)};
  return wrong.empty() ? nvcc.tool->path.parent_path().parent_path().string() : "";
}

}  // namespace

std::vector<WantedEnvironment> wanted_environments(const std::vector<std::string>& names, int cuda) {
  std::vector<std::string> known;
  std::vector<WantedEnvironment> all;
  const std::vector<RowDescription> rows = load_rows();
  for (const RowDescription& row : rows) {
    if (!row.python || row.python->pins.empty()) continue;
    for (const std::string& name : {row.name, row.python->name})
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    const auto is_meant = [&](const std::string& name) {
      return name == row.name || name == row.python->name;
    };
    const bool has_pins = std::any_of(row.python->pins.begin(), row.python->pins.end(),
                                      [&](const PinSet& pins) { return pins.cuda == cuda; });
    if (names.empty() ? has_pins : std::any_of(names.begin(), names.end(), is_meant)) add_wanted(all, row);
  }
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end()) refuse(name, rows, known);
  return all;
}

int choose_cuda(int wanted, const std::string& device, const Interrupts& interrupts) {
  if (device == "gpu" || device == "cpu") choose_driver(device);
  if (wanted != 0) return wanted;
  std::optional<DriverInfo> driver;
  try {
    driver = driver_info();
  } catch (const Error&) {  // no driver: a machine that only prepares
  }
  if (!driver) {
    const Search nvcc = find_toolkit(interrupts);
    return nvcc.tool && !at_least(nvcc.tool->version, 13, 0) ? 12 : 13;
  }
  if (driver->is_cpu_device) return 13;
  const std::vector<int> usable = usable_cuda(driver->version, 0);
  if (usable.empty())
    throw Error(ErrorKind::unsupported,
                fmt::format("this driver is for CUDA {}.{}; the libraries need 12 or newer",
                            driver->version / 1000, driver->version % 1000 / 10),
                "install a newer driver");
  return usable.front();
}

Workshop::Directory::Directory(const fs::path& beside) {
  std::error_code error;
  fs::create_directories(beside, error);
  std::string pattern = (beside / ".part-XXXXXX").string();
  if (error || !mkdtemp(pattern.data()))
    throw Error(ErrorKind::io,
                "cannot write to " + beside.string() + ": " + (error ? error.message() : strerror(errno)),
                "TARE_DATA_DIR names another directory");
  path = pattern;
  fs::create_directories(path / "tmp");
}

Workshop::Directory::~Directory() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

Workshop::Workshop(const fs::path& beside, InstallProgress& progress, const Interrupts& interrupts)
    : directory_(beside),
      progress_(progress),
      interrupts_(interrupts),
      guard_(own_executable(), directory_.path),
      pythons_(directory_.path / "tmp", guard_, interrupts) {}

void Workshop::expect_steps(int steps) {
  done_ = 0;
  total_ = steps;
}

Finished Workshop::run(const std::string& what, const std::string& subject,
                       const std::vector<std::string>& command,
                       const std::map<std::string, std::string>& environment, const Attempt& attempt) {
  progress_.step(std::min(done_++, total_), total_, what);
  Child::Settings settings;
  settings.program = command.front();
  settings.arguments = command;
  settings.environment = environment;
  Finished finished;
  try {
    finished = run_program(settings, guard_, interrupts_, kLongestStep,
                           [&](const std::string& line) { progress_.line(line); });
  } catch (const Error& e) {
    throw StepFailed{e.what(), "", e.hint()};
  }
  if (finished.failed.empty()) return finished;
  const std::string said = finished.output.text() + '\n' + finished.errors.text();
  throw StepFailed{subject + " " + finished.failed, essential_lines(said), installation_hint(said, attempt),
                   says_no_index(said)};
}

std::map<std::string, std::string> build_variables(const PythonEnvironment& environment, int cuda,
                                                   const fs::path& folder, bool need_toolkit,
                                                   const Interrupts& interrupts) {
  std::map<std::string, std::string> variables = installer_environment(folder / "tmp");
  const auto names_toolkit = [](const auto& each) { return each.second.find("{cuda}") != std::string::npos; };
  const bool uses_toolkit =
      std::any_of(environment.build_environment.begin(), environment.build_environment.end(),
                  names_toolkit) ||
      std::any_of(environment.build_files.begin(), environment.build_files.end(), names_toolkit);
  const std::string toolkit = uses_toolkit ? toolkit_folder(cuda, need_toolkit, interrupts) : "";
  const std::string path = variables["PATH"];
  const auto filled = [&](const std::string& text) {
    return replaced(replaced(text, "{cuda}", toolkit), "{path}", path);
  };
  // A HOME of its own, so that what the package's build reads there is what the row's file says, and what
  // it writes there is gone afterwards. pip still finds its settings and its password file.
  const std::string home = variables["HOME"];
  fs::create_directories(folder / "home");
  for (const auto& [name, text] : environment.build_files)
    std::ofstream(folder / "home" / fs::path(name).filename()) << filled(text);
  std::error_code none;
  if (!home.empty()) {
    variables.try_emplace("XDG_CONFIG_HOME", home + "/.config");
    variables.try_emplace("XDG_CACHE_HOME", home + "/.cache");
    if (fs::exists(home + "/.netrc", none)) variables.try_emplace("NETRC", home + "/.netrc");
    if (fs::exists(home + "/.pip/pip.conf", none))
      variables.try_emplace("PIP_CONFIG_FILE", home + "/.pip/pip.conf");
  }
  variables["HOME"] = folder / "home";
  if (uses_toolkit && toolkit.empty()) return variables;  // only downloading
  for (const auto& [name, text] : environment.build_environment) variables[name] = filled(text);
  try {
    // A toolkit made of wheels has no stub of the driver to link with; the driver itself will do.
    fs::create_directories(folder / "driver");
    fs::create_symlink(driver_info().path, folder / "driver/libcuda.so", none);
    std::string& libraries = variables["LIBRARY_PATH"];
    libraries += (libraries.empty() ? "" : ":") + (folder / "driver").string();
  } catch (const Error&) {
  }
  return variables;
}

std::string list_of_pins(const std::vector<std::string>& pins) {
  std::string text;
  for (const std::string& pin : pins) {
    const auto [name, version] = parse_pin(pin);
    text += (text.empty() ? "" : ", ") + name + " " + version;
  }
  return text;
}

}  // namespace tare::compare
