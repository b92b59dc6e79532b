// Finding interpreters, and asking them what they have.
#include "compare/python/interpreter.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "compare/run_program.hpp"
#include "compare/workspace.hpp"
#include "embedded/python_workers.hpp"
#include "tare/error.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;

std::string variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value ? value : "";
}

// A path that was named: nothing else is looked at, whether it can be used or not.
Interpreter named_interpreter(const fs::path& path, const std::string& origin) {
  Interpreter found;
  found.origin = origin;
  found.program = interpreter_at(path);
  if (found.program.empty()) found.reason = origin + ": " + why_no_interpreter(path);
  return found;
}

}  // namespace

fs::path data_directory() {
  if (const std::string own = variable("TARE_DATA_DIR"); !own.empty()) return fs::absolute(own);
  if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with('/'))
    return fs::path(data) / "tare";
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".local/share/tare";
  throw Error(ErrorKind::argument, "no place for what is installed: HOME is not set",
              "set TARE_DATA_DIR to a directory");
}

fs::path environment_directory(const std::string& environment, int cuda) {
  return data_directory() / "rows" / (environment + "-cuda" + std::to_string(cuda));
}

std::vector<int> usable_cuda(int driver_version, int wanted) {
  std::vector<int> usable;
  for (const int major : {13, 12})
    if ((wanted == 0 || wanted == major) && major * 1000 <= driver_version) usable.push_back(major);
  return usable;
}

std::string interpreter_variable(const std::string& row) {
  std::string name = "TARE_ROW_";
  for (const char c : row)
    name += c == '.' || c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name + "_PYTHON";
}

fs::path interpreter_at(const fs::path& path) {
  std::error_code none;
  const fs::path program = fs::is_directory(path, none) ? path / "bin/python" : path;
  const fs::path found = find_program(program.string());
  // Not resolved: that bin/python is a link is how Python knows that it stands for an environment.
  return found.empty() ? found : fs::absolute(found);
}

std::string why_no_interpreter(const fs::path& path) {
  if (!interpreter_at(path).empty()) return {};
  std::error_code none;
  const std::string name = path.string();
  if (fs::is_directory(path, none))
    return name + " has no bin/python: name an interpreter, or the folder of an environment";
  if (name.find('/') == std::string::npos && !fs::exists(path, none))
    return "no such program: no " + name + " on PATH";
  if (fs::exists(path, none))
    return name + " may not be executed: name an interpreter, like /usr/bin/python3";
  return "no such program: " + name;
}

fs::path without_tilde(const std::string& text) {
  const std::string home = variable("HOME");
  return text.starts_with("~/") && !home.empty() ? fs::path(home) / text.substr(2) : fs::path(text);
}

Interpreter find_interpreter(const RowDescription& row, const std::map<std::string, fs::path>& named,
                             const std::vector<int>& cuda) {
  const std::string& environment = row.python->name;
  for (const std::string& name : {row.name, environment}) {
    if (const auto path = named.find(name); path != named.end())
      return named_interpreter(path->second, "--python " + name);
    const std::string from = interpreter_variable(name);
    if (const std::string path = variable(from); !path.empty())
      return named_interpreter(without_tilde(path), from);
  }
  Interpreter none;
  if (row.python->pins.empty())
    none.reason =
        "no interpreter: --python " + row.name + "=PATH or " + interpreter_variable(row.name) + " names one";
  else if (cuda.empty())
    none.reason = "this driver is too old for the CUDA version that was asked for";
  if (!none.reason.empty()) return none;
  for (const int major : cuda) {
    const fs::path directory = environment_directory(environment, major);
    const fs::path program = interpreter_at(directory);
    std::error_code error;
    if (!fs::is_directory(directory, error) || program.empty()) continue;
    return {program, "tare rows install", directory, major, ""};
  }
  none.reason = "no environment: tare rows install " + environment;
  if (cuda.size() == 1) none.reason += " --cuda " + std::to_string(cuda.front());
  return none;
}

std::string why_no_python(const fs::path& program, const fs::path& scratch, Guard& guard,
                          const Interrupts& interrupts) {
  Child::Settings settings;
  settings.program = program;
  settings.arguments = {program.string(), "-I", "-S", "-B", "-c", "import sys; print('Python', sys.version)"};
  settings.environment = isolate(scratch / "asking", "", {}).all;
  try {
    const Finished finished = run_program(settings, guard, interrupts, std::chrono::seconds(60));
    if (finished.failed.empty() && finished.output.text().starts_with("Python ")) return {};
    const std::string last = finished.errors.last_lines(1);
    return program.string() + " is no Python" +
           (finished.failed.empty() ? "" : ": it " + finished.failed + (last.empty() ? "" : ": " + last)) +
           "; name an interpreter, or the folder of an environment";
  } catch (const Error& e) {
    return e.what();
  }
}

InstalledPackages installed_packages(const fs::path& program, const fs::path& scratch, Guard& guard,
                                     const Interrupts& interrupts) {
  constexpr const char* kQuestion =
      "import sys, importlib.metadata as m\n"
      "print(sys.version.split()[0])\n"
      "for d in m.distributions(): print(d.metadata['Name'], d.version)\n";
  Child::Settings settings;
  settings.program = program;
  settings.arguments = {program.string(), "-I", "-B", "-c", kQuestion};
  settings.environment = isolate(scratch / "asking", "", {}).all;
  InstalledPackages found;
  try {
    const Finished finished = run_program(settings, guard, interrupts, std::chrono::seconds(60));
    found.failed = finished.failed;
    if (const std::string last = finished.errors.last_lines(1); !found.failed.empty() && !last.empty())
      found.failed += ": " + last;
    std::istringstream lines(finished.output.text());
    std::getline(lines, found.python);
    for (std::string name, version; lines >> name >> version;)
      found.packages.emplace(normalized_package(name), version);  // the first one is the one imported
  } catch (const Error& e) {
    found.failed = e.what();
  }
  if (!found.failed.empty()) found.python.clear();
  return found;
}

void write_python_workers(const fs::path& directory) {
  for (std::size_t i = 0; i < embedded::python_workers_count; ++i) {
    const embedded::File& file = embedded::python_workers[i];
    const fs::path path = directory / fs::path(file.path).lexically_relative("python");
    fs::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << file.text;
    if (!out.flush()) throw Error(ErrorKind::io, "cannot write " + path.string());
  }
}

}  // namespace tare::compare
