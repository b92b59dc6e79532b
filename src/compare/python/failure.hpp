// What an installer printed before it failed, turned into what a person needs: the lines that matter, and
// what to do next.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tare::compare {

/// The lines that name an error, at most the last ten, or else the last fifteen lines.
std::string essential_lines(const std::string& output);

/// What was being done, as far as a hint repeats it.
struct Attempt {
  std::vector<std::string> rows;     // that were asked for; empty: all
  int cuda = 0;                      // 12 or 13
  std::string python;                // "3.12", once it is known
  std::filesystem::path wheelhouse;  // empty: none was named
  bool offline = false;              // no index is asked
};

/// Whether the output says that no package index can be reached: then none of the other environments will be
/// made either.
bool says_no_index(const std::string& output);

/// What to do about it; empty where nothing is known.
std::string installation_hint(const std::string& output, const Attempt& attempt);

}  // namespace tare::compare
