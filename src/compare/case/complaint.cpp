// Messages about a case: their place, and the nearest known name for one that is not known.
#include "compare/case/complaint.hpp"

#include <algorithm>

namespace tare::compare {

void fail_at(const std::string& file, int line, const std::string& message) {
  if (line > 0) throw CaseError(file + ":" + std::to_string(line) + ": " + message);
  throw CaseError(file + ": " + message);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::string suggestion(std::string_view name, std::span<const std::string> known) {
  if (known.empty()) return {};
  const auto nearer = [&](const std::string& a, const std::string& b) {
    return edit_distance(name, a) < edit_distance(name, b);
  };
  const std::string& nearest = *std::min_element(known.begin(), known.end(), nearer);
  const std::size_t limit = std::max<std::size_t>(2, std::max(name.size(), nearest.size()) / 2);
  if (edit_distance(name, nearest) <= limit) return "; did you mean `" + nearest + "`?";
  std::string all;
  for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
  return "; known: " + all;
}

std::string unknown(std::string_view what, std::string_view name, std::span<const std::string> known) {
  return "unknown " + std::string(what) + " `" + std::string(name) + "`" + suggestion(name, known);
}

}  // namespace tare::compare
