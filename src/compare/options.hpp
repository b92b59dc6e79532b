// The command line of `tare compare`, as data.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "compare/case/case.hpp"
#include "compare/record.hpp"
#include "tare/error.hpp"

namespace tare::compare {

struct CompareOptions {
  std::filesystem::path case_file;  // empty: the built-in vector add
  CaseOverrides overrides;          // --n, --value NAME=N, --threads
  std::vector<std::string> rows;    // --rows a,b; empty: all
  RunSettings settings;             // --warmup --timed --rounds --samples --quick --thorough --fp --seed
  std::string device;               // --device gpu|cpu|N; empty: the default
  int device_ordinal = 0;
  std::map<std::string, std::filesystem::path>
      prebuilt;  // --prebuilt clang=FILE.ptx: compiled beforehand and carried
  std::map<std::string, std::filesystem::path>
      python;                           // --python cupy=PATH: an interpreter that is there already
  int cuda = 0;                         // --cuda 12|13: of Python environments; 0: what suits the driver
  std::string json;                     // --json FILE|-
  double worker_timeout_seconds = 120;  // --timeout: longest a worker may take over one request
  bool quiet = false;
  bool first_boot = false, timeline = false;  // --first-boot, --timeline
  bool steady_only = false;                   // one pass with one process per row: what a sweep needs
};

enum ExitCode : int { kAllMatched = 0, kWrongOrFailed = 1, kUsage = 2, kNothingRan = 3 };

/// Progress for a person; called from the thread that runs the comparison.
class Progress {
 public:
  virtual ~Progress() = default;
  /// `done` of `total` steps; `what` is what begins now: "cold 2/3: nvcc".
  virtual void step(int done, int total, const std::string& what) = 0;
};

/// SIGINT, SIGTERM or SIGHUP ended the comparison; everything it had started is gone. Exit code 128 + signal.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

/// Runs the whole comparison (blocks for seconds) and returns what it found; claims and findings are left
/// empty for judge(). Rows that fail are results, not exceptions. Throws CaseError for a bad case or
/// unknown row, tare::Error where no device can be used or its memory is too small, Interrupted.
Record run_comparison(const CompareOptions& options, Progress& progress);

/// Whether each row can run here, and why not: `tare rows`.
struct RowAvailability {
  std::string row, title, moment;  // moment: when it compiles
  bool ready = false;
  std::string reason;   // one line where not ready
  std::string details;  // compiler and path where ready
  struct Python {       // of a row that has an interpreter
    std::filesystem::path program;
    std::string origin;                           // what named it, or "tare rows install"
    std::string version;                          // of Python; empty where it could not be asked
    std::map<std::string, std::string> packages;  // name -> version of everything in it
  };
  std::optional<Python> python;
};
std::vector<RowAvailability> list_rows(const CompareOptions& options);

/// Fills Record::claims and Record::findings from the figures.
void judge(Record& record, const std::vector<Claim>& claims);

/// The exit code that the record calls for. A row that is not comparable neither matched nor failed; where
/// there are no others, nothing was checked: kNothingRan.
ExitCode exit_code(const Record& record);

/// What is printed only if asked for.
struct Extras {
  bool first_boot = false;  // build_ms of the rehearsal beside the cold one
  bool timeline = false;    // each row's time line
  bool utf8 = false;        // it may be drawn with more than ASCII
};

/// The table(s), checks, claims and findings, as printed. Colour only if asked for.
std::string render(const Record& record, bool colour, unsigned width, const Extras& extras = {});

/// The JSON record, schema "tare.record/1", ending in a newline.
std::string to_json(const Record& record);

/// The hidden `tare worker ROW` command: speaks the worker protocol on two inherited descriptors.
int worker_main(int argc, char** argv);

}  // namespace tare::compare
