// What a kernel tells the host: assertions and printf, with their texts in constant memory.
#include <fmt/format.h>

#include "frontend/jit/emitter.hpp"
#include "frontend/jit/trace.hpp"
#include "tare/error.hpp"

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

void Emitter::take_constants(std::size_t bytes, std::size_t align, const std::string& what,
                             const Where& where) {
  constexpr std::size_t kMost = 64 * 1024;  // ptxas refuses more, without saying for what
  module_.constant_bytes = (module_.constant_bytes + align - 1) / align * align + bytes;
  if (module_.constant_bytes > kMost)
    throw Error(
        ErrorKind::argument,
        fmt::format("{}, in the kernel `{}`: {} of {} bytes does not fit into the {} bytes of constants that "
                    "a kernel can have, together with its other texts and tables",
                    line_of(where), kernel_.name, what, bytes, kMost),
        "shorten it, or pass what is long as an array");
}

std::string Emitter::text_pointer(const std::string& name, const std::string& text, const std::string& what,
                                  const Where& where) {
  const std::string array = fmt::format("[{} x i8]", text.size() + 1);
  const auto [known, is_new] = module_.texts.emplace(text, name);
  if (is_new) {
    take_constants(text.size() + 1, 1, what, where);
    module_.globals +=
        fmt::format("@{} = internal addrspace(4) constant {} c\"{}\", align 1\n", name, array, quoted(text));
  }
  const std::string& global = known->second;
  if (!dialect_.typed_pointers) {
    line("%{} = addrspacecast ptr addrspace(4) @{} to ptr", name, global);
  } else {
    line("%{}.array = addrspacecast {} addrspace(4)* @{} to {}*", name, array, global, array);
    line("%{} = bitcast {}* %{}.array to i8*", name, array, name);
  }
  return generic_pointer() + " %" + name;
}

void Emitter::emit_assertion(std::uint32_t i, const TracedNode& node) {
  const auto& [text, where] = program_.assertions[node.value];
  const auto pointer = [&, at = where](const char* part, const std::string& of) {
    return text_pointer(fmt::format("{}{}{}", prefix_, part, i), of, "a text of tare::assert_", at);
  };
  // The kernel's name in place of the function's, which is the lambda's mangled type and the compiler's own.
  const std::string message = pointer("message", text), file = pointer("file", where.file_name()),
                    function = pointer("function", kernel_.name);
  const std::string p = generic_pointer();
  declare(fmt::format("declare void @__assertfail({}, {}, i32, {}, i64)", p, p, p));
  line("call void @__assertfail({}, {}, i32 {}, {}, i64 1)", message, file, where.line(), function);
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
  const std::string format = text_pointer(fmt::format("{}format{}", prefix_, i), printed.format,
                                          "a format of tare::print", printed.where);
  const std::string p = generic_pointer();
  if (dialect_.typed_pointers) line("%v{}.buffer = bitcast {}* %m{} to i8*", i, type, i);
  declare(fmt::format("declare i32 @vprintf({}, {})", p, p));
  line("%v{} = call i32 @vprintf({}, {} {})", i, format, p,
       dialect_.typed_pointers ? fmt::format("%v{}.buffer", i) : fmt::format("%m{}", i));
}

}  // namespace tare::detail
