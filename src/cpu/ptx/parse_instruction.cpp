// One instruction: predicate, opcode, operands of every kind, with names resolved as they are read.
#include <fmt/format.h>

#include <algorithm>

#include "cpu/ptx/parser_state.hpp"

namespace tare::cpu::ptx::detail {

namespace {

using Kind = Operand::Kind;
using SymbolKind = Operand::SymbolKind;

// x y z w, or r g b a; -1 for anything else.
int component_of(std::string_view suffix) {
  if (suffix.size() != 1) return -1;
  const std::size_t at = std::string_view("xyzwrgba").find(suffix[0]);
  return at == std::string_view::npos ? -1 : static_cast<int>(at % 4);
}

// ".b3", ".h10", ".b3210" as Operand::selector; 0 where it is none.
std::uint16_t selector_of(std::string_view suffix) {
  const bool bytes = suffix.starts_with('b');
  if ((!bytes && !suffix.starts_with('h')) || suffix.size() < 2 || suffix.size() > (bytes ? 5u : 3u))
    return 0;
  unsigned bits = 1u << 15 | (bytes ? 1u << 14 : 0u) | static_cast<unsigned>(suffix.size() - 2) << 12;
  for (std::size_t k = 0; k + 1 < suffix.size(); ++k) {
    const char digit = suffix[k + 1];
    if (digit < '0' || digit > '7') return 0;
    bits |= static_cast<unsigned>(digit - '0') << (3 * k);
  }
  return static_cast<std::uint16_t>(bits);
}

Operand register_operand_of(RegisterId id) {
  Operand operand;
  operand.kind = Kind::reg;
  operand.id = id;
  return operand;
}

}  // namespace

void Parser::predicate() {
  advance();
  predicate_negated_ = accept('!');
  const std::uint32_t line = token_.line;
  const std::string_view name = expect_word();
  Symbol* symbol = names_.find(name);
  if (symbol == nullptr) fail(line, fmt::format("Unknown symbol '{}'", name));
  if (symbol->kind != Symbol::Kind::reg || symbol->type != Type::pred || symbol->width != 1) {
    fail(line, "Predicate expression expected");
  }
  predicate_ = materialise(*symbol, name);
}

// The register's index in the function, made at its first mention; a vector's components in a row.
std::uint32_t Parser::materialise(Symbol& symbol, std::string_view name) {
  if (symbol.index == kNoId) {
    symbol.index = static_cast<std::uint32_t>(function_->registers.size());
    if (symbol.width == 1) function_->registers.push_back({std::string(name), symbol.type});
    for (std::size_t i = 0; symbol.width > 1 && i < symbol.width; ++i) {
      const std::string component = i < 4 ? std::string(1, "xyzw"[i]) : std::to_string(i);
      function_->registers.push_back({fmt::format("{}.{}", name, component), symbol.type});
    }
  }
  return symbol.index;
}

const Decoded& Parser::decoded(std::string_view spelling, std::uint32_t line) {
  auto it = decoded_.find(spelling);
  if (it == decoded_.end()) it = decoded_.emplace(spelling, decode(spelling, line)).first;
  return it->second;
}

// `first_word` is the current token; its suffixes follow, usually without a space.
void Parser::instruction(std::string_view first_word, std::uint32_t line) {
  const std::string_view suffixes = lexer_.take_suffixes();
  std::string_view spelling(first_word.data(), first_word.size() + suffixes.size());
  advance();
  if (token_.kind == Token::Kind::dot_word) {
    std::string& joined = spellings_.emplace_back(spelling);
    for (; token_.kind == Token::Kind::dot_word; advance()) joined.append(".").append(token_.text);
    spelling = joined;
  }
  const Decoded& found = decoded(spelling, line);
  Instruction in = found.instruction;
  in.line = line;
  in.predicate = predicate_;
  in.predicate_negated = predicate_negated_;
  in.source_file = source_file_;
  in.source_line = source_line_;
  predicate_ = kNoId;
  predicate_negated_ = false;
  const std::size_t references = references_.size();
  if (in.op == Op::call) {
    call_operands(in);
  } else {
    operands(in, *found.row);
  }
  expect(';');
  check_operands(in, found, module_, *function_);
  if (references_.size() != references)
    with_labels_.push_back(static_cast<std::uint32_t>(function_->body.size()));
  function_->body.push_back(std::move(in));
}

void Parser::operands(Instruction& in, const OpcodeRow& row) {
  if (token_.is(';')) return;
  std::string_view letters = row.operands;
  in.operands.reserve(std::min(letters.find('?'), letters.size()));
  do {
    while (letters.starts_with('?')) letters.remove_prefix(1);
    const char letter = letters.empty() ? 'x' : letters.front();
    if (!letters.empty() && letter != '*') letters.remove_prefix(1);
    in.operands.push_back(letter == 'L'   ? label_operand(in)
                          : letter == 'B' ? targets_operand(in)
                                          : operand(in));
    if (in.operands.size() == 1 && (row.takes & Takes::dual) != 0 && accept('|')) {
      in.operands.push_back(operand(in));
      in.destination_count = 2;
    }
  } while (accept(','));
  if (in.destination_count == 2) return;
  const bool has_result = row.destinations == kByFirstOperand ? in.operands[0].kind != Kind::address
                          : in.op == Op::bar || in.op == Op::barrier
                              ? std::find(in.rest.begin(), in.rest.end(), "red") != in.rest.end()
                              : row.destinations != 0;
  in.destination_count = has_result ? 1 : 0;
}

Operand Parser::constant_operand() {
  const Constant value = constant();
  Operand operand;
  if (value.is_real) {
    operand.kind = Kind::real;
    operand.is_f32 = value.is_f32;
    operand.real_bits = value.bits;
  } else {
    operand.kind = Kind::integer;
    operand.integer = static_cast<std::int64_t>(value.bits);
  }
  return operand;
}

Operand Parser::operand(const Instruction& in) {
  if (token_.is('{')) return vector_operand(in);
  if (token_.is('[')) return address_operand(in);
  if (token_.is('!') || token_.is('-')) {
    const Token next = peek();
    if (next.kind == Token::Kind::word && next.text != "WARP_SZ") {
      if (token_.is('-') && in.op != Op::vmad) {
        fail(token_.line, fmt::format("Operand negation not allowed for instruction '{}'", message_name(in)));
      }
      advance();
      Operand operand = named_operand(in);
      operand.negated = true;
      return operand;
    }
  }
  if (starts_constant()) return constant_operand();
  if (token_.kind != Token::Kind::word) syntax();
  return named_operand(in);
}

Operand Parser::named_operand(const Instruction& in) {
  const std::string_view name = token_.text;
  const std::uint32_t line = token_.line;
  Operand operand;
  if (name == "_") {
    advance();
    return operand;
  }
  Symbol* symbol = names_.find(name);
  if (symbol == nullptr) {
    if (name.starts_with('%')) return special_operand(name);
    fail(line, fmt::format("Unknown symbol '{}'", name));
  }
  if (symbol->kind == Symbol::Kind::reg) {
    materialise(*symbol, name);
    Operand found = register_operand(*symbol, name, in);
    if (token_.is('[')) fail(line, "Array indexing on non-array");
    return found;
  }
  if (!symbol_operand(*symbol, operand)) {
    fail(line, fmt::format("Arguments mismatch for instruction '{}'", message_name(in)));
  }
  operand.kind = Kind::symbol;
  advance();
  if (token_.is('[')) return element_operand(in, std::move(operand));
  add_offset(operand);
  return operand;
}

// The current token is the register's name; a component or a selector may follow it without a space.
Operand Parser::register_operand(const Symbol& symbol, std::string_view name, const Instruction& in) {
  const std::uint32_t line = token_.line;
  const std::string_view suffixes = lexer_.at('.') ? lexer_.take_suffixes() : std::string_view();
  advance();
  if (symbol.width > 1) {
    if (suffixes.empty()) {
      Operand all;
      all.kind = Kind::vector;
      for (std::uint32_t i = 0; i < symbol.width; ++i)
        all.elements.push_back(register_operand_of(symbol.index + i));
      return all;
    }
    const int component = component_of(suffixes.substr(1));
    if (component < 0 || component >= symbol.width)
      fail(line, fmt::format("Unknown symbol '{}{}'", name, suffixes));
    return register_operand_of(symbol.index + static_cast<std::uint32_t>(component));
  }
  Operand operand = register_operand_of(symbol.index);
  if (!suffixes.empty()) {
    operand.selector = selector_of(suffixes.substr(1));
    if (operand.selector == 0 || !name_of(in.op).starts_with('v')) {
      fail(line, fmt::format("Unknown symbol '{}{}'", name, suffixes));
    }
  }
  return operand;
}

// Sets symbol_kind and symbol; false for names that are no values.
bool Parser::symbol_operand(const Symbol& symbol, Operand& operand) const {
  switch (symbol.kind) {
    case Symbol::Kind::module_variable:
      operand.symbol_kind = SymbolKind::module_variable;
      break;
    case Symbol::Kind::function_variable:
      operand.symbol_kind = SymbolKind::function_variable;
      break;
    case Symbol::Kind::parameter:
      operand.symbol_kind = SymbolKind::parameter;
      break;
    case Symbol::Kind::return_value:
      operand.symbol_kind = SymbolKind::return_value;
      break;
    case Symbol::Kind::function:
      operand.symbol_kind = SymbolKind::function;
      break;
    case Symbol::Kind::prototype:
      operand.symbol_kind = SymbolKind::prototype;
      break;
    default:
      return false;
  }
  operand.symbol = symbol.index;
  return operand.symbol_kind != SymbolKind::prototype;
}

void Parser::add_offset(Operand& operand) {
  if (token_.is('-')) syntax();
  while (token_.is('+') || token_.is('-')) {
    const bool minus = token_.is('-');
    advance();
    constexpr int kAdditive = 10;
    if (!starts_constant()) syntax();
    const Constant value = constant(kAdditive);
    if (value.is_real) syntax();
    const std::uint64_t sum =
        static_cast<std::uint64_t>(operand.integer) + (minus ? 0 - value.bits : value.bits);
    operand.integer = static_cast<std::int64_t>(sum);
  }
}

Operand Parser::vector_operand(const Instruction& in) {
  Operand vector;
  vector.kind = Kind::vector;
  advance();
  do {
    if (token_.is('{') || token_.is('[')) syntax();
    vector.elements.push_back(operand(in));
  } while (accept(','));
  expect('}');
  return vector;
}

// [base], [base+offset], [offset], [texture, sampler, {coordinates}].
Operand Parser::address_operand(const Instruction& in) {
  Operand address;
  address.kind = Kind::address;
  advance();
  if (token_.kind == Token::Kind::word && token_.text != "WARP_SZ") {
    const std::string_view name = token_.text;
    Symbol* symbol = names_.find(name);
    if (symbol == nullptr) fail(token_.line, fmt::format("Unknown symbol '{}'", name));
    if (symbol->kind == Symbol::Kind::reg) {
      materialise(*symbol, name);
      const std::uint32_t line = token_.line;
      const Operand base = register_operand(*symbol, name, in);
      const Type type = base.kind == Kind::reg ? function_->registers[base.id].type : Type::none;
      const bool is_address = type == Type::b64 || type == Type::u64 || type == Type::s64 ||
                              type == Type::b32 || type == Type::u32 || type == Type::s32;
      if (!is_address) fail(line, fmt::format("Illegal operand type to instruction '{}'", message_name(in)));
      address.id = base.id;
    } else if (symbol_operand(*symbol, address)) {
      advance();
    } else {
      fail(token_.line, fmt::format("Illegal operand type to instruction '{}'", message_name(in)));
    }
    add_offset(address);
  } else {
    const Operand value = constant_operand();
    if (value.kind != Kind::integer) syntax();
    address.integer = value.integer;
  }
  while (accept(',')) {
    if (token_.is('[')) syntax();
    address.elements.push_back(operand(in));
  }
  expect(']');
  return address;
}

Operand Parser::list_operand(const Instruction& in) {
  Operand list;
  list.kind = Kind::list;
  expect('(');
  while (!token_.is(')')) {
    if (token_.is('{') || token_.is('[')) syntax();
    list.elements.push_back(operand(in));
    if (!accept(',')) break;
  }
  expect(')');
  return list;
}

Operand Parser::label_operand(const Instruction& in) {
  const std::uint32_t line = token_.line;
  const Symbol* symbol = token_.kind == Token::Kind::word ? names_.find(token_.text) : nullptr;
  const bool is_other_name = symbol != nullptr && symbol->kind != Symbol::Kind::label;
  if (token_.kind == Token::Kind::integer || token_.kind == Token::Kind::real || is_other_name) {
    fail(line, fmt::format("Label expected for argument {} of instruction '{}'", in.operands.size(),
                           message_name(in)));
  }
  return label_reference(expect_word(), line);
}

// The labels of a .branchtargets, which must come before its use.
Operand Parser::targets_operand(const Instruction& in) {
  const std::uint32_t line = token_.line;
  const std::string_view name = expect_word();
  const Symbol* symbol = names_.find(name);
  if (symbol == nullptr) fail(line, fmt::format("Unknown symbol '{}'", name));
  if (symbol->kind != Symbol::Kind::branch_targets) {
    fail(line, fmt::format("Label expected for argument {} of instruction '{}'", in.operands.size(),
                           message_name(in)));
  }
  const std::vector<Token>& targets = target_lists_[symbol->index];
  // Every use repeats the list: a bound keeps memory proportional to the text.
  constexpr std::uint64_t kFewTargets = 1u << 16;
  expanded_targets_ += targets.size();
  if (expanded_targets_ > kFewTargets + text_.size()) fail(line, "Too many branch targets");
  Operand list;
  list.kind = Kind::list;
  for (const Token& target : targets) list.elements.push_back(label_reference(target.text, target.line));
  return list;
}

// call (returns), callee, (arguments), prototype;  of which all but the callee may be left out.
void Parser::call_operands(Instruction& in) {
  Operand returns;
  returns.kind = Kind::list;
  Operand arguments = returns;
  if (token_.is('(')) {
    returns = list_operand(in);
    expect(',');
  }
  if (token_.kind != Token::Kind::word) {
    fail(token_.line, "Label expected for argument 0 of instruction 'call'");
  }
  const std::uint32_t line = token_.line;
  Operand callee = named_operand(in);
  const bool is_function = callee.kind == Kind::symbol && callee.symbol_kind == SymbolKind::function;
  if (!is_function && callee.kind != Kind::reg)
    fail(line, "Label expected for argument 0 of instruction 'call'");
  bool more = accept(',');
  if (more && token_.is('(')) {
    arguments = list_operand(in);
    more = accept(',');
  }
  in.operands = {std::move(returns), std::move(callee), std::move(arguments)};
  if (!more) return;

  const std::uint32_t list_line = token_.line;
  const std::string_view name = expect_word();
  const Symbol* symbol = names_.find(name);
  if (symbol == nullptr) fail(list_line, fmt::format("Unknown symbol '{}'", name));
  Operand last;
  if (symbol->kind == Symbol::Kind::prototype) {
    symbol_operand(*symbol, last);
    last.kind = Kind::symbol;
  } else if (symbol->kind == Symbol::Kind::call_targets) {
    last.kind = Kind::list;
    const std::vector<Token>& targets = target_lists_[symbol->index];
    constexpr std::uint64_t kFewTargets = 1u << 16;
    expanded_targets_ += targets.size();
    if (expanded_targets_ > kFewTargets + text_.size()) fail(list_line, "Too many call targets");
    for (const Token& target : targets) {
      const Symbol* function = names_.find(target.text);
      if (function == nullptr || function->kind != Symbol::Kind::function) {
        fail(target.line, fmt::format("Unknown symbol '{}'", target.text));
      }
      Operand element;
      element.kind = Kind::symbol;
      symbol_operand(*function, element);
      last.elements.push_back(element);
    }
  } else {
    fail(list_line, fmt::format("Arguments mismatch for instruction '{}'", message_name(in)));
  }
  in.operands.push_back(std::move(last));
}

}  // namespace tare::cpu::ptx::detail
