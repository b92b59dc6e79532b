// What the three compilers share: the source as they get it, its directory, and architectures as text.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tare/compile.hpp"

namespace tare::detail {

/// "sm_90a" or "compute_90a" taken apart.
struct Architecture {
  int number = 0;      // 90
  std::string suffix;  // "", "a", "f"
  std::string sm() const { return "sm_" + std::to_string(number) + suffix; }
  std::string compute() const { return "compute_" + std::to_string(number) + suffix; }
};
/// nullopt for anything else ("native", "sm_", "").
std::optional<Architecture> parse_architecture(const std::string& text);

/// The architecture in the form that `code` needs: sm_XX for a cubin, compute_XX for PTX. What cannot be
/// parsed stays as it is, for the compiler to refuse. Throws Error(argument) where none is given.
std::string architecture_for(Code code, const CompileOptions& options);

/// Without a byte order mark, after a #line directive where the source does not start at its file's first
/// line (or `always`). Throws Error(argument) for a NUL inside.
std::string with_line_directive(const std::string& source, const CompileOptions& options, bool always);

/// Directory in which `#include "x"` looks first: that of the file's name, the current one for a plain name.
std::filesystem::path quote_directory(const CompileOptions& options);

/// Has it an #include directive with quotes?
bool has_quoted_include(const std::string& source);

/// "NAME.cu" for a temporary file: the last part of the file's name, made harmless.
std::string plain_file_name(const CompileOptions& options);

std::vector<std::byte> to_bytes(const std::string& text);

}  // namespace tare::detail
