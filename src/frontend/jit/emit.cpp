// The module around the functions: its header, declarations, attributes and the note that says which is the
// kernel.
#include "frontend/jit/emit.hpp"

#include <fmt/format.h>

#include "frontend/jit/emitter.hpp"

namespace tare::detail {
namespace {

constexpr const char* kHeader =
    "target triple = \"nvptx64-nvidia-cuda\"\n"
    "target datalayout = "
    "\"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-"
    "v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n";

/// The kernel's type with typed pointers, for the note that says which function is one.
std::string kernel_type(const TracedProgram& kernel) {
  std::string types;
  for (const auto& [type, is_array, is_const] : kernel.parameters)
    types += fmt::format("{}{}{}", types.empty() ? "" : ", ", memory_type(type),
                         is_array ? " addrspace(1)*, i64" : "");
  return fmt::format("void ({})*", types);
}

}  // namespace

EmittedIr emit_ir(const TracedProgram& program, const IrDialect& dialect) {
  IrModule module;
  for (const TracedProgram& function : program.functions) Emitter(function, program, dialect, module).run();
  Emitter(program, program, dialect, module).run();

  std::string text = kHeader + module.globals + module.functions + "\n";
  for (const std::string& declaration : module.declarations) text += declaration + "\n";
  const bool flushes = dialect.ftz && dialect.ftz_in_text;
  text += fmt::format(
      "\nattributes #0 = {{ convergent nounwind{} }}\nattributes #1 = {{ convergent nounwind }}\n",
      flushes ? " \"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\"" : "");
  if (flushes) text += "!llvm.module.flags = !{!2}\n!2 = !{i32 4, !\"nvvm-reflect-ftz\", i32 1}\n";
  text += fmt::format("!nvvm.annotations = !{{!0}}\n!0 = !{{{} @{}, !\"kernel\", i32 1}}\n",
                      dialect.typed_pointers ? kernel_type(program) : "ptr", program.name);
  text += "!nvvmir.version = !{!1}\n!1 = !{i32 2, i32 0, i32 3, i32 1}\n";
  return {text, module.uses_libdevice};
}

}  // namespace tare::detail
