// How the parts of a case say that something is wrong: without a place at first, then with the file and
// line that the reader of the case knows.
#pragma once

#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "compare/case/case.hpp"

namespace tare::compare {

/// What is wrong with a value, said by code that does not know where the value stands.
class Complaint : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws CaseError "FILE:LINE: message", or "FILE: message" for line 0.
[[noreturn]] void fail_at(const std::string& file, int line, const std::string& message);

/// Runs `work`; a Complaint from it becomes a CaseError with this place.
template <class Work>
decltype(auto) located(const std::string& file, int line, Work&& work) {
  try {
    return work();
  } catch (const Complaint& complaint) {
    fail_at(file, line, complaint.what());
  }
}

/// Edit distance where a swap of neighbours counts as one (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "; did you mean `X`?" with the nearest of `known`, or "; known: A, B, C" where none is near. Empty for
/// an empty list.
std::string suggestion(std::string_view name, std::span<const std::string> known);

/// "unknown WHAT `NAME`" and the suggestion.
std::string unknown(std::string_view what, std::string_view name, std::span<const std::string> known);

}  // namespace tare::compare
