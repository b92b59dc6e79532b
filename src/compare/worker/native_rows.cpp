// The rows that are written with libtare: explicit (NVRTC, clang), deferred, eager and ahead of time.
#include <dlfcn.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <optional>

#include "compare/case/complaint.hpp"
#include "compare/case/plain_file.hpp"
#include "compare/host_program.hpp"
#include "compare/worker/jit_kernels.hpp"
#include "compare/worker/jit_worker.hpp"
#include "compare/worker/native_row.hpp"
#include "tare/error.hpp"
#include "tare/program.hpp"
#include "tare/raw_kernel.hpp"
#include "tare/source_module.hpp"

namespace tare::compare {
namespace {

BuildReport report_of(const Compiled& compiled) {
  BuildReport report;
  report.compiler = compiled.compiler;
  report.compiler_path = compiled.compiler_path;
  report.log = compiled.log;
  report.options = compiled.options;
  report.compile_ms = compiled.compile_ms;
  return report;
}

BuildReport report_of(const RawKernel::Report& kept) {
  BuildReport report = report_of(kept.details);
  report.compiles = kept.compiled ? 1 : 0;
  report.cache = kept.cache_result;
  report.load_ms = kept.load_ms;
  if (!kept.compiled) report.compile_ms = 0;
  return report;
}

std::string prebuilt_text(const std::string& path) {
  try {
    std::string text = read_plain_text(path);
    if (text.empty()) throw Complaint("it is empty");
    return text;
  } catch (const Complaint& complaint) {
    throw Error(ErrorKind::io, "cannot read the prebuilt PTX " + path + ": " + complaint.what());
  }
}

// Launches a Kernel that build() has made: checked once, then with nothing in the way.
class KernelRow : public NativeRow {
 public:
  void first(Session& session) override {
    kernel_.launch(session.stream(), session.shape(), session.arguments(), session.argument_sizes());
  }
  void launch(Session& session) override {
    kernel_.launch_unchecked(session.stream(), session.shape(), session.arguments().data());
  }
  BuildReport report() const override { return report_; }

 protected:
  void loaded(const LoadedProgram& program, const std::string& name) {
    kernel_ = program.kernel(name);
    const std::vector<std::string> notes = std::move(report_.notes);
    report_ = report_of(program.compiled());
    report_.compiles = 1;
    report_.load_ms = program.load_ms();
    report_.notes = notes;
  }
  Kernel kernel_;
  BuildReport report_;
};

class NvrtcRow : public KernelRow {
 public:
  void build(Session& session) override {
    const Task& task = session.task();
    const Program program(session.context(), task.job.source, options_for(task, "nvrtc"));
    loaded(program.compile(Code::cubin, {task.job.kernel_name}), task.job.kernel_name);
  }
};

class NvrtcFastRow : public KernelRow {
 public:
  void prepare(const Task& task) override {
    const Code code = task.ptx_only ? Code::ptx : Code::cubin;
    CompileOptions options = options_for(task, "nvrtc");
    options.arch = (task.ptx_only ? "compute_" : "sm_") + std::to_string(task.compute_capability);
    const std::string source = task.job.source, name = task.job.kernel_name;
    compiled_ = std::async(std::launch::async, [=]() mutable {
      CompileOptions minimal = options;
      minimal.extra.emplace_back("--minimal");
      std::optional<Compiled> compiled;
      try {
        compiled = compile_nvrtc(source, code, {name}, minimal);
      } catch (const CompileError&) {
        // An older NVRTC without the option, or a kernel that needs what it leaves out.
        compiled = compile_nvrtc(source, code, {name}, options);
      }
      const std::chrono::duration<double, std::milli> now =
          std::chrono::steady_clock::now().time_since_epoch();
      return std::pair(std::move(*compiled), now.count());
    });
  }
  void build(Session& session) override {
    const std::string& name = session.task().job.kernel_name;
    std::optional<std::pair<Compiled, double>> compiled;
    try {
      compiled = compiled_.get();
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::argument) throw;
    }
    if (!compiled) {
      // The device is newer than the compiler: what to compile for is the front end's to choose.
      const Task& task = session.task();
      const Program program(session.context(), task.job.source, options_for(task, "nvrtc"));
      report_.notes.emplace_back("NVRTC does not know this device's architecture: nothing was overlapped");
      loaded(program.compile(Code::cubin, {name}), name);
      return;
    }
    loaded(LoadedProgram(session.context(), std::move(compiled->first)), name);
    report_.compiled_at_ms = compiled->second;
  }

