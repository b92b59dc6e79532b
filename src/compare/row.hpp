// What is known of a row before it runs: its description, from share/tare/rows or a folder of one's own,
// and whether this machine has what it needs.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/interrupt.hpp"
#include "compare/python/environment.hpp"
#include "tare/toolkit.hpp"

namespace tare::compare {

/// A file NAME.toml, read. docs/worker-protocol.md describes its keys.
struct RowDescription {
  std::string name, title, moment;
  std::string cpu_title;  // its title on the CPU device, where it works otherwise there; else empty
  std::vector<std::string>
      worker;                      // "{tare}": this program; "{jit}": the one that has the case's jit kernel;
                                   // "{here}": the folder of the file; "{twin}": the
                                   // row that a check row repeats; "{python}": the interpreter of its
                                   // environment; "{workers}": the folder of the Python workers
  std::vector<std::string> needs;  // "nvrtc", "nvcc", "nvvm", "clang", "host-compiler", "gpu", "program
                                   // NAME"; alternatives with " or " between them
  std::string no_gpu;              // why it needs a GPU, where it does: a need with a reason of its own
  std::string not_strict;          // why its library cannot honour --fp strict; empty: it can
  std::map<std::string, std::string> environment;  // "{driver}": the path of the loaded driver
  std::optional<PythonEnvironment> python;         // of a row whose worker is started with "{python}"
  bool own_memory = false;                         // memory = "own": not the owner's buffers but the worker's
  std::vector<std::string> twins;  // of a check row: the rows that it may repeat; the first usable one
  bool host_program = false;       // prepare = "host-program": nvcc makes a library of the job before the run
  int order = 500;                 // of the table; equal ones by name
  std::filesystem::path file;
};

/// Parses one description. Throws CaseError "FILE:LINE: ...".
RowDescription parse_row(const std::string& text, const std::string& name, const std::filesystem::path& file);

/// All rows in table order: those built in, then those of <prefix>/share/tare/rows, then those of
/// TARE_ROWS_DIR; a later one replaces an earlier one of the same name. Throws as parse_row.
std::vector<RowDescription> load_rows();

/// The rows that were asked for, in table order; all for an empty list. Throws CaseError for an unknown one.
std::vector<RowDescription> choose_rows(std::vector<RowDescription> rows,
                                        const std::vector<std::string>& names);

/// What this machine has, each looked for once, when first asked for; asking may throw Interrupted.
class Toolbox {
 public:
  Toolbox(bool is_gpu, const Interrupts& interrupts) : is_gpu_(is_gpu), interrupts_(interrupts) {}

  const Search& nvrtc();
  const Search& nvcc();
  const Search& nvvm();
  const Search& clang();
  /// The compiler that nvcc hands the host's part to: NVCC_CCBIN, else gcc and g++ of PATH.
  const Search& host_compiler();
  /// Empty where the need is met, else why not, in one line.
  std::string unmet(const std::string& need);
  /// The first unmet need's reason; empty where the row can run.
  std::string unmet(const RowDescription& row);
  bool is_gpu() const noexcept { return is_gpu_; }

 private:
  bool is_gpu_;
  const Interrupts& interrupts_;
  std::map<std::string, Search> found_;
};

/// The file that `name` means on PATH (or itself, if it has a slash); empty where there is none.
std::filesystem::path find_program(const std::string& name);

/// This program's own file, which workers are started from: TARE_EXECUTABLE, else /proc/self/exe.
std::filesystem::path own_executable();

}  // namespace tare::compare
