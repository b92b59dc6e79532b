// Functions: head, performance directives, body with its scopes, and the labels that a scope resolves
// when it ends.
#include <fmt/format.h>

#include <algorithm>

#include "cpu/ptx/parser_state.hpp"
#include "cpu/ptx/prototype.hpp"

namespace tare::cpu::ptx::detail {

namespace {

constexpr std::size_t kDeepestScope = 4096;

}  // namespace

void Parser::performance_directives(Function& made) {
  const auto triple = [&](std::array<std::uint32_t, 3>& into, std::string_view of_threads = {}) {
    advance();
    into = {1, 1, 1};
    std::size_t i = 0;
    do {
      if (i == into.size()) syntax();
      const std::uint64_t value = expect_unsigned();
      if (value > 0xffffffffu) fail(token_.line, "Constant overflow");
      if (value == 0 && !of_threads.empty())
        fail(token_.line, fmt::format("Positive non-zero value expected for {}", of_threads));
      into[i++] = static_cast<std::uint32_t>(value);
    } while (accept(','));
  };
  const auto single = [&](std::uint32_t& into) {
    advance();
    const std::uint64_t value = expect_unsigned();
    if (value > 0xffffffffu) fail(token_.line, "Constant overflow");
    into = static_cast<std::uint32_t>(value);
  };
  std::uint32_t ignored = 0;
  while (token_.kind == Token::Kind::dot_word) {
    if (token_.is_dot("maxntid")) {
      triple(made.maxntid, "maxntid");
    } else if (token_.is_dot("reqntid")) {
      triple(made.reqntid, "reqntid");
    } else if (token_.is_dot("reqnctapercluster")) {
      triple(made.reqnctapercluster);
    } else if (token_.is_dot("minnctapersm")) {
      single(made.minnctapersm);
    } else if (token_.is_dot("maxnreg")) {
      single(made.maxnreg);
    } else if (token_.is_dot("maxclusterrank")) {
      single(made.maxclusterrank);
    } else if (token_.is_dot("maxnctapersm")) {
      single(ignored);
    } else if (token_.is_dot("abi_preserve") || token_.is_dot("abi_preserve_control")) {
      single(ignored);
    } else if (token_.is_dot("noreturn")) {
      advance();
      made.is_noreturn = true;
    } else if (token_.is_dot("explicitcluster") || token_.is_dot("blocksareclusters")) {
      advance();
    } else if (token_.is_dot("pragma")) {
      pragma_directive();
    } else if (token_.is_dot("attribute")) {
      advance();
      skip_attribute(nullptr);
    } else {
      syntax();
    }
  }
  if (made.maxntid[0] != 0 && made.reqntid[0] != 0) {
    fail(token_.line, "Conflicting directives: .maxntid and .reqntid cannot both be specified");
  }
}

void Parser::declare_formals(std::vector<Variable>& formals, const std::vector<std::string_view>& names,
                             Symbol::Kind kind) {
  for (std::size_t i = 0; i < formals.size(); ++i) {
    Variable& formal = formals[i];
    if (formal.name == "_") continue;
    Symbol symbol{kind, static_cast<std::uint32_t>(i)};
    if (formal.space == Space::reg) {
      formal.reg = static_cast<RegisterId>(function_->registers.size());
      function_->registers.push_back({formal.name, formal.type});
      symbol = {Symbol::Kind::reg, formal.reg, formal.type};
    }
    if (!names_.declare(names[i], symbol)) {
      fail(formal.line, fmt::format("Duplicate definition of variable '{}'", formal.name));
    }
  }
}

// Puts a head into the module, or finds the declaration it repeats or completes.
std::uint32_t Parser::install(Function&& made, std::string_view name) {
  const Symbol* known = names_.find(name);
  if (known == nullptr) {
    const auto index = static_cast<std::uint32_t>(module_.functions.size());
    module_.functions.push_back(std::move(made));
    names_.declare(name, {Symbol::Kind::function, index});
    return index;
  }
  if (known->kind != Symbol::Kind::function) {
    fail(made.line, fmt::format("Duplicate definition of variable '{}'", name));
  }
  Function& earlier = module_.functions[known->index];
  if (!earlier.is_extern || earlier.is_entry != made.is_entry) {
    fail(made.line, fmt::format("Duplicate definition of function '{}'", name));
  }
  if (!same_prototype(earlier, made)) {
    fail(made.line, fmt::format("Inconsistent prototypes of '{}', parameter types differ", name));
  }
  made.is_visible |= earlier.is_visible;
  made.is_weak |= earlier.is_weak;
  made.is_noreturn |= earlier.is_noreturn;
  earlier = std::move(made);
  return known->index;
}

// After .entry or .func.
void Parser::function(const Linkage& linkage, bool is_entry) {
  Function made;
  std::vector<std::string_view> parameter_names;
  std::vector<std::string_view> return_names;
  made.is_entry = is_entry;
  made.is_visible = linkage.is_visible;
  made.is_weak = linkage.is_weak;
  while (accept_dot("attribute")) skip_attribute(nullptr);
  if (!is_entry && accept('(')) formals(made.returns, return_names);
  made.line = token_.line;
  const std::string_view name = expect_word();
  made.name = name;
  if (accept('(')) formals(made.parameters, parameter_names);
  performance_directives(made);
  made.parameter_bytes = lay_out(made.parameters);
  lay_out(made.returns);
  if (is_entry) {
    for (const Variable& parameter : made.parameters) {
      if (parameter.space == Space::reg) {
        fail(parameter.line,
             fmt::format("Entry parameter '{}' must have .param state space", parameter.name));
      }
      if (parameter.is_array && parameter.size == 0) {
        fail(parameter.line, "Parameter to entry function cannot be an incomplete array.");
      }
    }
    const bool has_large =
        module_.version_major * 10 + module_.version_minor >= 81 && module_.target_sm >= 70;
    const std::uint64_t most = has_large ? 32764 : 4352;
    if (made.parameter_bytes > most) {
      fail(made.line,
           fmt::format("Entry function '{}' uses too much parameter space (0x{:x} bytes, 0x{:x} max).", name,
                       made.parameter_bytes, most));
    }
  }
  const bool has_body = token_.is('{');
  if (!has_body) expect(';');
  made.is_extern = !has_body;
  const std::uint32_t index = install(std::move(made), name);
  if (!has_body) return;

  function_ = &module_.functions[index];
  names_.enter();
  declare_formals(function_->returns, return_names, Symbol::Kind::return_value);
  declare_formals(function_->parameters, parameter_names, Symbol::Kind::parameter);
  body();
  function_ = nullptr;
}

// From `{` to its `}`; the function's own scope has been entered for the formals.
void Parser::body() {
  source_file_ = kNoId;
  source_line_ = 0;
  label_scopes_.assign(1, {});
  references_.clear();
  pending_.clear();
  with_labels_.clear();
  target_lists_.clear();
  advance();
  while (!label_scopes_.empty()) {
    if (token_.is('}')) {
      advance();
      close_scope();
    } else if (token_.is('{')) {
      if (label_scopes_.size() == kDeepestScope) fail(token_.line, "Scopes are nested too deeply");
      advance();
      names_.enter();
      label_scopes_.push_back({{}, static_cast<std::uint32_t>(references_.size())});
    } else if (token_.kind == Token::Kind::dot_word) {
      body_directive();
    } else if (token_.is('@')) {
      predicate();
      if (token_.kind != Token::Kind::word) syntax();
      const Token first = token_;
      instruction(first.text, first.line);
    } else if (token_.kind == Token::Kind::word) {
      label_or_instruction();
    } else if (!accept(';')) {
      syntax();
    }
  }
  resolve_labels();
}

void Parser::body_directive() {
  Linkage linkage;
  while (true) {
    if (accept_dot("extern")) {
      linkage.is_extern = true;
    } else if (accept_dot("visible")) {
      linkage.is_visible = true;
    } else if (accept_dot("weak")) {
      linkage.is_weak = true;
    } else {
      break;
    }
  }
  if (token_.kind != Token::Kind::dot_word) syntax();
  const std::string_view word = token_.text;
  if (word == "reg") {
    advance();
    register_declarations();
  } else if (const Space space = find_space(word); space != Space::generic && space != Space::tex) {
    advance();
    body_variables(space, linkage);
  } else if (word == "loc") {
    loc_directive();
  } else if (word == "file") {
    file_directive();
  } else if (word == "pragma") {
    pragma_directive();
  } else if (word == "section") {
    section_directive();
  } else {
    syntax();
  }
}

void Parser::label_or_instruction() {
  const Token first = token_;
  if (lexer_.at('.')) {
    instruction(first.text, first.line);
    return;
  }
  if (!peek().is(':')) {
    instruction(first.text, first.line);
    return;
  }
  advance();
  advance();
  if (token_.is_dot("branchtargets") || token_.is_dot("calltargets") || token_.is_dot("callprototype")) {
    labelled_directive(first.text);
    return;
  }
  const auto index = static_cast<std::uint32_t>(function_->labels.size());
  if (!names_.declare(first.text, {Symbol::Kind::label, index})) {
    fail(first.line, fmt::format("Duplicate definition of label '{}'", first.text));
  }
  function_->labels.push_back({std::string(first.text), static_cast<std::uint32_t>(function_->body.size())});
  label_scopes_.back().labels.emplace_back(first.text, index);
}

// name: .branchtargets A, B;  name: .calltargets f, g;  name: .callprototype (...) _ (...);
void Parser::labelled_directive(std::string_view label) {
  const std::uint32_t line = token_.line;
  Symbol symbol;
  if (accept_dot("callprototype")) {
    symbol = {Symbol::Kind::prototype, static_cast<std::uint32_t>(function_->prototypes.size())};
    Prototype made;
    std::vector<std::string_view> ignored;
    made.name = label;
    if (accept('(')) formals(made.returns, ignored);
    expect_word();
    if (accept('(')) formals(made.parameters, ignored);
    Function directives;
    performance_directives(directives);
    lay_out(made.returns);
    lay_out(made.parameters);
    function_->prototypes.push_back(std::move(made));
  } else {
    const bool is_branch = token_.is_dot("branchtargets");
    symbol = {is_branch ? Symbol::Kind::branch_targets : Symbol::Kind::call_targets,
              static_cast<std::uint32_t>(target_lists_.size())};
    advance();
    std::vector<Token> targets;
    do {
      if (token_.kind != Token::Kind::word) syntax();
      targets.push_back(token_);
      advance();
    } while (accept(','));
    target_lists_.push_back(std::move(targets));
  }
  expect(';');
  if (!names_.declare(label, symbol)) fail(line, fmt::format("Duplicate definition of label '{}'", label));
}

Operand Parser::label_reference(std::string_view name, std::uint32_t line) {
  Operand operand;
  operand.kind = Operand::Kind::label;
  operand.id = static_cast<std::uint32_t>(references_.size());  // until resolve_labels()
  references_.push_back({name, line});
  pending_[name].push_back(operand.id);
  return operand;
}

// A scope's labels take the references made inside it, nested scopes included, that no nested scope took.
void Parser::close_scope() {
  const LabelScope& scope = label_scopes_.back();
  for (const auto& [name, label] : scope.labels) {
    const auto it = pending_.find(name);
    if (it == pending_.end()) continue;
    std::vector<std::uint32_t>& waiting = it->second;
    while (!waiting.empty() && waiting.back() >= scope.first_reference) {
      references_[waiting.back()].label = label;
      waiting.pop_back();
    }
  }
  label_scopes_.pop_back();
  names_.leave();
}

void Parser::resolve_labels() {
  for (const LabelReference& reference : references_) {
    if (reference.label == kNoId) fail(reference.line, fmt::format("Unknown symbol '{}'", reference.name));
  }
  const auto resolve = [&](Operand& operand) {
    if (operand.kind == Operand::Kind::label) operand.id = references_[operand.id].label;
  };
  for (const std::uint32_t index : with_labels_) {
    for (Operand& operand : function_->body[index].operands) {
      resolve(operand);
      for (Operand& element : operand.elements) resolve(element);
    }
  }
}

}  // namespace tare::cpu::ptx::detail
