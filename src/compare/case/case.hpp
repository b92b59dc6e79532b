// A case file (TOML beside a .cu), read and checked: every mistake in it is a CaseError with its line.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "compare/case/job.hpp"

namespace tare::compare {

/// A bad case: exit code 2. what() is "FILE:LINE: message" (no line where none applies), with the
/// nearest known name where a name is unknown.
class CaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A statement made before the run; the report answers held, refuted or undecided.
struct Claim {
  std::string text;
  std::string holds;              // "max(mean_ms) / min(mean_ms) <= 1.05"
  std::vector<std::string> only;  // rows it speaks of; with `holds` per row: these and no others
  int line = 0;
};

struct CaseOverrides {
  std::map<std::string, std::int64_t> values;  // --n and others
  std::optional<std::vector<unsigned>> block;  // --threads
};

/// A parsed case. Its numbers are put in by job().
class Case {
 public:
  /// Reads the TOML file and the .cu it names. Throws CaseError.
  static Case load(const std::filesystem::path& toml);
  /// The built-in vector add, compiled into the program.
  static Case builtin();

  /// Throws CaseError where an expression cannot be evaluated, a count is negative or too large, ...
  Job job(const CaseOverrides& overrides = {}) const;
  const std::vector<Claim>& claims() const;
  const std::string& name() const;

  struct Document;  // the parsed file, private to case.cpp
  explicit Case(std::shared_ptr<const Document> document) : document_(std::move(document)) {}

 private:
  std::shared_ptr<const Document> document_;
};

/// Writes the Python version of the built-in case's kernel into `directory`: its path, or an empty one where
/// there is none. Throws CaseError.
std::filesystem::path write_builtin_python(const std::filesystem::path& directory);

/// Cuts the region between `// snippet: NAME` and `// end snippet`; nullopt where there is none.
/// Throws CaseError where it stands twice or is not ended.
struct Snippet {
  std::string text;
  int first_line = 1;
};
std::optional<Snippet> cut_snippet(std::string_view file_text, std::string_view name,
                                   const std::string& file_name);

/// A first case for a kernel (`tare init`), and what is left for a person to do before it can run.
struct DraftedCase {
  std::string text;                // TOML
  std::vector<std::string> to_do;  // a sentence each, without a full stop
};

/// Guessed from the signature and the text of a kernel in the .cu file. `toml` is where it will be written,
/// which the .cu is named relative to; empty: beside the .cu. Throws CaseError where there is no __global__
/// function, or several and none is named.
DraftedCase first_case(const std::filesystem::path& cu, const std::string& kernel = {},
                       const std::filesystem::path& toml = {});

/// `text` as one word of a shell's command line.
std::string shell_quoted(const std::string& text);

}  // namespace tare::compare
