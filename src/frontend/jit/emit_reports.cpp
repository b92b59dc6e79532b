// What a kernel tells the host: assertions and printf, with their texts in constant memory.
#include <fmt/format.h>

#include "frontend/jit/emitter.hpp"

namespace tare::detail {
namespace {

/// LLVM's escapes: what is not plain as two hex digits.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    out += plain ? std::string(1, c) : fmt::format("\\{:02X}", static_cast<unsigned char>(c));
  }
  return out + "\\00";
}

}  // namespace

std::string Emitter::text_pointer(const std::string& name, const std::string& text) {
  const std::string array = fmt::format("[{} x i8]", text.size() + 1);
  module_.globals +=
      fmt::format("@{} = internal addrspace(4) constant {} c\"{}\", align 1\n", name, array, quoted(text));
  if (!dialect_.typed_pointers) {
    line("%{} = addrspacecast ptr addrspace(4) @{} to ptr", name, name);
  } else {
    line("%{}.array = addrspacecast {} addrspace(4)* @{} to {}*", name, array, name, array);
    line("%{} = bitcast {}* %{}.array to i8*", name, array, name);
  }
  return generic_pointer() + " %" + name;
}

void Emitter::emit_assertion(std::uint32_t i, const TracedNode& node) {
  const TracedAssertion& assertion = program_.assertions[node.value];
  const std::string message = text_pointer(fmt::format("{}message{}", prefix_, i), assertion.message);
  const std::string file = text_pointer(fmt::format("{}file{}", prefix_, i), assertion.file);
  const std::string function = text_pointer(fmt::format("{}function{}", prefix_, i), assertion.function);
  const std::string p = generic_pointer();
  declare(fmt::format("declare void @__assertfail({}, {}, i32, {}, i64)", p, p, p));
  line("call void @__assertfail({}, {}, i32 {}, {}, i64 1)", message, file, assertion.line, function);
}

void Emitter::emit_print(std::uint32_t i, const TracedNode& node) {
  const TracedPrint& printed = program_.prints[node.value];
  std::string type;
  for (const Scalar argument : printed.types)
    type += (type.empty() ? "" : ", ") + std::string(ir_type(argument));
  type = "{" + (type.empty() ? "i32" : type) + "}";
  entry_ += fmt::format("  %m{} = alloca {}, align 8\n", i, type);
  for (std::size_t k = 0; k < printed.types.size(); ++k) {
    const char* element = ir_type(printed.types[k]);
    const std::string pointer = dialect_.typed_pointers ? fmt::format("{}*", element) : "ptr";
    line("%v{}.{} = getelementptr {}, {} %m{}, i32 0, i32 {}", i, k, type,
         dialect_.typed_pointers ? type + "*" : "ptr", i, k);
    line("store {}, {} %v{}.{}, align {}", typed(printed.arguments[k]), pointer, i, k,
         bytes_of(printed.types[k]));
  }
  const std::string format = text_pointer(fmt::format("{}format{}", prefix_, i), printed.format);
  const std::string p = generic_pointer();
  if (dialect_.typed_pointers) line("%v{}.buffer = bitcast {}* %m{} to i8*", i, type, i);
  declare(fmt::format("declare i32 @vprintf({}, {})", p, p));
  line("%v{} = call i32 @vprintf({}, {} {})", i, format, p,
       dialect_.typed_pointers ? fmt::format("%v{}.buffer", i) : fmt::format("%m{}", i));
}

}  // namespace tare::detail
