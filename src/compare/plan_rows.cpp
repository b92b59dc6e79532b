// Which rows take part, with what, and why the others do not: before anything is started. `tare rows` lists
// just this.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "compare/case/complaint.hpp"
#include "compare/comparison.hpp"
#include "compare/descriptor_limit.hpp"
#include "compare/run_program.hpp"
#include "compare/workspace.hpp"
#include "tare/driver.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;

// A check row repeats the first of its twins that runs here, best one of this comparison.
void choose_twins(std::vector<RunningRow>& rows, const std::vector<RowDescription>& all, Toolbox& toolbox) {
  for (RunningRow& row : rows) {
    for (const std::string& twin : row.description.twins) {
      const auto other = std::find_if(rows.begin(), rows.end(), [&](const RunningRow& each) {
        return each.description.name == twin && each.skipped.empty() && each.prebuilt.empty();
      });
      if (row.twin.empty() && other != rows.end()) row.twin = twin;
    }
    for (const RowDescription& other : all) {
      const auto& twins = row.description.twins;
      if (row.twin.empty() && std::find(twins.begin(), twins.end(), other.name) != twins.end() &&
          toolbox.unmet(other).empty())
        row.twin = other.name;
    }
  }
}

// --prebuilt and --python name rows and files: a mistake in them must not look like a row that is skipped.
void check_named(const CompareOptions& options, const std::vector<RowDescription>& all) {
  std::vector<std::string> names, python_names;
  for (const RowDescription& row : all) {
    names.push_back(row.name);
    if (!row.python) continue;
    for (const std::string& name : {row.name, row.python->name})
      if (std::find(python_names.begin(), python_names.end(), name) == python_names.end())
        python_names.push_back(name);
  }
  for (const auto& [name, file] : options.prebuilt) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw CaseError("--prebuilt: " + unknown("row", name, names));
    if (std::error_code none; !fs::is_regular_file(file, none))
      throw CaseError("--prebuilt " + name + ": no such file: " + file.string());
  }
  for (const auto& [name, path] : options.python) {
    if (std::find(python_names.begin(), python_names.end(), name) == python_names.end())
      throw CaseError("--python: " + unknown("row with a Python environment", name, python_names));
    if (const std::string wrong = why_no_interpreter(path); !wrong.empty())
      throw CaseError("--python " + name + ": " + wrong);
  }
}

// TARE_ROW_CUPY_PYTHON and its like: one that names no row would be passed over.
void check_variables(const std::vector<RowDescription>& all) {
  std::vector<std::string> known;
  for (const RowDescription& row : all) {
    if (!row.python) continue;
    for (const std::string& name : {interpreter_variable(row.name), interpreter_variable(row.python->name)})
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  for (char** entry = environ; *entry; ++entry) {
    const std::string text(*entry), name = text.substr(0, text.find('='));
    if (name.starts_with("TARE_ROW_") && name.size() + 1 < text.size() &&
        std::find(known.begin(), known.end(), name) == known.end())
      throw CaseError(name + " names the interpreter of no row: correct or unset it" +
                      suggestion(name, known));
  }
}

}  // namespace

std::vector<RunningRow> plan_rows(const CompareOptions& options, int driver_version, Toolbox& toolbox) {
  const std::vector<RowDescription> all = load_rows();
  check_named(options, all);
  check_variables(all);
  const std::vector<int> cuda = usable_cuda(driver_version, options.cuda);
  std::vector<RunningRow> rows;
  for (RowDescription& description : choose_rows(all, options.rows)) {
    RunningRow row;
    row.description = std::move(description);
    if (!toolbox.is_gpu() && !row.description.cpu_title.empty())
      row.description.title = row.description.cpu_title;
    // What was compiled beforehand needs no compiler here.
    if (const auto prebuilt = options.prebuilt.find(row.description.name); prebuilt != options.prebuilt.end())
      row.prebuilt = fs::absolute(prebuilt->second);
    else
      row.skipped = toolbox.unmet(row.description);
    if (row.description.python) {
      row.interpreter = find_interpreter(row.description, options.python, cuda);
      if (row.skipped.empty()) row.skipped = row.interpreter.reason;
    }
    rows.push_back(std::move(row));
  }
  choose_twins(rows, all, toolbox);
  return rows;
}

