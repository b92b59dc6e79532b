// Takes reasons of the form "X not found: looked in PLACES" apart.
#include "compare/report/reasons.hpp"

#include <algorithm>
#include <string_view>

#include "compare/report/figures.hpp"

namespace tare::compare {
namespace {

constexpr std::string_view kLooked = " not found: looked in ";
/// A reason of this length does no harm in a table.
constexpr std::size_t kShort = 60;

/// "NVRTC not found: looked in A", "clang not found: looked in B"; empty where the reason is anything else.
std::vector<std::string> searches_in(const std::string& reason) {
  std::vector<std::size_t> begins;
  for (std::size_t at = reason.find(kLooked); at != std::string::npos; at = reason.find(kLooked, at + 1)) {
    const std::size_t before = reason.rfind("; ", at);
    begins.push_back(before == std::string::npos ? 0 : before + 2);
  }
  if (begins.empty() || begins.front() != 0 || reason.size() <= kShort) return {};
  std::vector<std::string> searches;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1] - 2 : reason.size();
    searches.push_back(reason.substr(begins[i], end - begins[i]));
  }
  return searches;
}

}  // namespace

std::string short_reason(const std::string& reason) {
  std::vector<std::string> names;
  for (const std::string& search : searches_in(reason))
    names.push_back(search.substr(0, search.find(kLooked)));
  return names.empty() ? reason : join_names(names) + " not found in the places named below";
}

std::vector<std::string> places_left_out(const std::vector<std::string>& reasons) {
  std::vector<std::string> all;
  for (const std::string& reason : reasons)
    for (std::string& search : searches_in(reason))
      if (std::find(all.begin(), all.end(), search) == all.end()) all.push_back(std::move(search));
  return all;
}

}  // namespace tare::compare
