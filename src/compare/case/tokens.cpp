// Splits CUDA C++ into tokens, well enough for signatures and for what a kernel does with a name.
#include "compare/case/tokens.hpp"

#include <algorithm>
#include <string>

namespace tare::compare {
namespace {

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
        line_is_blank_ = true;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
      } else if (starts("//")) {
        skip_to_line_end();
      } else if (starts("/*")) {
        skip_past("*/");
      } else if (c == '#' && line_is_blank_) {
        skip_to_line_end();
      } else {
        line_is_blank_ = false;
        tokens.push_back(token());
      }
    }
    return tokens;
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void advance_to(std::size_t end) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  /// Up to, not past, the newline; a backslash before it continues the line.
  void skip_to_line_end() {
    std::size_t end = at_;
    for (;;) {
      end = text_.find('\n', end);
      if (end == std::string_view::npos) return advance_to(text_.size());
      std::size_t before = end;
      if (before > at_ && text_[before - 1] == '\r') --before;
      if (before == at_ || text_[before - 1] != '\\') return advance_to(end);
      ++end;
    }
  }

  void skip_past(std::string_view what) {
    const std::size_t found = text_.find(what, at_ + 2);
    advance_to(found == std::string_view::npos ? text_.size() : found + what.size());
  }

  Token token() {
    Token token{{}, at_, line_, false, false};
    std::size_t end = at_ + 1;
    if (starts("R\"")) {
      const std::size_t open = std::min(text_.find('(', at_), text_.size());
      std::string close(1, ')');
      close += text_.substr(at_ + 2, open - at_ - 2);
      close += '"';
      const std::size_t found = text_.find(close, open);
      end = found == std::string_view::npos ? text_.size() : found + close.size();
      token.is_string = true;
    } else if (is_word_char(text_[at_])) {
      while (end < text_.size() && (is_word_char(text_[end]) || joins_names(end))) {
        end += text_[end] == ':' ? 2 : 1;
      }
      token.is_word = true;
    } else if (text_[at_] == '"' || text_[at_] == '\'') {
      while (end < text_.size() && text_[end] != text_[at_] && text_[end] != '\n') {
        end += text_[end] == '\\' ? 2 : 1;
      }
      end = std::min(end + 1, text_.size());
      token.is_string = true;
    }
    token.text = text_.substr(at_, end - at_);
    advance_to(end);
    return token;
  }

  bool joins_names(std::size_t at) const {
    return text_.substr(at).starts_with("::") && at + 2 < text_.size() && is_word_char(text_[at + 2]);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_is_blank_ = true;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  return Tokenizer(text).all();
}

}  // namespace tare::compare
