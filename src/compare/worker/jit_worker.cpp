// A case's arguments as those of a traced kernel, and the row that launches it as its user would.
#include "compare/worker/jit_worker.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "compare/options.hpp"
#include "compare/worker/serve.hpp"
#include "tare/error.hpp"

namespace tare::compare {
namespace {

using detail::JitParameter;
using detail::Scalar;

std::optional<Scalar> scalar_of(const ElementType& element) {
  if (element.lanes != 1) return std::nullopt;
  const auto pick = [&](Scalar one, Scalar two, Scalar four, Scalar eight) {
    return element.size == 1 ? one : element.size == 2 ? two : element.size == 4 ? four : eight;
  };
  switch (element.kind) {
    case ElementType::Kind::floating:
      return element.size == 4 ? Scalar::f32 : Scalar::f64;
    case ElementType::Kind::signed_integer:
      return pick(Scalar::i8, Scalar::i16, Scalar::i32, Scalar::i64);
    case ElementType::Kind::unsigned_integer:
      return pick(Scalar::u8, Scalar::u16, Scalar::u32, Scalar::u64);
    case ElementType::Kind::boolean:
      return Scalar::boolean;
    case ElementType::Kind::half:
      return Scalar::f16;
    default:
      return std::nullopt;
  }
}

/// What a traced kernel would be called with. Throws Error(unsupported) for what it cannot take.
std::vector<JitParameter> parameters_of(const Job& job) {
  std::vector<JitParameter> parameters;
  for (const JobArgument& argument : job.arguments) {
    const auto scalar = scalar_of(argument.element);
    if (!scalar)
      throw Error(ErrorKind::unsupported,
                  "tare::jit has no arguments of the type of `" + argument.name + "`, " + argument.type);
    parameters.push_back({*scalar, argument.is_buffer, argument.is_buffer && argument.is_const});
  }
  return parameters;
}

bool fits(const JitRow& kernel, const std::vector<JitParameter>& wanted) {
  return std::equal(kernel.parameters.begin(), kernel.parameters.end(), wanted.begin(), wanted.end(),
                    [](const JitParameter& a, const JitParameter& b) {
                      return a.type == b.type && a.is_array == b.is_array && a.is_const == b.is_const;
                    });
}

class JitKernelRow : public NativeRow {
 public:
  JitKernelRow(std::vector<JitRow> kernels, std::string owner, bool keep)
      : kernels_(std::move(kernels)), owner_(std::move(owner)), keep_(keep) {}

  void build(Session& session) override {
    const JitRow& kernel = choose(session.task().job);
    std::vector<detail::JitRowArgument> arguments;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      const void* const value = session.arguments()[i];
      detail::JitRowArgument argument{.value = static_cast<const std::byte*>(value)};
      if (kernel.parameters[i].is_array) {
        std::memcpy(&argument.address, value, sizeof argument.address);
        argument.count = session.task().job.arguments[i].count;
      }
      arguments.push_back(argument);
    }
    bound_ = kernel.bind(options_for(session, kernel.name), arguments);
    launch_.emplace(JitLaunch{session.shape().grid, session.shape().block, session.stream(),
                              session.shape().dynamic_shared_bytes});
  }
  void first(Session&) override { bound_->launch(*launch_); }
  void launch(Session&) override { bound_->launch(*launch_); }

  BuildReport report() const override {
    BuildReport report;
    report.cache.clear();
    const JitSpecialization* const made = bound_ ? bound_->made() : nullptr;
    if (made == nullptr) return report;
    report.compiler = made->compiled.compiler;
    report.compiler_path = made->compiled.compiler_path;
    report.log = made->compiled.log;
    report.options = made->compiled.options;
    report.compiles = made->from_cache ? 0 : 1;
    report.cache = made->cache_result;
    report.cache_details["compiled for"] = made->signature;
    report.compile_ms = made->from_cache ? 0 : made->compiled.compile_ms;
    report.load_ms = made->load_ms;
    report.trace_ms = made->trace_ms;
    report.ir_ms = made->ir_ms;
    report.notes.emplace_back("its kernel is a C++ lambda for tare::jit, a reimplementation of the .cu");
    return report;
  }

 private:
  const JitRow& choose(const Job& job) const {
    if (job.jit_kernel.empty())
      throw Error(ErrorKind::unsupported, "this case has no jit kernel",
                  "name one: `jit = \"NAME\"` in [kernel] (docs/jit.md)");
    std::string names, signatures;
    for (const JitRow& kernel : kernels_) {
      if (names.find("`" + kernel.name + "`") == std::string::npos)
        names += (names.empty() ? "`" : ", `") + kernel.name + "`";
      if (kernel.name == job.jit_kernel)
        signatures += (signatures.empty() ? "" : ", ") + detail::signature_of("", kernel.parameters);
    }
    if (signatures.empty())
      throw Error(ErrorKind::argument, owner_ + " has no jit kernel `" + job.jit_kernel + "`",
                  names.empty() ? "it has none" : "it has " + names);
    const std::vector<JitParameter> wanted = parameters_of(job);
    const auto found = std::find_if(kernels_.begin(), kernels_.end(), [&](const JitRow& kernel) {
      return kernel.name == job.jit_kernel && fits(kernel, wanted);
    });
    if (found == kernels_.end())
      throw Error(ErrorKind::unsupported, "the jit kernel `" + job.jit_kernel + "` is written for " +
                                              signatures + ", and this case's arguments are " +
                                              detail::signature_of("", wanted));
    return *found;
  }

  JitOptions options_for(const Session& session, const std::string& name) const {
    const Task& task = session.task();
    JitOptions options;
    options.name = name;
    options.cache = keep_;
    options.context = session.context();
    if (task.fp == "strict") options.set_strict_fp();
    // The compiler that the owner has found: libNVVM before clang.
    for (const auto& [tool, compiler] :
         {std::pair("nvvm", JitCompiler::libnvvm), std::pair("clang", JitCompiler::clang)}) {
      const auto found = task.tools.find(tool);
      if (found == task.tools.end()) continue;
      options.compiler = compiler;
      options.compiler_path = found->second;
      break;
    }
    return options;
  }

  const std::vector<JitRow> kernels_;
  const std::string owner_;
  const bool keep_;
  std::unique_ptr<detail::BoundJitKernel> bound_;
  std::optional<JitLaunch> launch_;
};

}  // namespace

std::unique_ptr<NativeRow> make_jit_row(const std::string& name, std::vector<JitRow> kernels,
                                        std::string owner) {
  if (name != "jit" && name != "jit-cached") return nullptr;
  return std::make_unique<JitKernelRow>(std::move(kernels), std::move(owner), name == "jit-cached");
}

}  // namespace tare::compare

namespace tare {

int run_jit_rows(int argc, char** argv, const std::vector<JitRow>& kernels) {
  const std::string program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "this program";
  if (argc == 3 && std::strcmp(argv[1], "worker") == 0)
    return compare::serve(argv[2], compare::make_jit_row(argv[2], kernels, program));
  std::printf(
      "kernels of %s for the rows jit and jit-cached of `tare compare`; a case names one with\n"
      "  [kernel] jit = \"PATH/%s:NAME\"\n",
      program.c_str(), program.c_str());
  for (const JitRow& kernel : kernels)
    std::printf("  %s\n", detail::signature_of(kernel.name, kernel.parameters).c_str());
  return argc == 1 ? 0 : compare::kUsage;
}

}  // namespace tare
