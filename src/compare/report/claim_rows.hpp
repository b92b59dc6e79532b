// Rows of which a claim's verdict says the same, gathered.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tare::compare {

/// Rows by what is said of them: "aot and cupy (skipped), clang (failed)".
class RowsByReason {
 public:
  void add(const std::string& row, const std::string& why);
  bool empty() const { return groups_.empty(); }
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> groups_;
};

/// "holds for raw (bits.differing = 0, claimed == 0); does not hold for clang (bits.differing = 611, claimed
/// == 0)".
class RowSummary {
 public:
  /// `verb` is one of kVerbs.
  void add(const std::string& verb, const std::string& row, const std::string& evidence);
  std::string text() const;

  static constexpr const char* kVerbs[] = {"holds for ", "does not hold for ", "undecided for ",
                                           "not judged: "};

 private:
  std::map<std::string, RowsByReason> by_verb_;
};

}  // namespace tare::compare