 private:
  std::future<std::pair<Compiled, double>> compiled_;  // and when it was done
};

class ClangRow : public KernelRow {
 public:
  void build(Session& session) override {
    const Task& task = session.task();
    if (!task.prebuilt.empty()) {
      load_prebuilt(session);
      return;
    }
    const ClangProgram program(session.context(), task.job.source, options_for(task, "clang"));
    loaded(program.compile({task.job.kernel_name}), task.job.kernel_name);
  }

 private:
  void load_prebuilt(Session& session) {
    const std::string& path = session.task().prebuilt;
    const std::string text = prebuilt_text(path);
    const auto begin = std::chrono::steady_clock::now();
    const Module module = Module::load(session.context(), std::as_bytes(std::span(text)), text);
    kernel_ = module.kernel(session.task().job.kernel_name);
    report_.load_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    report_.compiler = "prebuilt PTX";
    report_.compiler_path = path;
    report_.log = module.log();
  }
};

class RawRow : public NativeRow {
 public:
  void build(Session& session) override {
    const Task& task = session.task();
    kernel_.emplace(session.context(), task.job.source, task.job.kernel_name, options_for(task, "nvrtc"));
  }
  void first(Session& session) override {
    kernel_->kernel().launch(session.stream(), session.shape(), session.arguments(),
                             session.argument_sizes());
    called_ = true;
  }
  void launch(Session& session) override {
    kernel_->kernel().launch_unchecked(session.stream(), session.shape(), session.arguments().data());
  }
  BuildReport report() const override {
    BuildReport none;
    none.cache.clear();
    return called_ ? report_of(kernel_->report()) : none;
  }

 private:
  std::optional<RawKernel> kernel_;
  bool called_ = false;
};

class NvccRow : public KernelRow {
 public:
  void build(Session& session) override {
    const Task& task = session.task();
    std::vector<std::string> names;
    if (task.job.kernel_name.find('<') != std::string::npos) names.push_back(task.job.kernel_name);
    const SourceModule module(session.context(), task.job.source, options_for(task, "nvcc"), names);
    kernel_ = module.kernel(task.job.kernel_name);
    report_ = report_of(module.report());
  }
};

class AotRow : public NativeRow {
 public:
  void build(Session& session) override {
    const std::string& path = session.task().prebuilt;
    const auto begin = std::chrono::steady_clock::now();
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      throw Error(ErrorKind::not_found, std::string("the host program cannot be loaded: ") + dlerror());
    launch_ = reinterpret_cast<Launcher>(dlsym(library, kHostProgramSymbol));
    if (!launch_) throw Error(ErrorKind::not_found, path + " has no " + kHostProgramSymbol);
    report_.load_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    report_.compiler = "nvcc, before the run";
    const auto nvcc = session.task().tools.find("nvcc");
    if (nvcc != session.task().tools.end()) report_.compiler_path = nvcc->second;
  }
  void first(Session& session) override { launch(session); }
  void launch(Session& session) override {
    const Job& job = session.task().job;
    const int error = launch_(session.arguments().data(), job.grid.data(), job.block.data(),
                              job.dynamic_shared_bytes, session.stream().handle());
    if (error != 0)
      throw Error(ErrorKind::driver, "the launch failed with CUDA runtime error " + std::to_string(error), "",
                  error);
  }
  BuildReport report() const override { return report_; }

 private:
  using Launcher = int (*)(void**, const unsigned*, const unsigned*, unsigned, void*);
  Launcher launch_ = nullptr;  // of a library that stays loaded
  BuildReport report_;
};

}  // namespace

CompileOptions options_for(const Task& task, const std::string& tool) {
  CompileOptions options;
  if (task.fp == "strict") options.set_strict_fp();
  for (const std::string& folder : task.include_dirs) options.include_dirs.emplace_back(folder);
  options.file_name = task.job.source_file_name;
  options.first_line = task.job.source_first_line;
  if (const auto path = task.tools.find(tool); path != task.tools.end()) options.compiler = path->second;
  return options;
}

std::unique_ptr<NativeRow> make_native_row(const std::string& name) {
  if (name == "nvrtc") return std::make_unique<NvrtcRow>();
  if (name == "nvrtc-fast") return std::make_unique<NvrtcFastRow>();
  if (name == "raw") return std::make_unique<RawRow>();
  if (auto row = make_jit_row(name, builtin_jit_rows(), "tare")) return row;
  if (name == "nvcc") return std::make_unique<NvccRow>();
  if (name == "clang") return std::make_unique<ClangRow>();
  if (name == "aot") return std::make_unique<AotRow>();
  return nullptr;
}

}  // namespace tare::compare
