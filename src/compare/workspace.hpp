// The run's private directory, and the isolated environment that each worker gets: caches of its own, and
// only what it needs of ours.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace tare::compare {

/// Makes a directory only its owner can read, below TMPDIR or /tmp: an absolute path. Throws tare::Error(io).
std::filesystem::path make_run_directory();

/// Such a directory, removed with everything in it. A guard (guard.hpp) does the same if this process is
/// killed.
class RunDirectory {
 public:
  RunDirectory() : path_(make_run_directory()) {}
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct IsolatedEnvironment {
  std::map<std::string, std::string> all;       // what the process gets
  std::map<std::string, std::string> isolated;  // the part that keeps it apart, for the record
};

/// A HOME-like directory with a place for every cache, made if need be, and an environment that points
/// there. PATH, the library path, the locale, the choice of devices and TARE_* come from ours; PYTHONPATH,
/// LD_PRELOAD and the like do not. `driver` is the path of the loaded driver; `extra` is the row's own.
IsolatedEnvironment isolate(const std::filesystem::path& home, const std::string& driver,
                            const std::map<std::string, std::string>& extra);

/// Files below a directory, 0 where there is none.
std::size_t count_files(const std::filesystem::path& directory);

}  // namespace tare::compare
