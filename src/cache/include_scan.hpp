// Which headers a source reads, found without a compiler: NVRTC does not tell. Every directive counts,
// also those in branches that the preprocessor would leave out, so the list is never too short.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tare/cache.hpp"
#include "tare/compile.hpp"

namespace tare::detail {

/// One directive of a text.
struct Directive {
  std::string name;     // "a.h"
  bool quoted = false;  // "a.h" rather than <a.h>
};

struct Directives {
  std::vector<Directive> includes;  // #include and __has_include alike: both look for a file
  std::string unknowable;           // a directive whose file cannot be told from the text; else empty
};

/// Reads the directives of one text: comments, strings, raw strings and spliced lines understood.
Directives read_directives(std::string_view text);

struct IncludeScan {
  std::vector<CacheInput> inputs;          // what the key has to hold
  std::vector<std::string> opened;         // headers of the user's, absolute
  std::vector<std::string> probed_absent;  // paths at which a header was looked for before or in vain
  bool any = false;                        // is there any directive at all?
  std::string unknowable;                  // why the list cannot be had; empty where it can
};

/// Follows the directives from `source` through the user's headers. A toolkit's headers count as one:
/// the package's identity, and which of its names a folder of the user's hides.
IncludeScan scan_includes(const std::string& source, const CompileOptions& options,
                          const std::vector<std::filesystem::path>& toolkit_dirs);

}  // namespace tare::detail
