#include "cpu/ptx/module_items.hpp"

#include <fmt/format.h>

namespace tare::cpu::ptx::detail {

namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text), lexer_(text) { advance(); }

  Items run() {
    Items all;
    header(all);
    while (token_.kind != Token::Kind::end) {
      if (!accept(';')) all.items.push_back(item());
    }
    return all;
  }

 private:
  void advance() {
    end_ = next_end_;
    token_ = lexer_.next();
    const std::size_t outside = token_.kind == Token::Kind::string ? 1 : 0;  // its quotes
    begin_ = static_cast<std::size_t>(token_.text.data() - text_.data()) - outside -
             (token_.kind == Token::Kind::dot_word ? 1 : 0);
    next_end_ = static_cast<std::size_t>(token_.text.data() - text_.data()) + token_.text.size() + outside;
  }
  [[noreturn]] void syntax() const {
    fail(token_.line, fmt::format("Parsing error near '{}': syntax error", token_.text));
  }
  bool accept(char c) {
    if (!token_.is(c)) return false;
    advance();
    return true;
  }
  bool accept_dot(std::string_view word) {
    if (!token_.is_dot(word)) return false;
    advance();
    return true;
  }
  void expect_dot(std::string_view word) {
    if (!accept_dot(word)) syntax();
  }
  std::string_view take(Token::Kind kind) {
    if (token_.kind != kind) syntax();
    const std::string_view text = token_.text;
    advance();
    return text;
  }

  /// From an opening bracket past the one that closes it.
  void skip_brackets(char open, char close) {
    if (!token_.is(open)) syntax();
    int depth = 0;
    do {
      if (token_.kind == Token::Kind::end) syntax();
      depth += token_.is(open) ? 1 : token_.is(close) ? -1 : 0;
      advance();
    } while (depth > 0);
  }

  void header(Items& all) {
    expect_dot("version");
    all.version = take(Token::Kind::real);
    expect_dot("target");
    all.target = take(Token::Kind::word);
    while (accept(',')) advance();
    if (accept_dot("address_size")) advance();
  }

  void function(Item& item) {
    while (accept_dot("attribute")) skip_brackets('(', ')');
    if (token_.is('(')) skip_brackets('(', ')');
    item.names.push_back(take(Token::Kind::word));
    while (!token_.is(';') && !token_.is('{')) {
      if (token_.kind == Token::Kind::end) syntax();
      advance();
    }
    item.head = text_.substr(item_begin_, end_ - item_begin_);
    item.kind = token_.is('{') ? Item::Kind::function : Item::Kind::declaration;
    if (token_.is('{'))
      skip_brackets('{', '}');
    else
      advance();
  }

  void variables(Item& item) {
    item.kind = Item::Kind::variable;
    int depth = 0;
    bool wants_name = true;
    while (depth > 0 || !token_.is(';')) {
      if (token_.kind == Token::Kind::end) syntax();
      if (token_.is('{') || token_.is('(') || token_.is('[')) ++depth;
      if (token_.is('}') || token_.is(')') || token_.is(']')) --depth;
      if (depth == 0 && token_.is(',')) wants_name = true;
      if (depth == 0 && wants_name && token_.kind == Token::Kind::word) {
        item.names.push_back(token_.text);
        wants_name = false;
      }
      advance();
    }
    advance();
  }

  void location() {
    for (int i = 0; i < 3; ++i) take(Token::Kind::integer);
    while (accept(',')) {
      const bool is_function = take(Token::Kind::word) == "function_name";
      if (is_function) take(Token::Kind::word);
      if (is_function && accept('+')) take(Token::Kind::integer);
      for (int i = 0; i < 3 && !is_function; ++i) take(Token::Kind::integer);
    }
  }

  void body_of(Item& item) {
    const std::string_view word = take(Token::Kind::dot_word);
    if (word == "entry" || word == "func") {
      function(item);
    } else if (word == "file") {
      advance();
      take(Token::Kind::string);
      while (accept(',')) take(Token::Kind::integer);
    } else if (word == "loc") {
      item.kind = Item::Kind::ignored;
      location();
    } else if (word == "section") {
      item.kind = Item::Kind::ignored;
      advance();
      skip_brackets('{', '}');
    } else if (word == "pragma" || word == "alias") {
      if (word == "alias") {
        item.kind = Item::Kind::alias;
        item.names.push_back(token_.text);
      }
      while (!accept(';')) {
        if (token_.kind == Token::Kind::end) syntax();
        advance();
      }
    } else {
      item.is_shared = word == "shared";
      variables(item);
    }
  }

  Item item() {
    Item item;
    item_begin_ = begin_;
    for (bool more = true; more;) {
      if (accept_dot("visible"))
        item.is_visible = true;
      else if (accept_dot("extern"))
        item.is_extern = true;
      else if (accept_dot("weak"))
        item.is_weak = true;
      else if (accept_dot("common"))
        item.is_common = true;
      else
        more = false;
    }
    body_of(item);
    item.text = text_.substr(item_begin_, end_ - item_begin_);
    return item;
  }

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  std::size_t begin_ = 0;       // of token_
  std::size_t next_end_ = 0;    // of token_
  std::size_t end_ = 0;         // of the token before it
  std::size_t item_begin_ = 0;  // of the item being read
};

}  // namespace

Items module_items(std::string_view text) {
  return Scanner(text).run();
}

}  // namespace tare::cpu::ptx::detail
