// From the names that people write ("scale<float>", "ns::fill") to the symbols in the compiled code, for
// compilers that, unlike NVRTC, do not tell.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tare::detail {

/// Has it template arguments?
bool is_template_instance(const std::string& name);

/// Text to put after the source so that the compiler makes the template instances among `names`. One
/// line, without effect on anything else in the code.
std::string instantiations(const std::vector<std::string>& names);

/// Symbols for `names` among the kernels of the compiled code, or nullopt where that is not certain: two
/// instances of one template cannot be told apart by this. Throws Error(not_found) listing the kernels
/// where a name matches none, Error(argument) where a plain name is overloaded.
std::optional<std::map<std::string, std::string>> match_names(const std::vector<std::string>& names,
                                                              const std::vector<std::string>& entries);

/// The certain way, at the cost of a second compile: variables that hold the kernels' addresses, to be
/// put after the source, and their values read back from the PTX.
std::string name_markers(const std::vector<std::string>& names);
std::map<std::string, std::string> read_name_markers(const std::vector<std::string>& names,
                                                     const std::string& ptx);

}  // namespace tare::detail
