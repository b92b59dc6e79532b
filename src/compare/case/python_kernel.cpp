#include "compare/case/python_kernel.hpp"

#include "compare/case/complaint.hpp"
#include "compare/case/plain_file.hpp"
#include "compare/case/tokens.hpp"

namespace tare::compare {
namespace {

bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_char(text[at - 1]);
    if (begins && (end == text.size() || !is_word_char(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::string why_no_python_kernel(const std::filesystem::path& file, const std::string& function) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return "no such file: " + file.string();
  try {
    const std::string text = read_plain_text(file);
    // A name that is nowhere in the text can still come from elsewhere.
    const bool may_be_made = text.find("import *") != std::string::npos || has_word(text, "globals") ||
                             has_word(text, "exec") || has_word(text, "__getattr__");
    if (!has_word(text, function) && !may_be_made)
      return file.string() + " has no function `" + function + "`";
  } catch (const Complaint& complaint) {
    return file.string() + ": " + complaint.what();
  }
  return {};
}

}  // namespace tare::compare
