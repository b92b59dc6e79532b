// nvcc's command line, apart from running it, and the compile that also says which files it opened.
#pragma once

#include <string>
#include <vector>

#include "tare/compile.hpp"

namespace tare::detail {

/// Everything but the input and output files.
std::vector<std::string> nvcc_options(Code code, const CompileOptions& options, bool quoted_includes);

/// Numbers of the architectures that this nvcc compiles for; empty where it does not say.
std::vector<int> nvcc_architectures(const CompileOptions& options);

struct NvccResult {
  Compiled compiled;
  std::string dependencies;  // a make rule; empty unless asked for
};

/// As compile_nvcc. `want_dependencies` has nvcc write the files that it opened.
NvccResult run_nvcc(const std::string& source, Code code, const std::vector<std::string>& names,
                    const CompileOptions& options, bool want_dependencies);

}  // namespace tare::detail
