// Finds functions in CUDA C++ by their tokens, well enough for a kernel's signature: no preprocessing, no
// name look-up.
#include <algorithm>
#include <array>

#include "compare/case/snippet.hpp"
#include "compare/case/tokens.hpp"

namespace tare::compare {
namespace {

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
  explicit FunctionFinder(std::string_view text) : tokens_(tokens_of(text)) {}

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
    function.body_begin = tokens_[at_].begin;
    at_ = past_matching(at_, "{", "}");
    if (!named) return;
    function.body_end = tokens_[at_ - 1].begin + tokens_[at_ - 1].text.size();
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
