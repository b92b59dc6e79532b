// A module image to a parsed module: what kind of image it is, what the log says when it is refused,
// and memory for its variables.
#include <algorithm>
#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include "cpu/analysis/call_graph.hpp"
#include "cpu/driver/api.hpp"
#include "cpu/driver/module.hpp"
#include "cpu/ptx/parser.hpp"
#include "cpu/runtime/floating_point.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

constexpr std::uint32_t kElf = 0x464c457f, kFatbin = 0xba55ed50, kFatbinWrapper = 0x466243b1;

Result code_of(ptx::ParseError::Code code) {
  switch (code) {
    case ptx::ParseError::Code::unsupported_version:
      return abi::kUnsupportedPtxVersion;
    case ptx::ParseError::Code::no_binary_for_gpu:
      return abi::kNoBinaryForGpu;
    case ptx::ParseError::Code::invalid_ptx:
      break;
  }
  return abi::kInvalidPtx;
}

/// The way the driver's own assembler words it, so that programs which read logs read this one.
std::string log_of(const ptx::ParseError& error) {
  std::string log =
      "ptxas application ptx input, line " + std::to_string(error.line) + "; error   : " + error.message;
  if (error.line == 0) log = "ptxas fatal   : " + error.message;
  return log + "\nptxas fatal   : Ptx assembly aborted due to errors\n";
}

/// What else may be done where the text is right and this device is not the one for it.
const char* remedy(ptx::ParseError::Code code) {
  switch (code) {
    case ptx::ParseError::Code::unsupported_version:
      return " (compile with CUDA 13.0 or older; of pip's packages, cuda-toolkit==13.0.*)";
    case ptx::ParseError::Code::no_binary_for_gpu:
      return " (compile for this one, or choose another with `tare with-cpu --cc` or TARE_CPU_CC)";
    case ptx::ParseError::Code::invalid_ptx:
      break;
  }
  return "";
}

Result refuse(Result code, const std::string& text, LoadLog& log) {
  log.error = text + "\n";
  return fail(code, text);
}

/// Functions that a device brings along: a module only declares them.
bool is_of_the_device(const std::string& function) {
  return function == "vprintf" || function == "malloc" || function == "free" || function == "__assertfail";
}

/// The first variable or called function that is declared and nowhere defined.
std::optional<ptx::ParseError> unresolved(const ptx::Module& module) {
  const auto error = [](std::uint32_t line, const std::string& what) {
    ptx::ParseError found;
    found.line = line;
    found.message = "Unresolved extern " + what;
    return found;
  };
  for (const ptx::Variable& variable : module.variables) {
    const bool in_memory = variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
    if (variable.is_extern && in_memory) return error(variable.line, "variable '" + variable.name + "'");
  }
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& instruction : function.body) {
      for (const ptx::Operand& operand : instruction.operands) {
        if (operand.symbol_kind != ptx::Operand::SymbolKind::function) continue;
        const ptx::Function& target = module.functions[operand.symbol];
        if (target.is_extern && target.alias_of == ptx::kNoId && !is_of_the_device(target.name))
          return error(instruction.line, "function '" + target.name + "'");
      }
    }
  }
  return std::nullopt;
}

/// What the module's constants or a kernel's own shared variables have too many bytes of, if any; no GPU has
/// more for them. ptxas's words.
std::optional<std::string> too_large(const ptx::Module& module, const codegen::ModuleLayout& layout) {
  constexpr std::uint64_t kMostConstant = 0x10000, kMostShared = 0xc000;
  const auto words = [](const std::string& what, std::uint64_t bytes, std::uint64_t most) {
    char text[64];
    std::snprintf(text, sizeof text, " data (0x%" PRIx64 " bytes, 0x%" PRIx64 " max)", bytes, most);
    return what + text;
  };
  if (layout.constant_bytes > kMostConstant)
    return words("File uses too much global constant", layout.constant_bytes, kMostConstant);
  // Seldom does all of a module's shared memory together come near the limit of one kernel.
  std::uint64_t all = 0;
  const auto add = [&](const std::vector<ptx::Variable>& variables) {
    for (const ptx::Variable& variable : variables) {
      if (variable.space == ptx::Space::shared && all <= kMostShared)
        all += std::min(variable.size, kMostShared) + std::max<std::uint64_t>(variable.alignment, 16);
    }
  };
  add(module.variables);
  for (const ptx::Function& function : module.functions) add(function.variables);
  if (all <= kMostShared) return std::nullopt;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || function.is_extern) continue;
    const std::uint64_t bytes = codegen::sizes_of(module, function).static_shared_bytes;
    if (bytes > kMostShared)
      return words("Entry function '" + function.name + "' uses too much shared", bytes, kMostShared);
  }
  return std::nullopt;
}

}  // namespace

