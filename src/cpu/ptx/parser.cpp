// The module level: the three directives at the head, then variables, functions and what debuggers read.
#include "cpu/ptx/parser.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "cpu/ptx/parser_state.hpp"

namespace tare::cpu::ptx {
namespace detail {

namespace {

// "sm_90a" taken apart.
struct Target {
  int sm = 0;
  char suffix = '\0';
};

bool read_target(std::string_view word, Target& target) {
  const std::size_t prefix = word.starts_with("sm_") ? 3 : word.starts_with("compute_") ? 8 : 0;
  if (prefix == 0) return false;
  word.remove_prefix(prefix);
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), target.sm);
  const auto left = word.data() + word.size() - end;
  if (code != std::errc() || left > 1) return false;
  if (left == 1) target.suffix = *end;
  return target.suffix == '\0' || target.suffix == 'a' || target.suffix == 'f';
}

// The first PTX version that knows the target, as major * 10 + minor (PTX ISA, release notes).
int first_version(const Target& target) {
  struct Row {
    int sm;
    int version;
  };
  static constexpr Row kRows[] = {{20, 20},  {21, 20},  {30, 30},  {32, 40},  {35, 31},  {37, 41}, {50, 40},
                                  {52, 41},  {53, 42},  {60, 50},  {61, 50},  {62, 50},  {70, 60}, {72, 61},
                                  {75, 63},  {80, 70},  {86, 71},  {87, 74},  {88, 90},  {89, 78}, {90, 78},
                                  {100, 86}, {101, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88}};
  for (const Row& row : kRows) {
    if (row.sm != target.sm) continue;
    if (target.suffix == 'f') return std::max(row.version, 88);
    return target.suffix == 'a' ? std::max(row.version, 80) : row.version;
  }
  return 0;
}

bool is_target_option(std::string_view word) {
  return word == "debug" || word == "texmode_unified" || word == "texmode_independent" ||
         word == "map_f64_to_f32";
}

}  // namespace

Token Parser::peek() const {
  Lexer ahead = lexer_;
  return ahead.next();
}

void Parser::syntax() const {
  const std::string_view text = token_.kind == Token::Kind::dot_word
                                    ? std::string_view(token_.text.data() - 1, token_.text.size() + 1)
                                    : token_.text;
  constexpr std::size_t kShown = 80;
  fail(token_.line, fmt::format("Parsing error near '{}': syntax error", text.substr(0, kShown)));
}

bool Parser::accept(char symbol) {
  if (!token_.is(symbol)) return false;
  advance();
  return true;
}

bool Parser::accept_dot(std::string_view word) {
  if (!token_.is_dot(word)) return false;
  advance();
  return true;
}

void Parser::expect(char symbol) {
  if (!accept(symbol)) syntax();
}

std::string_view Parser::expect_word() {
  if (token_.kind != Token::Kind::word) syntax();
  const std::string_view word = token_.text;
  advance();
  return word;
}

std::uint64_t Parser::expect_unsigned() {
  if (token_.kind != Token::Kind::integer) syntax();
  const std::uint64_t value = token_.value;
  advance();
  return value;
}

void Parser::version_directive() {
  if (!token_.is_dot("version")) fail(token_.line, "Missing .version directive at start of file");
  const std::uint32_t line = token_.line;
  advance();
  const std::string_view text = token_.text;
  const std::size_t point = text.find('.');
  int major = 0;
  int minor = 0;
  const auto is_number = [](std::string_view digits, int& value) {
    const char* const end = digits.data() + digits.size();
    const auto [read, error] = std::from_chars(digits.data(), end, value);
    // A number that an int cannot hold is above every version all the same.
    if (error == std::errc::result_out_of_range) value = std::numeric_limits<int>::max();
    return error != std::errc::invalid_argument && read == end;
  };
  const bool well_formed = token_.kind == Token::Kind::real && point != std::string_view::npos &&
                           is_number(text.substr(0, point), major) &&
                           is_number(text.substr(point + 1), minor);
  if (!well_formed) fail(line, "Missing .version directive at start of file");
  advance();
  const std::pair<int, int> newest{options_.max_version_major, options_.max_version_minor};
  if (major < 1 || std::pair{major, minor} > newest) {
    fail(line,
         fmt::format("Unsupported .version {}.{}; current version is '{}.{}'", major, minor, newest.first,
                     newest.second),
         ParseError::Code::unsupported_version);
  }
  module_.version_major = major;
  module_.version_minor = minor;
}

void Parser::target_directive() {
  if (!token_.is_dot("target")) fail(token_.line, "Missing .target directive at start of file");
  const std::uint32_t line = token_.line;
  advance();
  Target target;
  do {
    if (token_.kind != Token::Kind::word) syntax();
    const std::string_view word = token_.text;
    Target read;
    if (read_target(word, read)) {
      target = read;
      module_.target = word;
    } else if (is_target_option(word)) {
      if (!module_.target_options.empty()) module_.target_options += ", ";
      module_.target_options += word;
    } else {
      fail(token_.line, fmt::format("Unsupported .target '{}'", word));
    }
    advance();
  } while (accept(','));
  if (module_.target.empty()) fail(line, "Target architecture not defined at start of file");
  module_.target_sm = target.sm;

  const int device = options_.compute_capability;
  const bool same_family = target.sm / 10 == device / 10;
  const bool runs = target.suffix == 'a'   ? target.sm == device
                    : target.suffix == 'f' ? same_family && target.sm <= device
                                           : target.sm <= device;
  if (!runs) {
    fail(line,
         target.sm > device
             ? fmt::format("SM version specified by .target '{}' is higher than the device's, sm_{}",
                           module_.target, device)
             : fmt::format("PTX with .target '{}' cannot be compiled for architecture 'sm_{}'",
                           module_.target, device),
         ParseError::Code::no_binary_for_gpu);
  }
  const int needed = first_version(target);
  if (needed == 0) fail(line, fmt::format("Unsupported .target '{}'", module_.target));
  if (module_.version_major * 10 + module_.version_minor < needed) {
    fail(line, fmt::format("PTX .version {}.{} does not support .target {}", module_.version_major,
                           module_.version_minor, module_.target));
  }
}

