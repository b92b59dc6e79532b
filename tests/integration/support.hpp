// Running the real program as a child, on the CPU device, and reading the record that it writes.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tare::test {

using nlohmann::json;

struct Ran {
  int code = -1;    // exit code; -1 where a signal ended it
  int signal = 0;   // that signal
  std::string out;  // standard output and error
  std::string err;
  json record;  // of --json, null where there is none
};

/// A directory that goes with its owner, where the program's temporary files and its record are put.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }
  /// Directories of runs that were not removed.
  std::vector<std::string> left_behind() const;

 private:
  std::filesystem::path path_;
};

/// Variables to set; an empty value takes one away.
using Environment = std::map<std::string, std::string>;

/// `tare ARGUMENTS`. `meanwhile` is called with its process id while it runs.
Ran run_tare(const Scratch& scratch, std::vector<std::string> arguments, const Environment& environment = {},
             const std::function<void(pid_t)>& meanwhile = {});

/// `tare compare ARGUMENTS --json ...` with few samples and rounds, its record read.
Ran compare(const Scratch& scratch, const std::vector<std::string>& arguments,
            const Environment& environment = {});

/// One row of one pass of a record.
const json& row_of(const json& record, const std::string& pass, const std::string& row);

/// tests/data/PATH of the source tree.
std::string data(const std::string& path);

/// The clang that these tests need; throws where there is none.
std::string find_clang();

/// Why a row cannot run on this machine; empty if it can.
std::string why_not(const std::string& row);

/// Process ids whose command line or environment mentions `text`, without this process.
std::vector<pid_t> processes_with(const std::string& text);

/// Waits until `condition` holds, at most 20 s. False if it never did.
bool eventually(const std::function<bool()>& condition);

}  // namespace tare::test
