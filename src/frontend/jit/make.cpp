// The compiler is chosen without starting or loading any, so that a look-up in the cache can come before.
#include "frontend/jit/make.hpp"

#include <chrono>
#include <cstdlib>
#include <sstream>

#include "cache/inputs.hpp"
#include "compile/compile_ir.hpp"
#include "compile/locate.hpp"
#include "frontend/cached_compile.hpp"
#include "frontend/device_compile.hpp"
#include "frontend/jit/emit.hpp"
#include "tare/error.hpp"
#include "tare/toolkit.hpp"

namespace tare::detail {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// What libNVVM may know, highest first: where it does not know the device's own, the next one below is
/// tried.
constexpr int kArchitectures[] = {121, 120, 110, 103, 101, 100, 90, 89, 87, 86,
                                  80,  75,  72,  70,  62,  61,  60, 53, 52, 50};
/// The first that libNVVM reads as IR of a newer LLVM.
constexpr int kFirstWithPlainPointers = 100;

struct Backend {
  Search nvvm;
  bool is_clang = false;
  fs::path explicit_clang;
  fs::path libdevice;
};

/// What to do about a compiler that was not found.
std::string remedy(const Search& search, bool by_option, const char* variable, const char* otherwise) {
  if (!search.is_explicit) return otherwise;
  return by_option ? "JitOptions::compiler_path names it: correct that, or leave it empty to have it searched"
                   : std::string(variable) + " names it: correct or unset that";
}

/// Can the path, which names libNVVM or clang, be meant for clang?
bool is_meant_for_clang(const fs::path& path) {
  const std::string name = path.filename().string();
  return !path.empty() && name.find(".so") == std::string::npos && !clang_candidates(path).empty();
}

/// Throws Error(not_found) where a libNVVM is named that is not there: who names one wants no other.
Backend choose_backend(const JitOptions& options) {
  Backend chosen;
  const fs::path& named = options.compiler_path;
  chosen.is_clang = options.compiler == JitCompiler::clang ||
                    (options.compiler == JitCompiler::automatic && is_meant_for_clang(named));
  if (chosen.is_clang) chosen.explicit_clang = named;
  chosen.nvvm = find_nvvm(chosen.is_clang ? fs::path() : named);
  if (chosen.nvvm.tool) chosen.libdevice = libdevice_of(*chosen.nvvm.tool);
  if (!chosen.is_clang && (options.compiler == JitCompiler::libnvvm || chosen.nvvm.is_explicit))
    require(chosen.nvvm, remedy(chosen.nvvm, !named.empty(), "TARE_NVVM",
                                "install it (pip install 'nvidia-nvvm==13.0.*'), or set TARE_NVVM"));
  chosen.is_clang = chosen.is_clang || !chosen.nvvm.tool;
  return chosen;
}

/// Runs those that might be it.
Tool clang_of(const Backend& backend, const JitOptions& options) {
  Search clang = find_clang(backend.explicit_clang);
  if (clang.tool) return std::move(*clang.tool);
  const std::string hint =
      remedy(clang, !backend.explicit_clang.empty(), "TARE_CLANG", "install clang-19, or set TARE_CLANG");
  if (clang.is_explicit || options.compiler == JitCompiler::clang)
    throw Error(ErrorKind::not_found, clang.reason, hint);
  throw Error(ErrorKind::not_found,
              "tare::jit needs libNVVM or clang 19: " + backend.nvvm.reason + "; " + clang.reason,
              "install one of them (pip install 'nvidia-nvvm==13.0.*', or clang-19)");
}

CompileOptions compile_options(const JitOptions& options, int architecture) {
  CompileOptions all;
  all.arch = "compute_" + std::to_string(architecture);
  all.fmad = options.fmad;
  all.ftz = options.ftz;
  all.prec_div = options.prec_div;
  all.prec_sqrt = options.prec_sqrt;
  return all;
}

/// ":" and the first lines that are not empty, for the end of a sentence; empty where there are none.
std::string beginning_of(const std::string& log) {
  constexpr std::size_t kLines = 4, kMostCharacters = 200;
  std::string text;
  std::istringstream lines(log);
  std::size_t count = 0;
  for (std::string line; count < kLines && std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    text += (count++ == 0 ? ":\n  " : "\n  ") + line.substr(0, kMostCharacters);
  }
  return text;
}

/// One kernel on its way to PTX.
class Maker {
 public:
  Maker(const JitOptions& options, const TracedProgram& program, int capability, JitSpecialization& made)
      : options_(options),
        program_(program),
        backend_(choose_backend(options)),
        capability_(capability),
        made_(made) {
    // Where there is neither, that is what is to be said, whatever the kernel calls.
    if (backend_.is_clang && clang_candidates(backend_.explicit_clang).empty()) clang_of(backend_, options);
    write_ir(capability);
  }