void Parser::address_size_directive() {
  const std::uint32_t line = token_.line;
  if (!accept_dot("address_size")) return;  // the device's own, 64
  const std::uint64_t size = expect_unsigned();
  if (size != 32 && size != 64) fail(line, "Illegal value for .address_size directive (must be 32 or 64)");
  if (size == 32) fail(line, "32-Bit ABI (32-Bit addressing) is not supported");
}

// .attribute(.managed), .attribute(.unified(u, v)).
void Parser::skip_attribute(bool* is_managed) {
  expect('(');
  int depth = 1;
  while (depth > 0) {
    if (token_.kind == Token::Kind::end) syntax();
    if (token_.is_dot("managed") && is_managed != nullptr) *is_managed = true;
    if (token_.is('(')) ++depth;
    if (token_.is(')')) --depth;
    advance();
  }
}

std::uint32_t Parser::file_index(std::uint64_t number) {
  const auto [it, fresh] = files_.try_emplace(number, static_cast<std::uint32_t>(module_.files.size()));
  if (fresh) module_.files.emplace_back();
  return it->second;
}

// .file 1 "name" [, timestamp, size]
void Parser::file_directive() {
  advance();
  const std::uint32_t index = file_index(expect_unsigned());
  if (token_.kind != Token::Kind::string) syntax();
  module_.files[index] = token_.text;
  advance();
  while (accept(',')) expect_unsigned();
}

// .loc file line column [, function_name label [+ offset], inlined_at file line column]
void Parser::loc_directive() {
  advance();
  source_file_ = file_index(expect_unsigned());
  source_line_ = static_cast<std::uint32_t>(expect_unsigned());
  expect_unsigned();
  while (accept(',')) {
    if (token_.is_word("function_name")) {
      advance();
      expect_word();
      if (accept('+')) expect_unsigned();
    } else if (token_.is_word("inlined_at")) {
      advance();
      for (int i = 0; i < 3; ++i) expect_unsigned();
    } else {
      syntax();
    }
  }
}

// .pragma "a", "b";  Hints for ptxas's optimiser: nothing here depends on them.
void Parser::pragma_directive() {
  advance();
  do {
    if (token_.kind != Token::Kind::string) syntax();
    advance();
  } while (accept(','));
  expect(';');
}

// .section name { ... }: DWARF, not read.
void Parser::section_directive() {
  advance();
  if (token_.kind != Token::Kind::dot_word && token_.kind != Token::Kind::word) syntax();
  advance();
  expect('{');
  for (std::uint64_t depth = 1; depth > 0; advance()) {
    if (token_.kind == Token::Kind::end) syntax();
    if (token_.is('{')) ++depth;
    if (token_.is('}')) --depth;
  }
}

// .alias name, function;
void Parser::alias_directive() {
  advance();
  std::uint32_t indices[2] = {kNoId, kNoId};
  for (int i = 0; i < 2; ++i) {
    if (i == 1) expect(',');
    const std::uint32_t line = token_.line;
    const std::string_view name = expect_word();
    const Symbol* symbol = names_.find(name);
    if (symbol == nullptr) fail(line, fmt::format("Unknown symbol '{}'", name));
    if (symbol->kind != Symbol::Kind::function || module_.functions[symbol->index].is_entry) {
      fail(line, fmt::format("Function expected for .alias, found '{}'", name));
    }
    indices[i] = symbol->index;
  }
  module_.functions[indices[0]].alias_of = indices[1];
  expect(';');
}

void Parser::module_item() {
  Linkage linkage;
  for (bool more = true; more;) {
    if (accept_dot("visible")) {
      linkage.is_visible = true;
    } else if (accept_dot("extern")) {
      linkage.is_extern = true;
    } else if (accept_dot("weak")) {
      linkage.is_weak = true;
    } else if (accept_dot("common")) {
      linkage.is_common = true;
    } else {
      more = false;
    }
  }
  if (token_.kind != Token::Kind::dot_word) syntax();
  const std::string_view word = token_.text;
  if (word == "entry" || word == "func") {
    advance();
    function(linkage, word == "entry");
  } else if (word == "reg") {
    fail(token_.line, "Module-scoped variables in .reg state space are not allowed with ABI");
  } else if (const Space space = find_space(word); space != Space::generic && space != Space::param) {
    advance();
    module_variables(space, linkage);
  } else if (word == "file") {
    file_directive();
  } else if (word == "loc") {
    loc_directive();
  } else if (word == "section") {
    section_directive();
  } else if (word == "pragma") {
    pragma_directive();
  } else if (word == "alias") {
    alias_directive();
  } else {
    syntax();
  }
}

Module Parser::run() {
  advance();
  version_directive();
  target_directive();
  address_size_directive();
  while (token_.kind != Token::Kind::end) {
    if (!accept(';')) module_item();
  }
  return std::move(module_);
}

}  // namespace detail

std::variant<Module, ParseError> parse(std::string_view text, const ParseOptions& options) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  try {
    return detail::Parser(text, options).run();
  } catch (detail::Failure& failure) {
    return std::move(failure.error);
  }
}

}  // namespace tare::cpu::ptx
