// A row's Python environment as data: which library it measures, and exactly which versions are installed
// for it. Rows that name the same environment share it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tare::compare {

/// Exactly these versions, for one CUDA major version and some Python versions. The list is complete:
/// nothing is installed that it does not name.
struct PinSet {
  int cuda = 0;                       // major version: 12, 13
  std::vector<std::string> versions;  // of Python: "3.12"; empty: any
  std::vector<std::string> packages;  // "NAME==VERSION", installed from wheels
  std::vector<std::string> build;     // wheels that building `source` needs
  std::vector<std::string> source;    // "NAME==VERSION", built on this machine from their source packages
};

/// The table [python] of a row's description.
struct PythonEnvironment {
  std::string name;                    // of the environment
  std::vector<std::string> libraries;  // packages that may be the measured library; the first one found is
  std::vector<PinSet> pins;            // empty: there is nothing to install, an interpreter has to be given
  // While `source` is built: variables, and files in HOME. "{cuda}": the toolkit's folder; "{path}": PATH.
  std::map<std::string, std::string> build_environment, build_files;
};

/// The set for this CUDA major version and this version of Python ("3.12"); null where there is none.
const PinSet* find_pins(const PythonEnvironment& environment, int cuda, const std::string& version);

/// "Foo.Bar_baz" -> "foo-bar-baz": how the names of Python packages are compared.
std::string normalized_package(const std::string& name);

/// "NAME==VERSION" cut in two. Throws Complaint (compare/case/complaint.hpp) for anything else.
struct Pin {
  std::string name, version;
};
Pin parse_pin(const std::string& text);

}  // namespace tare::compare