  KeyInputs key_inputs() const {
    return gather_inputs({.name = options_.name,
                          .ir = made_.ir,
                          .with_clang = backend_.is_clang,
                          .compilers = backend_.is_clang ? clang_candidates(backend_.explicit_clang)
                                                         : std::vector{backend_.nvvm.tool->path},
                          .libdevice = libdevice(),
                          .options = compile_options(options_, capability_)});
  }

  /// The IR is tare's own, so what a compiler says against it is for tare's authors: who uses a kernel gets
  /// the beginning of that, and how to pass it on.
  Compiled compile() {
    try {
      return compile_for_device();
    } catch (const CompileError& error) {
      throw CompileError(
          error.what() + beginning_of(error.log()), error.log(),
          "the IR is tare's, so this is most likely a fault of tare: please report it, with what "
          "kernel.ir() gives",
          error.code(), error.code_name());
    }
  }

  /// After a hit: the IR as it was for the architecture that was compiled for.
  void write_ir_of(const Compiled& compiled) {
    constexpr std::string_view kOption = "-arch=compute_";
    for (const std::string& option : compiled.options)
      if (!backend_.is_clang && option.starts_with(kOption)) write_ir(std::atoi(&option[kOption.size()]));
  }

 private:
  /// For the device's architecture; on a device that is newer than libNVVM, for the highest that it knows
  /// below.
  Compiled compile_for_device() {
    if (backend_.is_clang)
      return compile_ir_clang(clang_of(backend_, options_), source(), compile_options(options_, capability_));
    try {
      return compile_with_nvvm(capability_);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::argument) throw;
    }
    for (const int lower : kArchitectures) {
      if (lower >= capability_) continue;
      try {
        write_ir(lower);
        return compile_with_nvvm(lower);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::argument || lower == std::end(kArchitectures)[-1]) throw;
      }
    }
    throw Error(ErrorKind::unsupported, "libNVVM compiles for no device as old as this one",
                "use clang 19 (JitOptions::compiler), or name an older libNVVM (TARE_NVVM)");
  }

  void write_ir(int architecture) {
    IrDialect dialect;
    dialect.typed_pointers = !backend_.is_clang && architecture < kFirstWithPlainPointers;
    if (!made_.ir.empty() && dialect.typed_pointers == typed_pointers_) return;
    typed_pointers_ = dialect.typed_pointers;
    const auto start = Clock::now();
    dialect.architecture = capability_;
    dialect.ftz = options_.ftz.value_or(false);
    dialect.ftz_in_text = backend_.is_clang;
    dialect.approximate_sqrt = !options_.prec_sqrt.value_or(true);
    dialect.has_libdevice = !backend_.libdevice.empty();
    EmittedIr emitted = emit_ir(program_, dialect);
    made_.ir = std::move(emitted.text);
    uses_libdevice_ = emitted.uses_libdevice;
    made_.ir_ms += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }
  fs::path libdevice() const { return uses_libdevice_ ? backend_.libdevice : fs::path(); }
  IrSource source() const { return {made_.signature, made_.ir, libdevice()}; }
  Compiled compile_with_nvvm(int architecture) const {
    return compile_nvvm(*backend_.nvvm.tool, source(), compile_options(options_, architecture));
  }

  const JitOptions& options_;
  const TracedProgram& program_;
  const Backend backend_;
  const int capability_;
  JitSpecialization& made_;
  bool typed_pointers_ = false, uses_libdevice_ = false;
};

}  // namespace

Module make_module(const JitOptions& options, const TracedProgram& program, const PrimaryContext& context,
                   JitSpecialization& made) {
  Maker maker(options, program, context.device().compute_capability(), made);
  if (!options.cache) {
    made.compiled = maker.compile();
    return load_compiled(context, made.compiled, made.load_ms);
  }
  CachedModule found = load_or_make(context, maker.key_inputs(), Cache(),
                                    [&](Entry& entry, std::string&) { entry.compiled = maker.compile(); });
  made.compiled = std::move(found.report.details);
  made.cache_result = std::move(found.report.cache_result);
  made.load_ms = found.report.load_ms;
  made.from_cache = !found.report.compiled;
  if (made.from_cache) maker.write_ir_of(made.compiled);
  return std::move(found.module);
}

}  // namespace tare::detail
