// The recursive-descent parser's state and its functions, spread over parse_*.cpp by what they parse.
// Private; parse() in parser.cpp makes one per text. Every function throws Failure on bad input.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cpu/ptx/decode.hpp"
#include "cpu/ptx/lexer.hpp"
#include "cpu/ptx/names.hpp"

namespace tare::cpu::ptx::detail {

/// What stands before a declaration.
struct Linkage {
  bool is_visible = false, is_extern = false, is_weak = false, is_common = false;
};

/// A literal, or a constant expression's value.
struct Constant {
  bool is_real = false;
  bool is_f32 = false;
  bool is_unsigned = false;
  std::uint64_t bits = 0;
};

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options) : text_(text), options_(options), lexer_(text) {}

  Module run();

 private:
  // Tokens.
  void advance() { token_ = lexer_.next(); }
  Token peek() const;
  bool accept(char symbol);
  bool accept_dot(std::string_view word);
  void expect(char symbol);
  std::string_view expect_word();
  std::uint64_t expect_unsigned();
  [[noreturn]] void syntax() const;

  // parser.cpp: the head of the file and what stands between functions.
  void version_directive();
  void target_directive();
  void address_size_directive();
  void module_item();
  void file_directive();
  void loc_directive();
  void pragma_directive();
  void section_directive();
  void alias_directive();
  void skip_attribute(bool* is_managed);
  std::uint32_t file_index(std::uint64_t number);

  // parse_constant.cpp
  Constant constant(int precedence = 0);
  Constant unary();
  bool starts_constant() const;

  // parse_variable.cpp
  struct Specification {
    std::uint32_t alignment = 0;
    std::uint8_t width = 1;
    Type type = Type::none;
    bool is_managed = false;
  };
  Specification specification();
  void pointer_attribute(Variable& variable);
  Variable variable(Space space, const Specification& spec, const Linkage& linkage, bool may_initialise);
  std::vector<std::uint64_t> dimensions(Variable& variable, const Specification& spec);
  void initialiser(Variable& variable, const Specification& spec,
                   const std::vector<std::uint64_t>& dimensions);
  void initialiser_level(Variable& variable, const Specification& spec,
                         const std::vector<std::uint64_t>& dimensions, std::size_t level,
                         std::uint64_t offset);
  void initial_value(Variable& variable, const Specification& spec, std::uint64_t offset);
  void initial_symbol(Variable& variable, std::uint64_t offset, std::uint8_t size, std::uint64_t mask);
  void initial_bytes(Variable& variable, std::uint64_t offset, std::uint64_t value, std::size_t size);
  void module_variables(Space space, const Linkage& linkage);
  void register_declarations();
  void body_variables(Space space, const Linkage& linkage);
  void formals(std::vector<Variable>& into, std::vector<std::string_view>& names);

  // parse_function.cpp
  void function(const Linkage& linkage, bool is_entry);
  void performance_directives(Function& made);
  void declare_formals(std::vector<Variable>& formals, const std::vector<std::string_view>& names,
                       Symbol::Kind kind);
  std::uint32_t install(Function&& made, std::string_view name);
  void body();
  void body_directive();
  void label_or_instruction();
  void labelled_directive(std::string_view label);
  void close_scope();
  void resolve_labels();

  // parse_instruction.cpp
  void instruction(std::string_view first_word, std::uint32_t line);
  void predicate();
  const Decoded& decoded(std::string_view spelling, std::uint32_t line);
  void operands(Instruction& in, const OpcodeRow& row);
  void call_operands(Instruction& in);
  Operand operand(const Instruction& in);
  Operand named_operand(const Instruction& in);
  Operand register_operand(const Symbol& symbol, std::string_view name, const Instruction& in);
  Operand special_operand(std::string_view name);
  Operand vector_operand(const Instruction& in);
  Operand address_operand(const Instruction& in);
  Operand list_operand(const Instruction& in);
  Operand label_operand(const Instruction& in);
  Operand targets_operand(const Instruction& in);
  Operand constant_operand();
  void add_offset(Operand& operand);
  Operand element_operand(const Instruction& in, Operand array);
  const Variable& variable_of(const Operand& operand) const;
  RegisterId compute(std::string_view spelling, Type type, std::uint32_t line, std::vector<Operand> sources);
  bool symbol_operand(const Symbol& symbol, Operand& operand) const;
  std::uint32_t materialise(Symbol& symbol, std::string_view name);
  Operand label_reference(std::string_view name, std::uint32_t line);

  std::string_view text_;
  const ParseOptions& options_;
  Lexer lexer_;
  Token token_;
  Module module_;
  Names names_;
  std::unordered_map<std::string_view, Decoded> decoded_;
  std::deque<std::string> spellings_;  // of opcodes written with spaces inside
  std::unordered_map<std::uint64_t, std::uint32_t> files_;
  std::string_view last_name_;       // of the declarator that variable() read last
  std::uint64_t initial_total_ = 0;  // bytes of all initialisers so far
  int nesting_ = 0;                  // of the constant expression being read

  // Of the function being parsed.
  struct LabelScope {
    std::vector<std::pair<std::string_view, std::uint32_t>> labels;
    std::uint32_t first_reference = 0;
  };
  struct LabelReference {
    std::string_view name;
    std::uint32_t line;
    std::uint32_t label = kNoId;
  };
  Function* function_ = nullptr;
  std::uint32_t source_file_ = kNoId, source_line_ = 0;
  std::uint32_t predicate_ = kNoId;
  bool predicate_negated_ = false;
  std::vector<LabelScope> label_scopes_;
  std::vector<LabelReference> references_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> pending_;
  std::vector<std::uint32_t> with_labels_;  // instructions whose operands name labels
  std::vector<std::vector<Token>> target_lists_;
  std::uint64_t expanded_targets_ = 0;
};

/// Operand kinds, counts and register types against the opcode's row and form; parse errors in ptxas's words.
void check_operands(const Instruction& in, const Decoded& decoded, const Module& module,
                    const Function& function);

/// The value of an operand that is a constant, and the piece of one that is a register; `letter` is that of
/// OpcodeRow::operands.
void check_number(const Instruction& in, std::size_t index, char letter);
void check_selector(const Instruction& in, std::size_t index, char letter);
/// vmad computes a*b+c, -(a*b)+c, a*b-c or, with .po, a*b+c+1.
void check_negation(const Instruction& in);

/// An address in brackets, and that of a name as a value: of which state space it is. `wanted` is the
/// instruction's.
void check_address(const Instruction& in, const Operand& operand, Space wanted, const Module& module,
                   const Function& function);
void check_symbol(const Instruction& in, const Operand& operand, const Module& module,
                  const Function& function);
/// Refuses what has addresses of 32 bits, where the text's are of 64.
void check_address_size(const Instruction& in, const Module& module);

/// What a call passes and takes, against its function or prototype.
void check_call(const Instruction& in, const Module& module, const Function& function);

/// Whether a register of type `have` may stand for an operand of type `want`, with `wider` also a wider one.
bool agrees(Type have, Type want, bool wider);
bool is_bits(Type t);
bool is_integer(Type t);
/// The integer type of twice the width, as of the results of .wide; other types are themselves.
Type doubled(Type type);

/// Gives formal parameters their offsets; bytes of the whole.
std::uint64_t lay_out(std::vector<Variable>& parameters);

}  // namespace tare::cpu::ptx::detail
