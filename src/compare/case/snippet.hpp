// From the text of a .cu to what is compiled: regions between markers, functions found in them, and C
// linkage for the kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tare::compare {

/// Whether the text has any snippet marker at all.
bool has_snippet_markers(std::string_view text);

/// A parameter as the source declares it: "const float* __restrict__ a".
struct FunctionParameter {
  std::string type, name;
};

/// A function definition or declaration found at namespace scope.
struct SourceFunction {
  std::string name;
  std::vector<FunctionParameter> parameters;
  std::string parameter_text;       // between the parentheses, without comments
  std::string template_parameters;  // between < and > of `template <...>`, empty where it is none
  bool is_kernel = false;           // has __global__
  bool is_definition = false;
  bool has_c_linkage = false;                // extern "C" in the declaration itself or around it
  std::size_t begin = 0;                     // of the declaration in the text, after any `template <...>`
  std::size_t body_begin = 0, body_end = 0;  // of a definition: with its braces
  int line = 1;
};

/// Every function at namespace scope, in order. Reads tokens, not C++: comments, strings, preprocessor lines
/// and attributes are passed over, macros are not expanded.
std::vector<SourceFunction> find_functions(std::string_view text);

/// The text with `extern "C" ` in front of each declaration of the kernel, on its own line, so that line
/// numbers stay as they are. Unchanged for a template instance or a qualified name.
std::string with_c_linkage(const std::string& text, const std::string& kernel_name);

}  // namespace tare::compare
