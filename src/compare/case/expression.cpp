// A recursive descent over the text; every step is checked for overflow.
#include "compare/case/expression.hpp"

#include <cctype>
#include <charconv>
#include <vector>

#include "compare/case/complaint.hpp"

namespace tare::compare {
namespace {

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool continues_name(char c) {
  return starts_name(c) || is_digit(c);
}

class Evaluator {
 public:
  Evaluator(std::string_view text, const ValueOf& value_of) : text_(text), value_of_(value_of) {}

  std::int64_t whole() {
    const std::int64_t result = sum();
    skip_space();
    if (at_ != text_.size()) bad("unexpected `" + std::string(1, text_[at_]) + "`");
    return result;
  }

 private:
  static constexpr int kDeepest = 200;  // parentheses and signs; keeps a hostile case off the stack's end

  std::int64_t sum() {
    std::int64_t left = product();
    for (;;) {
      if (take('+')) {
        const std::int64_t right = product();
        if (__builtin_add_overflow(left, right, &left)) overflow();
      } else if (take('-')) {
        const std::int64_t right = product();
        if (__builtin_sub_overflow(left, right, &left)) overflow();
      } else {
        return left;
      }
    }
  }

  std::int64_t product() {
    std::int64_t left = factor();
    for (;;) {
      if (take('*')) {
        const std::int64_t right = factor();
        if (__builtin_mul_overflow(left, right, &left)) overflow();
      } else if (take('/')) {
        left = floor_divide(left, factor());
      } else {
        return left;
      }
    }
  }

  std::int64_t floor_divide(std::int64_t left, std::int64_t right) const {
    if (right == 0) bad("division by zero");
    if (left == INT64_MIN && right == -1) overflow();
    const std::int64_t quotient = left / right;
    return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
  }

  std::int64_t factor() {
    if (++depth_ > kDeepest) bad("too deeply nested");
    const std::int64_t result = factor_inside();
    --depth_;
    return result;
  }

  std::int64_t factor_inside() {
    if (take('-')) {
      const std::int64_t inner = factor();
      if (inner == INT64_MIN) overflow();
      return -inner;
    }
    if (take('+')) return factor();
    if (take('(')) {
      const std::int64_t inner = sum();
      if (!take(')')) bad("`)` is missing");
      return inner;
    }
    skip_space();
    if (at_ == text_.size()) bad("a number or a name is missing at the end");
    if (is_digit(text_[at_])) return number();
    if (starts_name(text_[at_])) return name();
    bad("unexpected `" + std::string(1, text_[at_]) + "`");
  }

  std::int64_t number() {
    std::int64_t result = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), result);
    if (error != std::errc()) overflow();
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && (continues_name(text_[at_]) || text_[at_] == '.')) {
      bad("only whole decimal numbers are allowed");
    }
    return result;
  }

  std::int64_t name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    return value_of_(std::string(text_.substr(begin, at_ - begin)));
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void bad(const std::string& why) const {
    throw Complaint("expression `" + std::string(text_) + "`: " + why);
  }
  [[noreturn]] void overflow() const { bad("does not fit in 64 bits"); }

  std::string_view text_;
  const ValueOf& value_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::int64_t evaluate(std::string_view expression, const ValueOf& value_of) {
  return Evaluator(expression, value_of).whole();
}

std::int64_t evaluate(std::string_view expression, const std::map<std::string, std::int64_t>& values) {
  return evaluate(expression, [&](const std::string& name) {
    const auto found = values.find(name);
    if (found != values.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [each, value] : values) known.push_back(each);
    throw Complaint("expression `" + std::string(expression) + "`: " + unknown("value", name, known));
  });
}

bool is_name(std::string_view text) {
  if (text.empty() || !starts_name(text[0])) return false;
  for (const char c : text) {
    if (!continues_name(c)) return false;
  }
  return true;
}

}  // namespace tare::compare
