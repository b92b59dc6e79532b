// What environments are made with: a Python interpreter, and uv or pip.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compare/guard.hpp"
#include "compare/interrupt.hpp"
#include "compare/python/environment.hpp"

namespace tare::compare {

/// An interpreter to make environments from.
struct BasePython {
  std::filesystem::path program;  // empty where there is none that fits
  std::string version, minor;     // "3.12.1", "3.12"
  std::string pip;                // the version of its pip; empty: it has none
  std::string reason, hint;       // where there is none that fits
};

/// Interpreters that were asked once.
class BasePythons {
 public:
  /// `scratch`: a folder for what the interpreters write while they are asked.
  BasePythons(std::filesystem::path scratch, Guard& guard, const Interrupts& interrupts)
      : scratch_(std::move(scratch)), guard_(guard), interrupts_(interrupts) {}

  /// The interpreter `wanted` (a path, or a name on PATH), or else the first of python3, python3.14, ...,
  /// python3.11 for which the environment has pins. Blocks for a moment; throws Interrupted.
  BasePython find(const PythonEnvironment& environment, int cuda, const std::string& wanted);
  /// The first that can be started, whatever its version.
  BasePython any(const std::string& wanted);

 private:
  const BasePython& ask(const std::filesystem::path& program);
  std::filesystem::path scratch_;
  Guard& guard_;
  const Interrupts& interrupts_;
  std::map<std::filesystem::path, BasePython> asked_;
};

/// "3.11, 3.12".
std::string list_of(const std::vector<std::string>& texts);

/// "3.11, 3.12": the versions of Python that there are pins for, for this CUDA; empty where there are none.
std::string versions_with_pins(const PythonEnvironment& environment, int cuda);

/// The environment that pip, uv and Python itself are started with: the caller's, without what would make
/// them act on another environment, and with temporary files in `temporary`.
std::map<std::string, std::string> installer_environment(const std::filesystem::path& temporary);

/// Whether version `have` ("22.3.1") is at least major.minor.
bool at_least(const std::string& have, int major, int minor);

}  // namespace tare::compare
