// Cuts PTX text into tokens, one at a time. The tokens point into the text, which must outlive them;
// every malformed token ends in a Failure that carries the parse error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cpu/ptx/parser.hpp"

namespace tare::cpu::ptx::detail {

/// What the parser throws to itself; parse() turns it into its result.
struct Failure {
  ParseError error;
};

[[noreturn]] void fail(std::uint32_t line, std::string message,
                       ParseError::Code code = ParseError::Code::invalid_ptx);

/// Operators of two characters, beside the ASCII characters that stand for themselves.
inline constexpr char kShiftLeft = 1, kShiftRight = 2, kLessEqual = 3, kGreaterEqual = 4, kEqual = 5,
                      kNotEqual = 6, kLogicalAnd = 7, kLogicalOr = 14;

struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,         // add, %r1, $L__BB0_1, _
    dot_word,     // .global, .L1::evict_last
    integer,      // value
    real,         // value: the bits
    string,       // text: between the quotes, escapes as written
    punctuation,  // symbol
  };
  Kind kind = Kind::end;
  char symbol = 0;
  bool is_unsigned = false;  // of an integer: a U suffix, or above the largest signed value
  bool is_f32 = false;       // of a real: an 0f literal, whose bits are 32
  std::uint32_t line = 1;
  std::uint64_t value = 0;
  std::string_view text;  // as written; a string's without its quotes

  bool is(char c) const { return kind == Kind::punctuation && symbol == c; }
  bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
  bool is_dot(std::string_view word) const { return kind == Kind::dot_word && text == word; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();

  /// The rest of the opcode or special register that starts with `word`, the token just returned:
  /// every `.suffix` that follows without a space. An empty view where there is none.
  std::string_view take_suffixes();
  /// Whether the next character, with no space before it, is `c`.
  bool at(char c) const { return position_ < text_.size() && text_[position_] == c; }

 private:
  void skip_blanks();
  void skip_comment();
  Token number();
  Token string();
  Token real_bits(std::size_t start, std::size_t digits, bool is_f32);
  char peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  Token make(Token::Kind kind, std::size_t start) const;

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
  bool after_value_ = false;  // where `%` is the operator, not the start of a name
};

}  // namespace tare::cpu::ptx::detail
