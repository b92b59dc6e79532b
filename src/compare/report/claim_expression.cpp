// A recursive-descent parser for claims. From loose to tight: or, and, not, comparison, + -, * /, unary
// minus; a comparison takes numbers and gives a statement, so the two kinds never mix.
#include "compare/report/claim_expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "compare/case/complaint.hpp"

namespace tare::compare {
namespace {

struct FigureName {
  Figure figure;
  std::string_view name;
};
constexpr std::array<FigureName, 13> kFigures{{{Figure::start_ms, "start_ms"},
                                               {Figure::build_ms, "build_ms"},
                                               {Figure::first_ms, "first_ms"},
                                               {Figure::compiles_in_build, "compiles_in_build"},
                                               {Figure::compiles_in_first, "compiles_in_first"},
                                               {Figure::launch_us, "launch_us"},
                                               {Figure::mean_ms, "mean_ms"},
                                               {Figure::kernel_ms, "kernel_ms"},
                                               {Figure::cold_l2_ms, "cold_l2_ms"},
                                               {Figure::gb_per_s, "gb_per_s"},
                                               {Figure::bits_differing, "bits.differing"},
                                               {Figure::bits_max_ulp, "bits.max_ulp"},
                                               {Figure::bits_equal, "bits.equal"}}};
constexpr std::array<std::string_view, 6> kFunctions{"max", "min", "median", "sum", "count", "abs"};

bool is_word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_word_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// The figure that `word` ends with as a whole dotted part, or null.
const FigureName* ending_figure(std::string_view word) {
  for (const FigureName& entry : kFigures)
    if (word == entry.name || (word.size() > entry.name.size() && word.ends_with(entry.name) &&
                               word[word.size() - entry.name.size() - 1] == '.'))
      return &entry;
  return nullptr;
}

struct Token {
  enum class Kind { number, word, symbol, end } kind = Kind::end;
  std::string text;
  std::size_t begin = 0, end = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { advance(); }

  Expression whole() {
    if (next_.kind == Token::Kind::end) throw ClaimSyntaxError(0, "it is empty");
    Expression result = disjunction();
    if (next_.kind != Token::Kind::end)
      throw ClaimSyntaxError(next_.begin, "`" + next_.text + "` was not expected here");
    if (!result.is_statement())
      throw ClaimSyntaxError(0, "it is a number, not a statement: compare it, as in `... <= 1.05`");
    return result;
  }

 private:
  // Tokens.
  void advance() {
    last_end_ = next_.end;
    std::size_t at = next_.end;
    while (at < text_.size() && std::isspace(static_cast<unsigned char>(text_[at])) != 0) ++at;
    next_ = {Token::Kind::end, "the end", at, at};
    if (at == text_.size()) return;
    const char c = text_[at];
    std::size_t end = at + 1;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
      next_.kind = Token::Kind::number;
      end = number_end(at);
    } else if (is_word_start(c)) {
      next_.kind = Token::Kind::word;
      end = word_end(at);
    } else {
      next_.kind = Token::Kind::symbol;
      const std::string_view two = text_.substr(at, 2);
      if (two == "<=" || two == ">=" || two == "==" || two == "!=") end = at + 2;
      if (two == "&&" || two == "||") throw ClaimSyntaxError(at, "write `and` and `or`, not && and ||");
      if (end == at + 1 && std::string_view("+-*/()<>,").find(c) == std::string_view::npos)
        throw ClaimSyntaxError(at, c == '=' ? "write == for equality"
                                            : std::string("the character `") + c + "` means nothing here");
    }
    next_.text = std::string(text_.substr(at, end - at));
    next_.end = end;
  }

  std::size_t number_end(std::size_t at) const {
    double ignored = 0;
    const auto [end, error] = std::from_chars(text_.data() + at, text_.data() + text_.size(), ignored);
    const auto stop = static_cast<std::size_t>(end - text_.data());
    if (error != std::errc() || (stop < text_.size() && is_word_part(text_[stop])))
      throw ClaimSyntaxError(at, "this is not a number");
    return stop;
  }

  // Rows may be called nvrtc-fast: a minus sign with a letter on both sides belongs to the name, unless what
  // stands before it is a figure already.
  std::size_t word_end(std::size_t at) const {
    std::size_t end = at;
    for (;;) {
      while (end < text_.size() && is_word_part(text_[end])) ++end;
      const bool joins = end + 1 < text_.size() && text_[end] == '-' && is_word_start(text_[end + 1]);
      if (!joins || ending_figure(text_.substr(at, end - at)) != nullptr) return end;
      ++end;
    }
  }

