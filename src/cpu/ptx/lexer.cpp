// The lexer: blanks and comments, words, numbers in all of PTX's forms, strings, operators.
// Linear in the text; it keeps no state but its position and line.
#include "cpu/ptx/lexer.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <system_error>
#include <utility>

namespace tare::cpu::ptx::detail {

void fail(std::uint32_t line, std::string message, ParseError::Code code) {
  throw Failure{ParseError{code, line, std::move(message)}};
}

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool continues_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$';
}

[[noreturn]] void not_ascii(std::uint32_t line) {
  fail(line, fmt::format("Unexpected non-ASCII character encountered on line {}", line));
}

char two_characters(char first, char second) {
  if (first == '<') return second == '<' ? kShiftLeft : second == '=' ? kLessEqual : '\0';
  if (first == '>') return second == '>' ? kShiftRight : second == '=' ? kGreaterEqual : '\0';
  if (first == '=' && second == '=') return kEqual;
  if (first == '!' && second == '=') return kNotEqual;
  if (first == '&' && second == '&') return kLogicalAnd;
  if (first == '|' && second == '|') return kLogicalOr;
  return '\0';
}

}  // namespace

Token Lexer::make(Token::Kind kind, std::size_t start) const {
  Token token;
  token.kind = kind;
  token.line = line_;
  token.text = text_.substr(start, position_ - start);
  return token;
}

void Lexer::skip_comment() {
  const std::uint32_t first_line = line_;
  for (position_ += 2; position_ < text_.size(); ++position_) {
    if (text_[position_] == '\n') ++line_;
    if (text_[position_] == '*' && peek(1) == '/') {
      position_ += 2;
      return;
    }
  }
  fail(first_line, "Parsing error: unterminated comment");
}

void Lexer::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++line_;
      ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++position_;
    } else if (c == '/' && peek(1) == '*') {
      skip_comment();
    } else if ((c == '/' && peek(1) == '/') || c == '#') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else {
      return;
    }
  }
}

std::string_view Lexer::take_suffixes() {
  const std::size_t start = position_;
  while (peek() == '.' && continues_word(peek(1))) {
    position_ += 2;
    while (continues_word(peek()) || (peek() == ':' && peek(1) == ':')) position_ += peek() == ':' ? 2 : 1;
  }
  return text_.substr(start, position_ - start);
}

Token Lexer::string() {
  const std::uint32_t first_line = line_;
  const std::size_t start = ++position_;
  while (position_ < text_.size() && text_[position_] != '"' && text_[position_] != '\n') {
    if (static_cast<unsigned char>(text_[position_]) > 0x7f) not_ascii(line_);
    position_ += text_[position_] == '\\' && peek(1) != '\n' && position_ + 1 < text_.size() ? 2 : 1;
  }
  if (peek() != '"') fail(first_line, "Parsing error: unterminated string");
  Token token = make(Token::Kind::string, start);
  ++position_;
  return token;
}

// `0f` and `0d` literals: the value's own bits in hexadecimal.
Token Lexer::real_bits(std::size_t start, std::size_t digits, bool is_f32) {
  position_ += 2;
  const std::size_t first = position_;
  while (is_hex(peek())) ++position_;
  Token token = make(Token::Kind::real, start);
  if (position_ == first || position_ - first > digits || continues_word(peek())) {
    while (continues_word(peek())) ++position_;
    fail(line_, fmt::format("Parsing error near '{}': a floating-point literal has {} hexadecimal digits",
                            text_.substr(start, position_ - start), digits));
  }
  std::from_chars(text_.data() + first, text_.data() + position_, token.value, 16);
  token.is_f32 = is_f32;
  return token;
}

Token Lexer::number() {
  const std::size_t start = position_;
  int base = 10;
  if (peek() == '0') {
    const char kind = peek(1);
    if (kind == 'f' || kind == 'F') return real_bits(start, 8, true);
    if (kind == 'd' || kind == 'D') return real_bits(start, 16, false);
    if (kind == 'x' || kind == 'X') base = 16;
    if (kind == 'b' || kind == 'B') base = 2;
    if (is_digit(kind)) base = 8;
  }
  if (base == 16 || base == 2) position_ += 2;
  const std::size_t first = position_;
  while (base == 16 ? is_hex(peek()) : is_digit(peek())) ++position_;
  const bool has_point = peek() == '.' && base != 16 && base != 2;
  const bool has_exponent =
      (peek() == 'e' || peek() == 'E') && (is_digit(peek(1)) || peek(1) == '+' || peek(1) == '-');
  if (has_point || has_exponent) {
    if (has_point) {
      ++position_;
      while (is_digit(peek())) ++position_;
    }
    if ((peek() == 'e' || peek() == 'E') && (is_digit(peek(1)) || peek(1) == '+' || peek(1) == '-')) {
      position_ += 2;
      while (is_digit(peek())) ++position_;
    }
    Token token = make(Token::Kind::real, start);
    double value = 0;
    const auto [end, code] = std::from_chars(text_.data() + start, text_.data() + position_, value);
    if (code == std::errc::result_out_of_range) fail(line_, "Constant overflow");
    if (code != std::errc() || end != text_.data() + position_ || continues_word(peek())) {
      fail(line_, fmt::format("Parsing error near '{}': syntax error", token.text));
    }
    token.value = std::bit_cast<std::uint64_t>(value);
    return token;
  }
  Token token = make(Token::Kind::integer, start);
  const auto [end, code] = std::from_chars(text_.data() + first, text_.data() + position_, token.value, base);
  if (code == std::errc::result_out_of_range) fail(line_, "Constant overflow");
  const bool whole = code == std::errc() && end == text_.data() + position_;
  if (peek() == 'U' || peek() == 'u') {
    ++position_;
    token.is_unsigned = true;
  }
  if (!whole || continues_word(peek())) {
    while (continues_word(peek())) ++position_;
    fail(line_, fmt::format("Parsing error near '{}': syntax error", text_.substr(start, position_ - start)));
  }
  token.is_unsigned = token.is_unsigned || (token.value >> 63) != 0;
  return token;
}

Token Lexer::next() {
  skip_blanks();
  const std::size_t start = position_;
  if (start >= text_.size()) return make(Token::Kind::end, start);
  const char c = text_[start];
  const bool is_remainder = c == '%' && (after_value_ || !continues_word(peek(1)));
  after_value_ = false;
  if (starts_word(c) && !is_remainder) {
    ++position_;
    while (continues_word(peek())) ++position_;
    return make(Token::Kind::word, start);
  }
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    after_value_ = true;
    return number();
  }
  if (c == '.' && continues_word(peek(1))) {
    ++position_;
    while (continues_word(peek()) || (peek() == ':' && peek(1) == ':')) position_ += peek() == ':' ? 2 : 1;
    Token token = make(Token::Kind::dot_word, start);
    token.text.remove_prefix(1);
    return token;
  }
  if (c == '"') return string();
  ++position_;
  char symbol = c;
  if (const char pair = two_characters(c, peek()); pair != '\0') {
    ++position_;
    symbol = pair;
  } else if (std::string_view("{}[]()<>,;:@!|&^~+-*/%?=").find(c) == std::string_view::npos) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x7f) not_ascii(line_);
    fail(line_, byte > 0x20 && byte < 0x7f ? fmt::format("Parsing error near '{}': syntax error", c)
                                           : fmt::format("Parsing error: unexpected byte 0x{:02x}", byte));
  }
  Token token = make(Token::Kind::punctuation, start);
  token.symbol = symbol;
  after_value_ = symbol == ')';
  return token;
}

}  // namespace tare::cpu::ptx::detail
