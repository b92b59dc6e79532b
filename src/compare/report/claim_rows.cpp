#include "compare/report/claim_rows.hpp"

#include <algorithm>

#include "compare/report/figures.hpp"

namespace tare::compare {

void RowsByReason::add(const std::string& row, const std::string& why) {
  for (auto& [known, rows] : groups_)
    if (known == why) {
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
      return;
    }
  groups_.push_back({why, {row}});
}

std::string RowsByReason::text() const {
  std::string text;
  for (const auto& [why, rows] : groups_)
    text += (text.empty() ? "" : ", ") + join_names(rows) + " (" + why + ")";
  return text;
}

void RowSummary::add(const std::string& verb, const std::string& row, const std::string& evidence) {
  by_verb_[verb].add(row, evidence);
}

std::string RowSummary::text() const {
  std::string text;
  for (const char* const verb : kVerbs)
    if (const auto rows = by_verb_.find(verb); rows != by_verb_.end())
      text += (text.empty() ? "" : "; ") + std::string(verb) + rows->second.text();
  return text;
}

}  // namespace tare::compare
