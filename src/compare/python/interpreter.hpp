// Which Python a row's worker is started with: one that was named, or that of an installed environment.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compare/guard.hpp"
#include "compare/interrupt.hpp"
#include "compare/python/environment.hpp"
#include "compare/row.hpp"

namespace tare::compare {

/// Where Tare keeps what it installs for this user: TARE_DATA_DIR, else XDG_DATA_HOME/tare, else
/// HOME/.local/share/tare. Throws tare::Error(argument) where none of them is set.
std::filesystem::path data_directory();

/// The folder of an installed environment; it need not be there.
std::filesystem::path environment_directory(const std::string& environment, int cuda);

/// The CUDA major versions whose libraries a driver of this version (13000) runs, the best one first.
/// `wanted` 12 or 13 leaves only that one; 0 is no wish.
std::vector<int> usable_cuda(int driver_version, int wanted);

/// TARE_ROW_CUDA_CORE_PYTHON for "cuda.core".
std::string interpreter_variable(const std::string& row);

struct Interpreter {
  std::filesystem::path program;    // empty where there is none
  std::string origin;               // "--python cupy", "TARE_ROW_CUPY_PYTHON", "tare rows install"
  std::filesystem::path directory;  // of an installed environment, else empty
  int cuda = 0;                     // of an installed environment, else 0
  std::string reason;               // one line, where there is none
};

/// Looks in this order: `named` (--python), the row's variable, the same two under the environment's name
/// (which speak for all rows that share it), the installed environments for `cuda`, best first. A path may
/// also be the folder of an environment. Starts nothing.
Interpreter find_interpreter(const RowDescription& row,
                             const std::map<std::string, std::filesystem::path>& named,
                             const std::vector<int>& cuda);

/// The interpreter that PATH stands for: itself, or bin/python below it; empty where there is none.
std::filesystem::path interpreter_at(const std::filesystem::path& path);

/// Why PATH stands for no interpreter, one line; empty where it does.
std::string why_no_interpreter(const std::filesystem::path& path);

/// `text` with HOME in the place of a leading "~/": where an option's value has it, no shell has seen it.
std::filesystem::path without_tilde(const std::string& text);

/// Why this program is no Python, found out by starting it: one line; empty where it is one. Blocks for a
/// moment, throws Interrupted.
std::string why_no_python(const std::filesystem::path& program, const std::filesystem::path& scratch,
                          Guard& guard, const Interrupts& interrupts);

struct InstalledPackages {
  std::string failed;                           // why it could not be asked, one line
  std::string python;                           // "3.12.1"
  std::map<std::string, std::string> packages;  // normalized name -> version
};

/// Asks an interpreter what it has. Blocks for a moment: it is started, in an environment of its own below
/// `scratch`. Throws Interrupted.
InstalledPackages installed_packages(const std::filesystem::path& program,
                                     const std::filesystem::path& scratch, Guard& guard,
                                     const Interrupts& interrupts);

/// The worker files that come with this program, written into a new folder `directory`.
void write_python_workers(const std::filesystem::path& directory);

}  // namespace tare::compare