void check_interpreters(std::vector<RunningRow>& rows, const fs::path& scratch, Guard& guard,
                        const Interrupts& interrupts) {
  std::map<fs::path, std::string> asked;
  for (RunningRow& row : rows) {
    const Interpreter& interpreter = row.interpreter;
    // What `tare rows install` has made was asked then.
    if (!row.skipped.empty() || interpreter.program.empty() || !interpreter.directory.empty()) continue;
    const auto [at, fresh] = asked.try_emplace(interpreter.program);
    if (fresh) at->second = why_no_python(interpreter.program, scratch, guard, interrupts);
    if (at->second.empty()) continue;
    if (interpreter.origin.starts_with("--python")) throw CaseError(interpreter.origin + ": " + at->second);
    row.skipped = interpreter.origin + ": " + at->second;
  }
}

void choose_device(const CompareOptions& options) {
  if (std::getenv(kRequestVariable))
    throw Error(ErrorKind::argument, "a worker cannot start a comparison of its own");
  if (options.device == "gpu" || options.device == "cpu") choose_driver(options.device);
}

namespace {

// The compilers that the row needs, found.
std::string compilers_of(const RowDescription& row, Toolbox& toolbox) {
  std::string text;
  const auto describe = [&](const char* what, const Search& search) {
    if (text.empty() && search.tool)
      text = fmt::format("{} {}, {}", what, search.tool->version, search.tool->path.string());
  };
  for (const std::string& need : row.needs) {
    if (need.find("nvrtc") != std::string::npos) describe("NVRTC", toolbox.nvrtc());
    if (need.find("nvcc") != std::string::npos) describe("nvcc", toolbox.nvcc());
    if (need.find("nvvm") != std::string::npos) describe("libNVVM", toolbox.nvvm());
    if (need.find("clang") != std::string::npos) describe("clang", toolbox.clang());
  }
  return text;
}

// "cupy-cuda13x 13.6.0, Python 3.12.1, /home/me/.local/share/tare/rows/cupy-cuda13"
std::string describe_python(const RowDescription& row, const RowAvailability::Python& python,
                            const Interpreter& interpreter) {
  std::string text;
  for (const std::string& library : row.python->libraries) {
    const auto found = python.packages.find(normalized_package(library));
    if (found == python.packages.end()) continue;
    text = found->first + " " + found->second + ", ";
    break;
  }
  text += "Python " + python.version + ", ";
  return text + (interpreter.directory.empty() ? interpreter.program : interpreter.directory).string();
}

bool lacks_library(const RowDescription& row, const RowAvailability::Python& python) {
  const auto& libraries = row.python->libraries;
  return !libraries.empty() && std::none_of(libraries.begin(), libraries.end(), [&](const std::string& name) {
    return python.packages.contains(normalized_package(name));
  });
}

}  // namespace

std::vector<RowAvailability> list_rows(const CompareOptions& options) {
  require_descriptors(kDescriptorsForChildren);
  const Interrupts interrupts;
  choose_device(options);
  bool is_gpu = false;
  int driver_version = 0;
  std::string no_driver;
  try {
    const DriverInfo& driver = driver_info();
    is_gpu = !driver.is_cpu_device;
    driver_version = driver.version;
  } catch (const Error& e) {
    no_driver = e.what();
    driver_version = 1000 * 1000;  // what is installed can be listed without one
  }
  Toolbox toolbox(is_gpu, interrupts);
  const RunDirectory directory;
  Guard guard(own_executable(), directory.path());
  std::map<fs::path, InstalledPackages> asked;  // rows that share an environment: asked once
  std::vector<RowAvailability> all;
  std::vector<RunningRow> rows = plan_rows(options, driver_version, toolbox);
  check_interpreters(rows, directory.path(), guard, interrupts);
  for (const RunningRow& row : rows) {
    RowAvailability one{row.description.name, title_of(row), row.description.moment, false, "", "", {}};
    one.reason = no_driver.empty() ? row.skipped : no_driver;
    const Interpreter& interpreter = row.interpreter;
    if (!interpreter.program.empty()) {
      const auto [at, fresh] = asked.try_emplace(interpreter.program);
      if (fresh) at->second = installed_packages(interpreter.program, directory.path(), guard, interrupts);
      one.python = {interpreter.program, interpreter.origin, at->second.python, at->second.packages};
      if (one.reason.empty() && !at->second.failed.empty())
        one.reason = fmt::format("{}: {}", interpreter.program.string(), at->second.failed);
      else if (one.reason.empty() && lacks_library(row.description, *one.python))
        one.reason = fmt::format("no {} in {}", row.description.python->libraries.front(),
                                 interpreter.program.string());
    }
    one.ready = one.reason.empty();
    if (one.ready) one.details = compilers_of(row.description, toolbox);
    if (one.ready && one.python)
      one.details = describe_python(row.description, *one.python, interpreter) +
                    (one.details.empty() ? "" : "; " + one.details);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace tare::compare
