// What a call passes and takes, against what its function or prototype declares. Messages are ptxas's.
#include <fmt/format.h>

#include "cpu/ptx/parser_state.hpp"

namespace tare::cpu::ptx::detail {

namespace {

using Kind = Operand::Kind;
using SymbolKind = Operand::SymbolKind;

class CallChecker {
 public:
  CallChecker(const Instruction& in, const Module& module, const Function& function)
      : in_(in), module_(module), function_(function) {}

  void run() const {
    const Operand& callee = in_.operands[1];
    const std::vector<Variable>* parameters = nullptr;
    const std::vector<Variable>* returns = nullptr;
    if (callee.kind == Kind::symbol) {
      parameters = &module_.functions[callee.symbol].parameters;
      returns = &module_.functions[callee.symbol].returns;
    } else if (in_.operands.size() < 4) {
      detail::fail(in_.line,
                   fmt::format("Call to '{}' requires call prototype", function_.registers[callee.id].name));
    } else if (in_.operands[3].kind == Kind::symbol) {
      parameters = &function_.prototypes[in_.operands[3].symbol].parameters;
      returns = &function_.prototypes[in_.operands[3].symbol].returns;
    } else {
      return;
    }
    check_passed(in_.operands[2], *parameters);
    check_passed(in_.operands[0], *returns);
  }

 private:
  void check_passed(const Operand& list, const std::vector<Variable>& formals) const {
    if (list.elements.size() != formals.size()) detail::fail(in_.line, "Call has wrong number of parameters");
    for (std::size_t i = 0; i < formals.size(); ++i) {
      const Variable& formal = formals[i];
      const Operand& actual = list.elements[i];
      bool matches = true;
      if (actual.kind == Kind::reg) {
        matches = !formal.is_array && agrees(function_.registers[actual.id].type, formal.type, false);
      } else if (actual.kind == Kind::symbol && actual.symbol_kind == SymbolKind::function_variable) {
        const Variable& variable = function_.variables[actual.symbol];
        matches = formal.size == 0 || variable.size == formal.size;
      }
      if (!matches) {
        detail::fail(in_.line,
                     fmt::format("Type of argument does not match formal parameter '{}'", formal.name));
      }
    }
  }

  const Instruction& in_;
  const Module& module_;
  const Function& function_;
};

}  // namespace

void check_call(const Instruction& in, const Module& module, const Function& function) {
  CallChecker(in, module, function).run();
}

}  // namespace tare::cpu::ptx::detail
