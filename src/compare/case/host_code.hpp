// Code that only the host can compile, in a text that every row hands to a device compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tare::compare {

/// What of `source` is the host's alone, as a person calls it: "main()", "<cstdio>", "a <<<...>>> launch".
/// Each once, at most four.
std::vector<std::string> host_code_in(std::string_view source);

/// Whether a device compiler has no such header by itself: <cstdio>, <vector>, <stdio.h>, ...
bool is_host_header(std::string_view header);

/// For a source with such code in it: what it is, and how the kernel is marked. Empty for any other.
std::string host_code_hint(std::string_view source);

}  // namespace tare::compare