  bool at_symbol(std::string_view symbol) const {
    return next_.kind == Token::Kind::symbol && next_.text == symbol;
  }
  bool at_word(std::string_view word) const { return next_.kind == Token::Kind::word && next_.text == word; }
  void expect(std::string_view symbol) {
    if (!at_symbol(symbol))
      throw ClaimSyntaxError(next_.begin, "`" + std::string(symbol) + "` was expected, not " + quoted(next_));
    advance();
  }
  static std::string quoted(const Token& token) {
    return token.kind == Token::Kind::end ? "the end" : "`" + token.text + "`";
  }

  // Grammar.
  Expression node(Expression::Kind kind, std::string op, std::size_t begin,
                  std::vector<Expression> children) {
    Expression result;
    result.kind = kind;
    result.op = std::move(op);
    result.children = std::move(children);
    result.text = std::string(text_.substr(begin, last_end_ - begin));
    return result;
  }
  static const Expression& need_statement(const Expression& side, std::size_t where, const std::string& op) {
    if (!side.is_statement())
      throw ClaimSyntaxError(where, "`" + op + "` joins statements, and `" + side.text + "` is a number");
    return side;
  }
  static const Expression& need_number(const Expression& side, std::size_t where, const std::string& op) {
    if (side.is_statement())
      throw ClaimSyntaxError(where, "`" + op + "` takes numbers, and `" + side.text + "` is a statement");
    return side;
  }

  Expression disjunction() {
    return binary_statements("or", [this] { return conjunction(); });
  }
  Expression conjunction() {
    return binary_statements("and", [this] { return negation(); });
  }
  template <class Inner>
  Expression binary_statements(const std::string& op, Inner inner) {
    const std::size_t begin = next_.begin;
    Expression left = inner();
    while (at_word(op)) {
      need_statement(left, begin, op);
      advance();
      const std::size_t right_begin = next_.begin;
      Expression right = inner();
      need_statement(right, right_begin, op);
      left = node(Expression::Kind::logic, op, begin, {std::move(left), std::move(right)});
    }
    return left;
  }

  Expression negation() {
    const std::size_t begin = next_.begin;
    if (!at_word("not")) return comparison();
    Nesting nesting(*this);
    advance();
    const std::size_t inner_begin = next_.begin;
    Expression inner = negation();
    need_statement(inner, inner_begin, "not");
    return node(Expression::Kind::logic, "not", begin, {std::move(inner)});
  }

  bool at_comparison() const {
    static constexpr std::array<std::string_view, 6> kComparisons{"<", "<=", ">", ">=", "==", "!="};
    return next_.kind == Token::Kind::symbol &&
           std::find(kComparisons.begin(), kComparisons.end(), next_.text) != kComparisons.end();
  }

  Expression comparison() {
    const std::size_t begin = next_.begin;
    Expression left = additive();
    if (!at_comparison()) return left;
    const std::string op = next_.text;
    need_number(left, begin, op);
    advance();
    const std::size_t right_begin = next_.begin;
    Expression right = additive();
    need_number(right, right_begin, op);
    if (at_comparison()) throw ClaimSyntaxError(next_.begin, "one comparison at a time: join two with `and`");
    return node(Expression::Kind::comparison, op, begin, {std::move(left), std::move(right)});
  }

  Expression additive() {
    return binary_numbers("+", "-", [this] { return multiplicative(); });
  }
  Expression multiplicative() {
    return binary_numbers("*", "/", [this] { return unary(); });
  }
  template <class Inner>
  Expression binary_numbers(std::string_view one, std::string_view other, Inner inner) {
    const std::size_t begin = next_.begin;
    Expression left = inner();
    while (at_symbol(one) || at_symbol(other)) {
      const std::string op = next_.text;
      need_number(left, begin, op);
      advance();
      const std::size_t right_begin = next_.begin;
      Expression right = inner();
      need_number(right, right_begin, op);
      left = node(Expression::Kind::arithmetic, op, begin, {std::move(left), std::move(right)});
    }
    return left;
  }

  Expression unary() {
    const std::size_t begin = next_.begin;
    if (!at_symbol("-")) return primary();
    Nesting nesting(*this);
    advance();
    Expression inner = unary();
    need_number(inner, begin, "-");
    return node(Expression::Kind::arithmetic, "-", begin, {std::move(inner)});
  }

