// Looks for main, launches and the standard library's headers.
#include "compare/case/host_code.hpp"

#include <algorithm>
#include <array>

#include "compare/case/snippet.hpp"
#include "compare/case/tokens.hpp"

namespace tare::compare {
namespace {

constexpr std::size_t kMost = 4;

constexpr std::array<std::string_view, 68> kHostHeaders{
    "algorithm",     "any",        "array",      "assert.h",
    "atomic",        "bitset",     "cassert",    "cctype",
    "cerrno",        "cfloat",     "chrono",     "cinttypes",
    "climits",       "cmath",      "complex",    "condition_variable",
    "cstddef",       "cstdint",    "cstdio",     "cstdlib",
    "cstring",       "ctime",      "deque",      "errno.h",
    "exception",     "execution",  "filesystem", "float.h",
    "fstream",       "functional", "future",     "inttypes.h",
    "iomanip",       "iostream",   "iterator",   "limits",
    "limits.h",      "list",       "map",        "math.h",
    "memory",        "mutex",      "numeric",    "optional",
    "random",        "ratio",      "set",        "span",
    "sstream",       "stdexcept",  "stdint.h",   "stdio.h",
    "stdlib.h",      "string",     "string.h",   "string_view",
    "sys/time.h",    "thread",     "time.h",     "tuple",
    "type_traits",   "typeinfo",   "unistd.h",   "unordered_map",
    "unordered_set", "utility",    "variant",    "vector"};

void add(std::vector<std::string>& found, std::string what) {
  if (found.size() < kMost && std::find(found.begin(), found.end(), what) == found.end())
    found.push_back(std::move(what));
}

/// The headers that the text's #include lines name.
void add_headers(std::vector<std::string>& found, std::string_view source) {
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    std::string_view line = source.substr(0, end);
    source.remove_prefix(std::min(end + 1, source.size()));
    const auto skip = [&](std::string_view what) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      if (!line.starts_with(what)) return false;
      line.remove_prefix(what.size());
      return true;
    };
    if (!skip("#") || !skip("include") || !skip("<")) continue;
    const std::string_view header = line.substr(0, line.find('>'));
    if (is_host_header(header)) add(found, "<" + std::string(header) + ">");
  }
}

bool has_launch(std::string_view source) {
  const std::vector<Token> tokens = tokens_of(source);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
    if (tokens[i].text == "<" && tokens[i + 1].text == "<" && tokens[i + 2].text == "<") return true;
  return false;
}

}  // namespace

bool is_host_header(std::string_view header) {
  return std::find(kHostHeaders.begin(), kHostHeaders.end(), header) != kHostHeaders.end();
}

std::vector<std::string> host_code_in(std::string_view source) {
  std::vector<std::string> found;
  for (const SourceFunction& function : find_functions(source))
    if (function.name == "main" && function.is_definition) add(found, "main()");
  if (has_launch(source)) add(found, "a <<<...>>> launch");
  add_headers(found, source);
  return found;
}

std::string host_code_hint(std::string_view source) {
  const std::vector<std::string> found = host_code_in(source);
  if (found.empty()) return {};
  std::string all;
  for (const std::string& each : found) all += (all.empty() ? "" : ", ") + each;
  return "it has code for the host in it (" + all +
         "): put `// snippet: kernel` on a line before the kernel and what that needs, and `// end snippet` "
         "after it; only what stands between them is compiled by the rows";
}

}  // namespace tare::compare
