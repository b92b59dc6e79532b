// What installing and downloading share: the environments that were asked for, an interpreter with its
// installer, and running that installer step by step.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compare/guard.hpp"
#include "compare/interrupt.hpp"
#include "compare/python/base_python.hpp"
#include "compare/python/failure.hpp"
#include "compare/python/install.hpp"
#include "compare/run_program.hpp"

namespace tare::compare {

/// One environment that was asked for.
struct WantedEnvironment {
  PythonEnvironment environment;
  std::string no_gpu;  // why all of its rows need a GPU; empty if one of them does not
};

/// The environments of these rows (or of these names), in table order; of all rows with pinned versions for
/// `cuda` if none is named. Throws CaseError for a name that there is not.
std::vector<WantedEnvironment> wanted_environments(const std::vector<std::string>& names, int cuda);

/// 12 or 13: `wanted`, else the newest that the driver runs, else the toolkit's, else 13. 13 on the CPU
/// device. Throws tare::Error where the driver is too old for both, and Interrupted.
int choose_cuda(int wanted, const std::string& device, const Interrupts& interrupts);

/// A step that did not succeed.
struct StepFailed {
  std::string reason, detail, hint;
  bool no_index = false;  // because no package index can be reached
};

/// A private folder beside the result, removed with everything in it when this object goes or the process
/// dies, and what runs while it is there.
class Workshop {
 public:
  /// `beside`: the folder that the private one is made in. Throws tare::Error(io).
  Workshop(const std::filesystem::path& beside, InstallProgress& progress, const Interrupts& interrupts);

  const std::filesystem::path& path() const noexcept { return directory_.path; }
  std::filesystem::path temporary() const { return directory_.path / "tmp"; }
  BasePythons& pythons() noexcept { return pythons_; }
  Guard& guard() noexcept { return guard_; }
  const Interrupts& interrupts() const noexcept { return interrupts_; }

  /// Steps are counted from here on.
  void expect_steps(int steps);
  /// Runs a program to its end. `what` is said as the step's name, `subject` begins the reason where it
  /// fails. Throws StepFailed, Interrupted.
  Finished run(const std::string& what, const std::string& subject, const std::vector<std::string>& command,
               const std::map<std::string, std::string>& environment, const Attempt& attempt);

 private:
  struct Directory {
    explicit Directory(const std::filesystem::path& beside);
    ~Directory();
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    std::filesystem::path path;
  };
  Directory directory_;
  InstallProgress& progress_;
  const Interrupts& interrupts_;
  Guard guard_;
  BasePythons pythons_;
  int done_ = 0, total_ = 0;
};

/// The variables for building from source: `environment`'s own, a HOME with its files, the toolkit's folder
/// in place of "{cuda}", and a link to the loaded driver for the linker. `need_toolkit`: throws StepFailed
/// where "{cuda}" is used and there is no toolkit of this version.
std::map<std::string, std::string> build_variables(const PythonEnvironment& environment, int cuda,
                                                   const std::filesystem::path& folder, bool need_toolkit,
                                                   const Interrupts& interrupts);

/// "NAME 1.2.3, OTHER 4.5".
std::string list_of_pins(const std::vector<std::string>& pins);

}  // namespace tare::compare
