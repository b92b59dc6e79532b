// The specializations of a kernel: found by argument types, or traced, compiled and loaded under a lock.
#include <chrono>
#include <deque>
#include <mutex>

#include "compile/compile_ir.hpp"
#include "compile/locate.hpp"
#include "driver/loader.hpp"
#include "frontend/device_compile.hpp"
#include "frontend/jit/emit.hpp"
#include "frontend/jit/trace.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"
#include "tare/toolkit.hpp"

namespace tare {
namespace detail {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// What libNVVM may know, highest first: where it does not know the device's own, the next one below is
/// tried.
constexpr int kArchitectures[] = {121, 120, 110, 103, 101, 100, 90, 89, 87, 86,
                                  80,  75,  72,  70,  62,  61,  60, 53, 52, 50};
/// The first that libNVVM reads as IR of a newer LLVM.
constexpr int kFirstWithPlainPointers = 100;

struct Backend {
  bool is_clang = false;
  Tool tool;
  std::filesystem::path libdevice;
};

Backend find_backend(const JitOptions& options) {
  const bool may_be_clang = options.compiler != JitCompiler::libnvvm;
  const bool may_be_nvvm = options.compiler != JitCompiler::clang;
  Search nvvm = find_nvvm(may_be_nvvm ? options.compiler_path : std::filesystem::path());
  Backend found;
  if (nvvm.tool) found.libdevice = libdevice_of(*nvvm.tool);
  if (may_be_nvvm && nvvm.tool) {
    found.tool = std::move(*nvvm.tool);
    return found;
  }
  if (!may_be_clang) require(nvvm, "install it (pip install 'nvidia-nvvm==13.0.*'), or set TARE_NVVM");
  found.is_clang = true;
  Search clang = find_clang(may_be_nvvm ? std::filesystem::path() : options.compiler_path);
  if (clang.tool) {
    found.tool = std::move(*clang.tool);
    return found;
  }
  throw Error(ErrorKind::not_found,
              may_be_nvvm ? "tare::jit needs libNVVM or clang 19: " + nvvm.reason + "; " + clang.reason
                          : clang.reason,
              may_be_nvvm ? "install one of them (pip install 'nvidia-nvvm==13.0.*', or clang-19)"
                          : "install clang-19, or set TARE_CLANG");
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

Compiled compile_for(const Backend& backend, const JitOptions& options, const TracedProgram& program,
                     int architecture, JitSpecialization& made) {
  const auto start = Clock::now();
  IrDialect dialect;
  dialect.typed_pointers = !backend.is_clang && architecture < kFirstWithPlainPointers;
  dialect.ftz = options.ftz.value_or(false);
  dialect.ftz_in_text = backend.is_clang;
  dialect.approximate_sqrt = !options.prec_sqrt.value_or(true);
  dialect.has_libdevice = !backend.libdevice.empty();
  EmittedIr ir = emit_ir(program, dialect);
  made.ir = ir.text;
  made.trace_ms += ms_since(start);
  const IrSource source{made.signature, std::move(ir.text),
                        ir.uses_libdevice ? backend.libdevice : std::filesystem::path()};
  const CompileOptions compiler_options = compile_options(options, architecture);
  return backend.is_clang ? compile_ir_clang(backend.tool, source, compiler_options)
                          : compile_nvvm(backend.tool, source, compiler_options);
}

/// For the device's architecture; on a device that is newer than libNVVM, for the highest that it knows
/// below.
void compile(const JitOptions& options, const TracedProgram& program, int capability,
             JitSpecialization& made) {
  const Backend backend = find_backend(options);
  try {
    made.compiled = compile_for(backend, options, program, capability, made);
    return;
  } catch (const Error& error) {
    if (backend.is_clang || error.kind() != ErrorKind::argument) throw;
  }
  for (const int lower : kArchitectures) {
    if (lower >= capability) continue;
    try {
      made.compiled = compile_for(backend, options, program, lower, made);
      return;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::argument || lower == std::end(kArchitectures)[-1]) throw;
    }
  }
}

/// A symbol that PTX and every tool on the way take.
void check_name(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  bool good = !name.empty() && is_letter(name[0]);
  for (const char c : name) good = good && (is_letter(c) || (c >= '0' && c <= '9'));
  if (!good)
    throw Error(ErrorKind::argument, "`" + name + "` cannot be a kernel's name",
                "a name has letters, digits and _, and does not start with a digit");
}

}  // namespace

struct JitState::Table {
  Table(JitOptions with, const Where& at) : options(std::move(with)), where(at) {}
  const JitOptions options;
  const Where where;
  mutable std::mutex mutex;
  std::optional<PrimaryContext> context;
  std::deque<Made> made;  // never moved, so that a launch may go on using one

  JitSpecialization make(std::span<const JitParameter> parameters, const std::function<void()>& record) {
    JitSpecialization specialization;
    const auto start = Clock::now();
    Trace trace(options.name, parameters, where);
    record();
    specialization.signature = signature_of(trace.program());
    specialization.trace_ms = ms_since(start);
    if (!context) context = options.context ? *options.context : PrimaryContext();
    compile(options, trace.program(), context->device().compute_capability(), specialization);
    const Module module = load_compiled(*context, specialization.compiled, specialization.load_ms);
    specialization.kernel = module.kernel(options.name);
    return specialization;
  }
};

JitState::JitState(JitOptions options, const Where& where) {
  check_name(options.name);
  table_ = std::make_unique<Table>(std::move(options), where);
}

JitState::~JitState() = default;

const JitSpecialization& JitState::find_or_make(const std::type_info& types,
                                                std::span<const JitParameter> parameters,
                                                const std::function<void()>& record) {
  refuse_forked_child();  // whose parent may hold the lock for ever
  const std::lock_guard lock(table_->mutex);
  for (const Made& made : table_->made)
    if (*made.types == types) {
      last_.store(&made, std::memory_order_release);
      return made.specialization;
    }
  const Made& made = table_->made.emplace_back(Made{&types, table_->make(parameters, record)});
  last_.store(&made, std::memory_order_release);
  return made.specialization;
}

std::vector<const JitSpecialization*> JitState::specializations() const {
  const std::lock_guard lock(table_->mutex);
  std::vector<const JitSpecialization*> all;
  for (const Made& made : table_->made) all.push_back(&made.specialization);
  return all;
}

}  // namespace detail

std::string JitSpecialization::ptx() const {
  return {reinterpret_cast<const char*>(compiled.image.data()), compiled.image.size()};
}

}  // namespace tare