Result parse_image(const void* image, std::shared_ptr<const ptx::Module>& parsed, LoadLog& log,
                   Completeness completeness) {
  const char* text = static_cast<const char*>(image);
  std::uint32_t magic = 0;
  for (std::size_t i = 0; i < sizeof magic; ++i) {  // byte by byte: a short text ends at its NUL
    magic |= std::uint32_t{static_cast<unsigned char>(text[i])} << (8 * i);
    if (text[i] == '\0') break;
  }
  const std::string make_ptx =
      ": make PTX with `nvcc -ptx`, or run a Python program with `tare with-cpu --ptx-only`";
  if (magic == kElf) {
    return refuse(abi::kNoBinaryForGpu,
                  "the CPU device loads PTX only; this image is machine code (a cubin, ELF)" + make_ptx, log);
  }
  if (magic == kFatbin || magic == kFatbinWrapper) {
    return refuse(abi::kNoBinaryForGpu,
                  "the CPU device loads PTX only; this image is a fat binary" + make_ptx, log);
  }
  const std::string_view ptx_text(text);
  if (ptx_text.starts_with("!<arch>")) {
    return refuse(abi::kNoBinaryForGpu,
                  "the CPU device loads PTX only; this image is an archive of machine code" + make_ptx, log);
  }
  if (ptx_text.empty() || (!std::isprint(static_cast<unsigned char>(text[0])) &&
                           !std::isspace(static_cast<unsigned char>(text[0])))) {
    return refuse(abi::kInvalidImage, "the CPU device loads PTX only; this image is not text", log);
  }

  ptx::ParseOptions options;
  options.compute_capability = Process::get().settings.capability->number;
  const DefaultFloatingPoint floating_point;
  auto result = ptx::parse(ptx_text, options);
  if (const auto* error = std::get_if<ptx::ParseError>(&result)) {
    log.error = log_of(*error);
    const std::string where = error->line == 0 ? "" : "PTX line " + std::to_string(error->line) + ": ";
    return fail(code_of(error->code), where + error->message + remedy(error->code));
  }
  auto module = std::make_shared<ptx::Module>(std::move(std::get<ptx::Module>(result)));
  if (const auto error = unresolved(*module); error && completeness == Completeness::whole) {
    log.error = log_of(*error);
    return fail(abi::kInvalidPtx, error->message);
  }
  if (const auto wrong = too_large(*module, codegen::layout_module(*module))) {
    log.error = "ptxas error   : " + *wrong + "\n";
    return fail(abi::kInvalidPtx, *wrong);
  }
  parsed = std::move(module);
  return abi::kSuccess;
}

namespace {

/// Writes a variable's initial value, the addresses in it included.
Result initialise(const ModuleObject& module, const ptx::Variable& variable, LoadLog& log) {
  std::byte* const to = module.address_of(variable);
  std::memcpy(to, variable.initial.data(), variable.initial.size());
  for (const auto& relocation : variable.relocations) {
    const ptx::Variable* target = nullptr;
    for (const ptx::Variable& candidate : module.ptx->variables) {
      if (candidate.name == relocation.symbol) target = &candidate;
    }
    std::uint64_t base = target == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(module.address_of(*target));
    for (std::uint32_t f = 0; base == 0 && f < module.ptx->functions.size(); ++f) {
      if (module.ptx->functions[f].name == relocation.symbol)
        base = analysis::address_of_function(analysis::resolve_alias(*module.ptx, f));
    }
    if (base == 0) {
      return refuse(abi::kNotSupported,
                    "the address of `" + relocation.symbol + "` in the initialiser of `" + variable.name +
                        "` (PTX line " + std::to_string(variable.line) +
                        ") is not supported by the CPU device",
                    log);
    }
    const std::uint64_t value = (base + static_cast<std::uint64_t>(relocation.addend)) >> relocation.shift;
    std::memcpy(to + relocation.offset, &value, relocation.size);
  }
  return abi::kSuccess;
}

std::shared_ptr<Allocation> segment(ContextObject& context, std::uint64_t bytes) {
  auto made = allocate_device(context, static_cast<std::size_t>(bytes), Allocation::Kind::module);
  if (made) std::memset(made->base, 0, made->bytes);
  return made;
}

}  // namespace

Result instantiate(const std::shared_ptr<ContextObject>& context,
                   const std::shared_ptr<const ptx::Module>& parsed, LoadLog& log,
                   std::shared_ptr<ModuleObject>& out) {
  auto own = std::make_shared<ptx::Module>(*parsed);
  const codegen::ModuleLayout layout = codegen::layout_module(*own);
  auto module = std::make_shared<ModuleObject>();
  module->context = context;
  module->ptx = own;
  if (layout.global_bytes != 0 && !(module->globals = segment(*context, layout.global_bytes)))
    return abi::kOutOfMemory;
  if (layout.constant_bytes != 0 && !(module->constants = segment(*context, layout.constant_bytes))) {
    return abi::kOutOfMemory;
  }
  const auto free_segments = [&] {
    for (const auto& made : {module->globals, module->constants}) {
      if (made) Process::get().addresses.remove(reinterpret_cast<std::uintptr_t>(made->base));
    }
  };
  for (const ptx::Variable& variable : own->variables) {
    if (module->address_of(variable) == nullptr) continue;
    if (const Result done = initialise(*module, variable, log); done != abi::kSuccess) {
      free_segments();
      return done;
    }
  }
  Process& process = Process::get();
  for (const ptx::Function& function : own->functions) {
    if (!function.is_entry || function.is_extern) continue;
    module->functions.push_back(std::make_shared<FunctionObject>(module, function));
    process.functions.add(module->functions.back());
  }
  process.modules.add(module);
  // A caller who gives a buffer for errors wants to read there which kernels cannot run.
  if (log.wants_errors || process.settings.eager_loading) {
    for (const auto& function : module->functions) {
      if (function->compiled() == nullptr) log.error += "warning : " + function->error.message + "\n";
    }
  }
  out = std::move(module);
  return abi::kSuccess;
}

}  // namespace tare::cpu