  Expression primary() {
    const Token token = next_;
    if (token.kind == Token::Kind::number) {
      advance();
      Expression result = node(Expression::Kind::number, "", token.begin, {});
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), result.number);
      return result;
    }
    if (at_symbol("(")) {
      Nesting nesting(*this);
      advance();
      Expression inner = disjunction();
      expect(")");
      inner.text = std::string(text_.substr(token.begin, last_end_ - token.begin));
      return inner;
    }
    if (token.kind != Token::Kind::word)
      throw ClaimSyntaxError(token.begin, "a figure or a number was expected, not " + quoted(token));
    advance();
    return at_symbol("(") ? call(token) : figure(token);
  }

  Expression call(const Token& name) {
    if (std::find(kFunctions.begin(), kFunctions.end(), name.text) == kFunctions.end())
      throw ClaimSyntaxError(name.begin,
                             "no function `" + name.text + "`; there are max min median sum count abs");
    Nesting nesting(*this);
    std::vector<Expression> arguments;
    do {
      advance();
      const std::size_t begin = next_.begin;
      arguments.push_back(disjunction());
      if (name.text != "count") need_number(arguments.back(), begin, name.text);
    } while (at_symbol(","));
    expect(")");
    const bool single = arguments.size() == 1;
    if (!single && (name.text == "abs" || name.text == "count"))
      throw ClaimSyntaxError(name.begin, "`" + name.text + "` takes one argument");
    if (single && name.text != "abs" && !arguments[0].is_per_row())
      throw ClaimSyntaxError(name.begin, "`" + name.text + "` goes over rows, and `" + arguments[0].text +
                                             "` is the same for all of them");
    const bool function = name.text == "abs" || !single;
    return node(function ? Expression::Kind::function : Expression::Kind::aggregate, name.text, name.begin,
                std::move(arguments));
  }

  Expression figure(const Token& token) {
    const FigureName* entry = ending_figure(token.text);
    if (entry == nullptr) throw unknown_figure(token);
    std::string_view rest = std::string_view(token.text).substr(0, token.text.size() - entry->name.size());
    if (!rest.empty()) rest.remove_suffix(1);
    Expression result = node(Expression::Kind::figure, "", token.begin, {});
    result.figure = entry->figure;
    result.pass = take_prefix(rest);
    result.row = std::string(rest);
    return result;
  }

  /// Takes "cold" or "warm" off either end of ROW selectors: warm.nvcc.build_ms, nvcc.warm.build_ms.
  static PassPrefix take_prefix(std::string_view& rest) {
    for (const auto& [word, pass] : {std::pair<std::string_view, PassPrefix>{"cold", PassPrefix::cold},
                                     std::pair<std::string_view, PassPrefix>{"warm", PassPrefix::warm}}) {
      if (rest == word) {
        rest = {};
        return pass;
      }
      if (rest.starts_with(std::string(word) + ".")) {
        rest.remove_prefix(word.size() + 1);
        return pass;
      }
      if (rest.ends_with("." + std::string(word))) {
        rest.remove_suffix(word.size() + 1);
        return pass;
      }
    }
    return PassPrefix::none;
  }

  static ClaimSyntaxError unknown_figure(const Token& token) {
    std::vector<std::string> known;
    for (const FigureName& entry : kFigures) known.emplace_back(entry.name);
    return {token.begin, "no figure `" + token.text + "`" + suggestion(token.text, known)};
  }

  // Parentheses and signs nest on the stack: a claim of ten thousand of them is a mistake, not a crash.
  struct Nesting {
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > 100) throw ClaimSyntaxError(parser_.next_.begin, "it is nested too deeply");
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Parser& parser_;
  };

  std::string_view text_;
  Token next_;
  std::size_t last_end_ = 0;
  int depth_ = 0;
};

void collect_rows(const Expression& expression, std::vector<std::string>& rows) {
  if (expression.kind == Expression::Kind::figure && !expression.row.empty()) rows.push_back(expression.row);
  for (const Expression& child : expression.children) collect_rows(child, rows);
}

}  // namespace

std::string_view figure_name(Figure figure) {
  for (const FigureName& entry : kFigures)
    if (entry.figure == figure) return entry.name;
  return "";
}

bool is_steady(Figure figure) {
  return figure == Figure::launch_us || figure == Figure::mean_ms || figure == Figure::kernel_ms ||
         figure == Figure::cold_l2_ms || figure == Figure::gb_per_s;
}

bool Expression::is_per_row() const {
  if (kind == Kind::figure) return row.empty();
  if (kind == Kind::aggregate) return false;
  return std::any_of(children.begin(), children.end(), [](const auto& child) { return child.is_per_row(); });
}

bool Expression::spans_passes() const {
  if (kind == Kind::figure) return pass == PassPrefix::none && !is_steady(figure);
  return std::any_of(children.begin(), children.end(),
                     [](const auto& child) { return child.spans_passes(); });
}

Expression parse_claim(std::string_view text) {
  return Parser(text).whole();
}

std::vector<std::string> rows_named(const Expression& expression) {
  std::vector<std::string> rows;
  collect_rows(expression, rows);
  return rows;
}

}  // namespace tare::compare
