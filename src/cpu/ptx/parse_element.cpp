// An array's element as an operand, `table[2]` or `table[%r1+2]` (PTX ISA 6.4.2): the element's address. An
// index in a register becomes instructions ahead of the one that has it.
#include <fmt/format.h>

#include "cpu/ptx/parser_state.hpp"

namespace tare::cpu::ptx::detail {

namespace {

using Kind = Operand::Kind;
using SymbolKind = Operand::SymbolKind;

Operand register_operand_of(RegisterId id) {
  Operand operand;
  operand.kind = Kind::reg;
  operand.id = id;
  return operand;
}

Operand integer_operand_of(std::uint64_t value) {
  Operand operand;
  operand.kind = Kind::integer;
  operand.integer = static_cast<std::int64_t>(value);
  return operand;
}

// Whether an index may have the type.
bool counts(Type type) {
  const std::size_t bytes = size_of(type);
  return agrees(type, bytes == 2 ? Type::u16 : bytes == 4 ? Type::u32 : Type::u64, false);
}

}  // namespace

const Variable& Parser::variable_of(const Operand& operand) const {
  switch (operand.symbol_kind) {
    case SymbolKind::module_variable:
      return module_.variables[operand.symbol];
    case SymbolKind::function_variable:
      return function_->variables[operand.symbol];
    case SymbolKind::return_value:
      return function_->returns[operand.symbol];
    default:
      return function_->parameters[operand.symbol];
  }
}

// Adds an instruction whose first operand is a new register, which it gives.
RegisterId Parser::compute(std::string_view spelling, Type type, std::uint32_t line,
                           std::vector<Operand> sources) {
  const auto id = static_cast<RegisterId>(function_->registers.size());
  function_->registers.push_back({fmt::format("%element{}", id), type});
  Instruction in = decoded(spelling, line).instruction;
  in.line = line;
  in.source_file = source_file_;
  in.source_line = source_line_;
  in.operands.push_back(register_operand_of(id));
  for (Operand& source : sources) in.operands.push_back(std::move(source));
  in.destination_count = 1;
  function_->body.push_back(std::move(in));
  return id;
}

// `array` is a symbol, and `[` the current token. Loads and stores take the element as an address.
Operand Parser::element_operand(const Instruction& in, Operand array) {
  const std::uint32_t line = token_.line;
  if (array.symbol_kind == SymbolKind::function || !variable_of(array).is_array) {
    fail(line, "Array indexing on non-array");
  }
  const bool is_access = in.op == Op::ld || in.op == Op::ldu || in.op == Op::st;
  if (!is_access && in.op != Op::mov && in.op != Op::cvta) {
    fail(line, fmt::format("Arguments mismatch for instruction '{}'", message_name(in)));
  }
  array.kind = is_access ? Kind::address : Kind::symbol;
  const std::size_t bytes = size_of(variable_of(array).type);
  const Space space = variable_of(array).space;
  advance();
  Operand index;
  const bool is_register = token_.kind == Token::Kind::word && token_.text != "WARP_SZ";
  if (is_register) {
    index = named_operand(in);
    const bool is_integer = index.kind == Kind::reg && counts(function_->registers[index.id].type);
    if (!is_integer) fail(line, "Array index must be an integer");
    index.kind = Kind::address;
    add_offset(index);
  } else {
    const Constant value = constant();
    if (value.is_real) fail(line, "Integer constant expression expected");
    index.integer = static_cast<std::int64_t>(value.bits);
  }
  expect(']');
  const std::uint64_t offset = static_cast<std::uint64_t>(index.integer) * bytes;
  if (!is_register) {
    array.integer = static_cast<std::int64_t>(offset);
    return array;
  }
  if (array.symbol_kind == SymbolKind::parameter || array.symbol_kind == SymbolKind::return_value ||
      space == Space::param) {
    fail(line, "An array of .param space is indexed by constants only");
  }
  // As ptxas does it: 32 bits of the index, unsigned, and the product in 32 bits.
  const Operand in_words = register_operand_of(
      size_of(function_->registers[index.id].type) == size_of(Type::u32)
          ? index.id
          : compute(size_of(function_->registers[index.id].type) == size_of(Type::u16) ? "cvt.u32.u16"
                                                                                       : "cvt.u32.u64",
                    Type::b32, line, {register_operand_of(index.id)}));
  const RegisterId distance =
      compute("mad.lo.u32", Type::b32, line,
              {in_words, integer_operand_of(bytes), integer_operand_of(offset & 0xffffffff)});
  array.kind = Kind::symbol;
  const RegisterId start = compute("mov.u64", Type::b64, line, {array});
  const RegisterId wide = compute("cvt.u64.u32", Type::b64, line, {register_operand_of(distance)});
  Operand element = register_operand_of(
      compute("add.u64", Type::b64, line, {register_operand_of(start), register_operand_of(wide)}));
  element.integer = 0;
  if (is_access) element.kind = Kind::address;
  return element;
}

}  // namespace tare::cpu::ptx::detail
