// Classifies each occurrence of a buffer's name by the tokens around it.
#include "compare/case/buffer_use.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "compare/case/tokens.hpp"

namespace tare::compare {
namespace {

constexpr std::array<std::string_view, 4> kStores{"__stcg", "__stcs", "__stwb", "__stwt"};
constexpr std::array<std::string_view, 6> kLoads{"__ldg", "__ldcg", "__ldcs", "__ldca", "__ldcv", "__ldlu"};

class Uses {
 public:
  Uses(std::string_view body, std::string_view name) : tokens_(tokens_of(body)) {
    for (std::size_t at = 0; at < tokens_.size(); ++at)
      if (tokens_[at].is_word && tokens_[at].text == name && !is_member(at)) occurrence(at);
  }

  BufferUse summary() const {
    if (!(written_ || read_ || atomic_ || handed_on_)) return BufferUse::unseen;
    if (read_) return written_ || atomic_ || handed_on_ ? BufferUse::read_too : BufferUse::only_read;
    if (handed_on_) return BufferUse::handed_on;
    return atomic_ ? BufferUse::accumulated : BufferUse::only_written;
  }

 private:
  bool is(std::size_t at, std::string_view text) const {
    return at < tokens_.size() && tokens_[at].text == text;
  }
  /// Two tokens of one operator: nothing between them.
  bool is_pair(std::size_t at, std::string_view first, std::string_view second) const {
    return is(at, first) && is(at + 1, second) && tokens_[at].begin + 1 == tokens_[at + 1].begin;
  }
  bool is_member(std::size_t at) const {
    return at > 0 && (is(at - 1, ".") || (at > 1 && is_pair(at - 2, "-", ">")));
  }
  /// Whether the token ends an operand, so that a `*` or `&` after it takes two.
  bool ends_operand(std::size_t at) const {
    const bool keyword = is(at, "return") || is(at, "else") || is(at, "do");
    return (tokens_[at].is_word && !keyword) || is(at, ")") || is(at, "]");
  }
  bool is_prefix(std::size_t at, std::string_view op) const {
    return is(at, op) && (at == 0 || !ends_operand(at - 1));
  }
  std::size_t past_matching(std::size_t at, std::string_view open, std::string_view close) const {
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      if (is(at, open)) ++depth;
      if (is(at, close) && --depth == 0) return at + 1;
    }
    return at;
  }
  /// The parenthesis that is open at `at`, or npos.
  std::size_t enclosing(std::size_t at) const {
    for (int depth = 0; at-- > 0;) {
      if (is(at, ";") || is(at, "{") || is(at, "}")) break;
      if (is(at, ")")) ++depth;
      if (is(at, "(") && depth-- == 0) return at;
    }
    return npos;
  }

  void occurrence(std::size_t at) {
    const bool prefixed = at > 0;
    if (is(at + 1, "[")) {
      std::size_t end = at + 1;
      while (is(end, "[")) end = past_matching(end, "[", "]");
      if (prefixed && is_prefix(at - 1, "&")) return address(at - 1);
      if (at > 1 && is(at - 1, "(") && is(end, ")") && is_prefix(at - 2, "&")) return address(at - 2);
      return element(at, end);
    }
    if (prefixed && is_prefix(at - 1, "*")) return element(at - 1, at + 1);
    address(at);
  }

  /// The element's expression is [begin, end).
  void element(std::size_t begin, std::size_t end) {
    while (is(end, ".") && end + 1 < tokens_.size() && tokens_[end + 1].is_word) end += 2;
    const bool stepped = begin > 1 && (is_pair(begin - 2, "+", "+") || is_pair(begin - 2, "-", "-"));
    const bool assigned = is(end, "=") && !is_pair(end, "=", "=");
    if (assigned && !stepped) {
      written_ = true;
      return;
    }
    read_ = true;
    written_ |= stepped || is_pair(end, "+", "+") || is_pair(end, "-", "-") || is_compound(end);
  }

  /// `+=` and its like, `<<=` and `>>=`.
  bool is_compound(std::size_t at) const {
    if (is_pair(at, "<", "<") || is_pair(at, ">", ">")) ++at;
    for (const char* op : {"+", "-", "*", "/", "%", "&", "|", "^", "<", ">"})
      if (is_pair(at, op, "=")) return at > 0 && (is(at - 1, op) || (*op != '<' && *op != '>'));
    return false;
  }

  /// The buffer's address, or one inside it, stands at `at`: what takes it?
  void address(std::size_t at) {
    const std::size_t open = enclosing(at);
    if (open == npos || open == 0) {
      handed_on_ = true;
      return;
    }
    const std::size_t close = past_matching(open, "(", ")");
    if (is_prefix(open - 1, "*")) return element(open - 1, close);
    if (is_prefix(open - 1, "&") || is(open - 1, "(") || is(open - 1, ",")) return address(open - 1);
    if (is(open - 1, ">")) return cast(open, close);
    const std::string_view function = tokens_[open - 1].text;
    if (function.starts_with("atomic"))
      atomic_ = true;
    else if (std::find(kStores.begin(), kStores.end(), function) != kStores.end())
      written_ = true;
    else if (std::find(kLoads.begin(), kLoads.end(), function) != kLoads.end())
      read_ = true;
    else
      handed_on_ = true;
  }

  /// `reinterpret_cast<float4*>(...)` around the address.
  void cast(std::size_t open, std::size_t close) {
    std::size_t begin = open - 1;
    for (int depth = 0; begin > 0; --begin) {
      if (is(begin, ">")) ++depth;
      if (is(begin, "<") && --depth == 0) break;
    }
    if (begin == 0 || !tokens_[begin - 1].text.ends_with("_cast")) {
      handed_on_ = true;
      return;
    }
    --begin;
    if (is(close, "[")) return element(begin, past_matching(close, "[", "]"));
    if (begin > 0 && is_prefix(begin - 1, "*")) return element(begin - 1, close);
    address(begin);
  }

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  std::vector<Token> tokens_;
  bool written_ = false, read_ = false, atomic_ = false, handed_on_ = false;
};

}  // namespace

BufferUse use_of_buffer(std::string_view body, std::string_view name) {
  return Uses(body, name).summary();
}

}  // namespace tare::compare
