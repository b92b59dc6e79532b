// The tokens of CUDA C++: words, strings and single characters; comments and preprocessor lines are passed
// over, macros are not expanded.
#pragma once

#include <cctype>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tare::compare {

struct Token {
  std::string_view text;  // into the text that was read; every other than a word or string is one character
  std::size_t begin = 0;
  int line = 1;
  bool is_word = false, is_string = false;  // a qualified name is one word: "std::size_t"
};

inline bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// All tokens of `text`, which must outlive them.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace tare::compare
