// A scanner that knows just enough of C++'s lexical rules to find preprocessing directives.
#include <cctype>

#include "cache/include_scan.hpp"

namespace tare::detail {
namespace {

/// Lines joined at backslash-newline.
std::string spliced(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      std::size_t next = i + 1;
      while (next < text.size() && (text[next] == ' ' || text[next] == '\t' || text[next] == '\r')) ++next;
      if (next < text.size() && text[next] == '\n') {
        i = next;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Scanner {
 public:
  explicit Scanner(const std::string& text) : text_(text) {}

  Directives run() {
    bool line_start = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        line_start = true;
        ++at_;
      } else if (skip_comment() || std::isspace(static_cast<unsigned char>(c)) != 0) {
        if (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0 &&
            text_[at_] != '\n')
          ++at_;
      } else if (line_start && (c == '#' || text_.compare(at_, 2, "%:") == 0)) {
        at_ += c == '#' ? 1 : 2;
        directive();
        line_start = false;
      } else {
        line_start = false;
        token();
      }
    }
    return std::move(found_);
  }

 private:
  bool skip_comment() {
    if (text_.compare(at_, 2, "//") == 0) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return true;
    }
    if (text_.compare(at_, 2, "/*") == 0) {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string::npos ? text_.size() : end + 2;
      return true;
    }
    return false;
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] != '\n')
      if (!skip_comment()) {
        if (text_[at_] != ' ' && text_[at_] != '\t' && text_[at_] != '\r') return;
        ++at_;
      }
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void token() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      literal(c);
    } else if (is_name(c)) {
      const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
      const std::string text = word();
      if (number && at_ < text_.size() && text_[at_] == '\'')
        ++at_;  // a digit separator
      else if (at_ < text_.size() && text_[at_] == '"' && !text.empty() && text.back() == 'R')
        raw_literal();
      else if (text.starts_with("__has_include"))
        has_include();
      else if (text == "__has_embed")
        found_.unknowable = "__has_embed";
    } else {
      ++at_;
    }
  }

  void literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
  }

  void raw_literal() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string::npos) {
      at_ = text_.size();
      return;
    }
    std::string close(1, ')');
    close.append(text_, at_ + 1, open - at_ - 1).push_back('"');
    const std::size_t end = text_.find(close, open);
    at_ = end == std::string::npos ? text_.size() : end + close.size();
  }

  void directive() {
    skip_blanks();
    const std::string name = word();
    if (name == "include")
      header("#include");
    else if (name == "include_next" || name == "import" || name == "embed")
      found_.unknowable = "#" + name;
  }

  void has_include() {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '(') return;  // only asked whether the operator exists
    ++at_;
    header("__has_include");
  }

  void header(const std::string& what) {
    skip_blanks();
    const char open = at_ < text_.size() ? text_[at_] : '\n';
    const char close = open == '<' ? '>' : '"';
    const std::size_t end = open == '<' || open == '"' ? text_.find(close, at_ + 1) : std::string::npos;
    if (end == std::string::npos || text_.find('\n', at_) < end) {
      found_.unknowable = what + " of a macro";
      return;
    }
    found_.includes.push_back({text_.substr(at_ + 1, end - at_ - 1), open == '"'});
    at_ = end + 1;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  Directives found_;
};

}  // namespace

Directives read_directives(std::string_view text) {
  if (text.find("incl") == std::string_view::npos && text.find("\\\n") == std::string_view::npos &&
      text.find("embed") == std::string_view::npos && text.find("import") == std::string_view::npos)
    return {};
  const std::string joined = spliced(text);
  return Scanner(joined).run();
}

}  // namespace tare::detail
