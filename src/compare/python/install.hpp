// `tare rows install` and `tare rows download`: Python environments from exactly pinned versions. An
// environment is built in a private folder beside its place and moved there when it is complete, so there is
// never half of one.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tare::compare {

struct InstallOptions {
  std::vector<std::string> rows;     // rows or environments; empty: all that have pinned versions
  int cuda = 0;                      // 12 or 13; 0: what suits the driver, else the toolkit
  std::filesystem::path wheelhouse;  // a folder of packages, looked in as well
  bool offline = false;              // no index is asked
  std::string interpreter;           // --python: a path or a name on PATH; empty: one that fits
  std::string device;                // --device, for the choice of `cuda`
};

/// What became of one environment.
struct InstallOutcome {
  enum class State { installed, already_there, left_out, failed };
  std::string environment;
  std::filesystem::path directory;
  State state = State::failed;
  std::string contents;  // "Python 3.12.1, cuda-core 1.2.2, ..."
  // Where it failed: one line, the installer's own words, what to do. Where it was left out: why.
  std::string reason, detail, hint;
  bool no_index = false;  // it failed because no package index can be reached
  std::string note;       // where it is there: why its rows cannot run on this machine all the same
};

/// Told what goes on, from the thread that works.
class InstallProgress {
 public:
  virtual ~InstallProgress() = default;
  /// A step begins: "cupy: installing 5 packages with pip 23.2.1".
  virtual void step(int done, int total, const std::string& what) = 0;
  /// The installer printed a line.
  virtual void line(const std::string& text) = 0;
  virtual void finished(const InstallOutcome& outcome) = 0;
};

/// Installs what is not there yet; blocks for minutes. What cannot be installed is an outcome. Throws
/// CaseError for an unknown row, tare::Error where nothing can be begun, Interrupted (nothing is left then).
std::vector<InstallOutcome> install_environments(const InstallOptions& options, InstallProgress& progress);

struct DownloadOptions {
  std::vector<std::string> rows;
  int cuda = 0;
  std::filesystem::path directory;  // made if need be
  std::string version;              // of the Python there: "3.12"; empty: this machine's
  std::string machine;              // "x86_64", "aarch64"; empty: this one's
  std::string interpreter, device;  // as above
};

/// Fills a folder with the packages that install_environments needs on a machine without a network. Blocks
/// for minutes; throws as install_environments does. `directory` of an outcome is the folder.
std::vector<InstallOutcome> download_packages(const DownloadOptions& options, InstallProgress& progress);

}  // namespace tare::compare
