// Finds functions in CUDA C++ by their tokens, well enough for a kernel's signature: no preprocessing, no
// name look-up.
#include <algorithm>
#include <array>
#include <cctype>

#include "compare/case/snippet.hpp"

namespace tare::compare {
namespace {

struct Token {
  std::string_view text;
  std::size_t begin = 0;
  int line = 1;
  bool is_word = false, is_string = false;
};

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

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

constexpr std::array kTakesParentheses{"__attribute__", "__launch_bounds__", "__declspec",  "alignas",
                                       "__align__",     "__cluster_dims__",  "__maxnreg__", "__block_size__",
                                       "noexcept",      "decltype",          "requires",    "static_assert"};
constexpr std::array kTypeWords{"void",   "bool",   "char",     "short", "int",      "long",   "float",
                                "double", "signed", "unsigned", "const", "volatile", "struct", "auto"};

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<const char*, N>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

class FunctionFinder {
 public:
  explicit FunctionFinder(std::string_view text) : tokens_(Tokenizer(text).all()) {}

  std::vector<SourceFunction> all() {
    while (at_ < tokens_.size()) declaration();
    return std::move(functions_);
  }

 private:
  bool is(std::size_t at, std::string_view text) const {
    return at < tokens_.size() && tokens_[at].text == text;
  }

  /// The index after the bracket that matches the one at `at`. For `<` a `>>` is two tokens already.
  std::size_t past_matching(std::size_t at, std::string_view open, std::string_view close) const {
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      if (is(at, open)) ++depth;
      if (is(at, close) && --depth == 0) return at + 1;
    }
    return at;
  }

  std::string joined(std::size_t begin, std::size_t end) const {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
      const bool word = tokens_[i].is_word || tokens_[i].is_string || is(i, "=");
      const bool spaced = !text.empty() && word && text.back() != '<' && text.back() != '(' &&
                          text.back() != '[' && text.back() != ':';
      if (spaced) text += ' ';
      text += tokens_[i].text;
    }
    return text;
  }

  /// Reads one declaration at namespace scope, or enters or leaves a namespace or extern "C" block.
  void declaration() {
    if (is(at_, "}")) {
      if (!blocks_.empty()) blocks_.pop_back();
      ++at_;
      return;
    }
    SourceFunction function;
    while (is(at_, "template") && is(at_ + 1, "<")) {
      const std::size_t end = past_matching(at_ + 1, "<", ">");
      function.template_parameters = joined(at_ + 2, end - 1);
      at_ = end;
    }
    if (at_ >= tokens_.size()) return;
    function.begin = tokens_[at_].begin;
    function.line = tokens_[at_].line;
    function.has_c_linkage = std::find(blocks_.begin(), blocks_.end(), true) != blocks_.end();
    const std::size_t begin = at_;
    bool named = false, is_variable = false;
    for (; at_ < tokens_.size() && !is(at_, ";") && !is(at_, "{") && !is(at_, "}"); ++at_) {
      if (is(at_, "__global__")) function.is_kernel = true;
      if (is(at_, "extern") && is(at_ + 1, "\"C\"")) function.has_c_linkage = true;
      if (is(at_, "=") && !named) is_variable = true;
      if (!tokens_[at_].is_word || !is(at_ + 1, "(")) continue;
      const std::size_t end = past_matching(at_ + 1, "(", ")");
      if (!named && !is_variable && !is_one_of(tokens_[at_].text, kTakesParentheses)) {
        function.name = tokens_[at_].text;
        function.parameter_text = joined(at_ + 2, end - 1);
        parameters(function, at_ + 2, end - 1);
        named = true;
      }
      at_ = end - 1;
    }
    finish(std::move(function), begin, named);
  }

  void finish(SourceFunction function, std::size_t begin, bool named) {
    if (!is(at_, "{")) {
      if (named && is(at_, ";")) functions_.push_back(std::move(function));
      if (is(at_, ";")) ++at_;
      return;
    }
    if (!named && is_transparent(begin)) {
      blocks_.push_back(is(begin, "extern"));
      ++at_;
      return;
    }
    at_ = past_matching(at_, "{", "}");
    if (!named) return;
    function.is_definition = true;
    functions_.push_back(std::move(function));
  }

  bool is_transparent(std::size_t begin) const {
    if (is(begin, "extern") && is(begin + 1, "\"C\"") && begin + 2 == at_) return true;
    return is(begin, "namespace") || (is(begin, "inline") && is(begin + 1, "namespace"));
  }

  void parameters(SourceFunction& function, std::size_t begin, std::size_t end) const {
    std::size_t from = begin;
    int depth = 0;
    for (std::size_t i = begin; i <= end; ++i) {
      if (i == end || (depth == 0 && is(i, ","))) {
        parameter(function, from, i);
        from = i + 1;
      } else if (is(i, "<") || is(i, "(") || is(i, "[") || is(i, "{")) {
        ++depth;
      } else if (is(i, ">") || is(i, ")") || is(i, "]") || is(i, "}")) {
        --depth;
      }
    }
  }

  void parameter(SourceFunction& function, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (is(i, "=")) end = i;
    }
    if (begin == end || (end == begin + 1 && is(begin, "void"))) return;
    const char* pointer = "";
    while (end > begin && is(end - 1, "]")) {
      std::size_t open = end - 1;
      while (open > begin && !is(open, "[")) --open;
      end = open;
      pointer = "*";
    }
    FunctionParameter parameter;
    const std::size_t last = end - 1;
    if (end > begin + 1 && tokens_[last].is_word && !is_one_of(tokens_[last].text, kTypeWords) &&
        has_type(begin, last)) {
      parameter.name = tokens_[last].text;
      end = last;
    }
    parameter.type = joined(begin, end) + pointer;
    function.parameters.push_back(std::move(parameter));
  }

  /// Whether tokens before a parameter's last word already name a type: "const T" alone has no name.
  bool has_type(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (tokens_[i].is_word && !is(i, "const") && !is(i, "volatile") && !is(i, "struct")) return true;
    }
    return false;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::vector<bool> blocks_;  // true: extern "C"
  std::vector<SourceFunction> functions_;
};

}  // namespace

std::vector<SourceFunction> find_functions(std::string_view text) {
  return FunctionFinder(text).all();
}

}  // namespace tare::compare
