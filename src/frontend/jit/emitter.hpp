// The pass over the nodes of a kernel, or of one of its functions, that writes their IR.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/jit/emit.hpp"
#include "frontend/jit/ir_types.hpp"

namespace tare::detail {

/// What a kernel and the functions that it calls share.
struct IrModule {
  std::string globals, functions;
  std::map<std::string, std::string> texts;  // the global that has it
  std::size_t constant_bytes = 0;
  std::set<std::string> declarations;
  bool has_dynamic_shared = false, uses_libdevice = false;
};

/// Of the kernel, or of one of its functions.
class Emitter {
 public:
  Emitter(const TracedProgram& program, const TracedProgram& kernel, const IrDialect& dialect,
          IrModule& module)
      : program_(program), kernel_(kernel), dialect_(dialect), module_(module), prefix_(program.name + "$") {}

  /// Adds the whole definition to the module.
  void run();

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    body_ += "  ";
    fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
    body_ += '\n';
  }
  template <class... Args>
  void label(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
    body_ += ":\n";
  }

  /// What something depends on that has an effect. Operands come before what uses them, so one pass suffices.
  void find_needed();
  std::string pointer_type(Scalar type, Space space) const;
  std::string type_of(const TracedNode& node) const;
  std::string generic_pointer() const { return dialect_.typed_pointers ? "i8*" : "ptr"; }
  /// The number in a node's name: another one where the node is evaluated once more, under a guard.
  std::uint32_t name_of(std::uint32_t number) const;
  /// The node as an operand, without its type.
  std::string value(Node which) const;
  std::string typed(Node which) const;
  void declare(std::string declaration) { module_.declarations.insert(std::move(declaration)); }

  void emit(std::uint32_t i, const TracedNode& node);

  // emit_arithmetic.cpp
  void emit_unary(std::uint32_t i, const TracedNode& node);
  void emit_binary(std::uint32_t i, const TracedNode& node);
  /// Integer division with the two cases defined that LLVM leaves undefined: by 0, and the lowest number by
  /// -1.
  void emit_division(std::uint32_t i, const TracedNode& node, bool remainder);
  void emit_convert(std::uint32_t i, const TracedNode& node);
  /// Between half and float or double: halves are their bits in the IR, whose readers differ in what they
  /// know of the type.
  void emit_half_conversion(std::uint32_t i, Scalar from, Scalar to, const std::string& a);
  /// The instruction itself: LLVM 19 makes a conversion of one bit of it where it can, and its NVPTX back end
  /// has that bit as 1 and not as -1.
  void emit_signed_to_float(std::uint32_t i, Scalar from, Scalar to, std::string a);
  /// The machine's own instruction, which has a result for every number. LLVM's conversion, and NVIDIA's
  /// intrinsic that it takes for the same, leave numbers out of range undefined.
  void emit_float_to_integer(std::uint32_t i, Scalar from, Scalar to, const std::string& a);
  void emit_special(std::uint32_t i, const TracedNode& node);
  void emit_math(std::uint32_t i, const TracedNode& node);
  void emit_instruction(std::uint32_t i, const TracedNode& node);

  // emit_memory.cpp
  /// A global array as a pointer to its first element.
  void emit_first_element(std::string& where, std::uint32_t i, const std::string& array, const char* space,
                          const std::string& name) const;
  void emit_memory(std::uint32_t i, const TracedNode& node);
  void emit_load(std::uint32_t i, const TracedNode& node);
  void emit_store(std::uint32_t i, const TracedNode& node);
  /// As PTX: the same in every reader of the IR, and relaxed as CUDA C++'s are.
  void emit_atomic(std::uint32_t i, const TracedNode& node);

  // emit_control.cpp
  /// The right side is evaluated in a block of its own, where the left one does not decide.
  void emit_logical(std::uint32_t i, const TracedNode& node);
  /// A bool goes as a byte, as it does to a kernel.
  void emit_call(std::uint32_t i, const TracedNode& node);
  /// Labels carry the number of the mark that begins the block.
  void emit_control(std::uint32_t i, const TracedNode& node);
  /// What comes after it in the block is never reached, and still has to be in a block of its own.
  void jump(std::uint32_t i, const std::string& where);

  // emit_reports.cpp
  /// Adds to what the module has in constant memory, and throws Error(argument) where that is more than there
  /// is. `what` and `where`: what it is for, and where in the source.
  void take_constants(std::size_t bytes, std::size_t align, const std::string& what, const Where& where);
  /// A text in constant memory, as the generic pointer that the device's functions take; texts that are equal
  /// are there once.
  std::string text_pointer(const std::string& name, const std::string& text, const std::string& what,
                           const Where& where);
  void emit_assertion(std::uint32_t i, const TracedNode& node);
  void emit_print(std::uint32_t i, const TracedNode& node);

  std::string kernel_definition() const;
  std::string function_definition() const;

  const TracedProgram& program_;
  const TracedProgram& kernel_;
  const IrDialect dialect_;
  IrModule& module_;
  const std::string prefix_;  // of what is global; no kernel's or function's name has a $
  std::vector<bool> needed_, has_else_;
  std::string entry_, body_;
  std::vector<std::map<std::uint32_t, std::uint32_t>> guarded_names_;  // of open guards, outermost first
  std::uint32_t next_name_ = 0;
};

}  // namespace tare::detail
