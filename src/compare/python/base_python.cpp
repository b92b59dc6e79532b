// Asking interpreters for their version and their pip.
#include "compare/python/base_python.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "compare/row.hpp"
#include "compare/run_program.hpp"
#include "tare/error.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;

constexpr std::array kCandidates{"python3", "python3.14", "python3.13", "python3.12", "python3.11"};

// What would lead Python, pip or uv to another place than they are told.
constexpr std::array<std::string_view, 16> kLeftOut{"PYTHONHOME",
                                                    "PYTHONPATH",
                                                    "PYTHONSTARTUP",
                                                    "PYTHONDONTWRITEBYTECODE",
                                                    "VIRTUAL_ENV",
                                                    "CONDA_PREFIX",
                                                    "__PYVENV_LAUNCHER__",
                                                    "PIP_TARGET",
                                                    "PIP_PREFIX",
                                                    "PIP_ROOT",
                                                    "PIP_REQUIRE_VIRTUALENV",
                                                    "PIP_PYTHON",
                                                    "PIP_CONSTRAINT",
                                                    "UV_PROJECT_ENVIRONMENT",
                                                    "UV_CONSTRAINT",
                                                    "LD_PRELOAD"};

}  // namespace

std::string list_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

std::string versions_with_pins(const PythonEnvironment& environment, int cuda) {
  std::vector<std::string> versions;
  for (const PinSet& pins : environment.pins)
    if (pins.cuda == cuda)
      for (const std::string& version : pins.versions)
        if (std::find(versions.begin(), versions.end(), version) == versions.end())
          versions.push_back(version);
  return list_of(versions);
}

std::map<std::string, std::string> installer_environment(const fs::path& temporary) {
  std::map<std::string, std::string> environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (equals != std::string_view::npos &&
        std::find(kLeftOut.begin(), kLeftOut.end(), name) == kLeftOut.end())
      environment[std::string(name)] = text.substr(equals + 1);
  }
  environment["PYTHONNOUSERSITE"] = "1";
  environment["PYTHONUNBUFFERED"] = "1";
  environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1";
  environment["PIP_NO_INPUT"] = "1";
  environment["PIP_ROOT_USER_ACTION"] = "ignore";
  environment["PIP_USER"] = "0";
  environment["TMPDIR"] = temporary;
  return environment;
}

bool at_least(const std::string& have, int major, int minor) {
  int found_major = 0, found_minor = 0;
  char dot = 0;
  std::istringstream in(have);
  in >> found_major >> dot >> found_minor;
  return std::pair(found_major, found_minor) >= std::pair(major, minor);
}

const BasePython& BasePythons::ask(const fs::path& program) {
  const auto [at, fresh] = asked_.try_emplace(program);
  BasePython& python = at->second;
  if (!fresh) return python;
  constexpr const char* kQuestion =
      "import sys\n"
      "print(sys.executable)\n"
      "print(sys.version.split()[0])\n"
      "print('%d.%d' % sys.version_info[:2])\n"
      "try:\n"
      " import pip\n"
      " print(pip.__version__)\n"
      "except Exception: pass\n";
  Child::Settings settings;
  settings.program = program;
  settings.arguments = {program.string(), "-I", "-B", "-c", kQuestion};
  settings.environment = installer_environment(scratch_);
  try {
    const Finished finished = run_program(settings, guard_, interrupts_, std::chrono::seconds(60));
    std::istringstream lines(finished.output.text());
    std::string path;
    std::getline(lines, path);
    lines >> python.version >> python.minor >> python.pip;
    if (!finished.failed.empty() || python.minor.empty())
      python.reason = program.string() + (finished.failed.empty() ? " is no Python" : " " + finished.failed);
    else
      python.program = path.empty() ? program : fs::path(path);
  } catch (const Error& e) {
    python.reason = e.what();
  }
  return python;
}

BasePython BasePythons::any(const std::string& wanted) {
  BasePython none;
  for (const std::string& name : wanted.empty()
                                     ? std::vector<std::string>(kCandidates.begin(), kCandidates.end())
                                     : std::vector<std::string>{wanted}) {
    const fs::path program = find_program(name);
    const BasePython python = program.empty() ? BasePython() : ask(program);
    if (!python.program.empty()) return python;
    if (none.reason.empty())
      none.reason = program.empty() ? "no " + name + (wanted.empty() ? " on PATH" : "") : python.reason;
  }
  none.hint = "install Python 3, or name an interpreter: --python PATH";
  return none;
}

BasePython BasePythons::find(const PythonEnvironment& environment, int cuda, const std::string& wanted) {
  std::vector<std::string> without_pins;
  BasePython none = any(wanted);
  if (none.program.empty()) return none;
  for (const std::string& name : wanted.empty()
                                     ? std::vector<std::string>(kCandidates.begin(), kCandidates.end())
                                     : std::vector<std::string>{wanted}) {
    const fs::path program = find_program(name);
    if (program.empty()) continue;
    const BasePython python = ask(program);
    if (python.program.empty()) continue;
    if (find_pins(environment, cuda, python.minor)) return python;
    const std::string seen = name + " is " + python.version;
    if (std::find(without_pins.begin(), without_pins.end(), seen) == without_pins.end())
      without_pins.push_back(seen);
  }
  const std::string versions = versions_with_pins(environment, cuda);
  const bool any_set = std::any_of(environment.pins.begin(), environment.pins.end(),
                                   [&](const PinSet& pins) { return pins.cuda == cuda; });
  none = {};
  none.reason =
      !any_set ? fmt::format("there are no versions of it for CUDA {}", cuda)
               : fmt::format("there are versions of it for Python {}; {}", versions, list_of(without_pins));
  none.hint = !any_set ? fmt::format("--cuda {} has some", cuda == 13 ? 12 : 13)
                       : "name another interpreter: --python PATH";
  return none;
}

}  // namespace tare::compare
