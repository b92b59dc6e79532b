// One compile with libNVVM: options in its spelling, the IR verified first, the log whatever happens.
#include <chrono>

#include "compile/compile_ir.hpp"
#include "compile/device_library.hpp"
#include "compile/nvvm_library.hpp"
#include "tare/error.hpp"

namespace tare::detail {
namespace {

std::vector<std::string> nvvm_options(const CompileOptions& options) {
  std::vector<std::string> all{"-arch=" + options.arch};
  const auto flag = [&](const char* name, const std::optional<bool>& value) {
    if (value) all.push_back(std::string(name) + (*value ? "=1" : "=0"));
  };
  flag("-fma", options.fmad);
  flag("-ftz", options.ftz);
  flag("-prec-div", options.prec_div);
  flag("-prec-sqrt", options.prec_sqrt);
  return all;
}

/// The program object, with its errors turned into exceptions.
class Program {
 public:
  Program(const NvvmLibrary& nvvm, const std::string& name, const std::string& arch)
      : nvvm_(nvvm), name_(name), arch_(arch) {
    check(nvvm.create(&program_), "nvvmCreateProgram");
  }
  ~Program() {
    if (program_ != nullptr) nvvm_.destroy(&program_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  NvvmProgram get() const { return program_; }

  std::string log() const {
    std::size_t size = 0;
    if (program_ == nullptr || nvvm_.log_size(program_, &size) != kNvvmSuccess || size <= 1) return {};
    std::string text(size, '\0');
    if (nvvm_.log(program_, text.data()) != kNvvmSuccess) return {};
    text.resize(size - 1);
    return text;
  }

  std::vector<std::byte> ptx() const {
    std::size_t size = 0;
    check(nvvm_.result_size(program_, &size), "nvvmGetCompiledResultSize");
    std::vector<std::byte> bytes(size);
    check(nvvm_.result(program_, reinterpret_cast<char*>(bytes.data())), "nvvmGetCompiledResult");
    while (!bytes.empty() && bytes.back() == std::byte{0}) bytes.pop_back();
    return bytes;
  }

  void check(NvvmResult result, const char* call) const {
    if (result == kNvvmSuccess) return;
    const std::string said = log();
    const std::string who = "libNVVM (" + nvvm_.path.string() + ")";
    const char* code = nvvm_.error_string(result);
    if (result == kNvvmInvalidOption && said.find("-arch=") != std::string::npos)
      throw Error(ErrorKind::argument, who + " does not know " + arch_, {}, result, code);
    throw CompileError(who + " cannot compile " + name_ + ": " + call + " failed", said, {}, result, code);
  }

 private:
  const NvvmLibrary& nvvm_;
  const std::string &name_, &arch_;
  NvvmProgram program_ = nullptr;
};

}  // namespace

Compiled compile_nvvm(const Tool& tool, const IrSource& source, const CompileOptions& options) {
  const NvvmLibrary& nvvm = NvvmLibrary::load(tool.path);
  Compiled compiled;
  compiled.code = Code::ptx;
  compiled.options = nvvm_options(options);
  compiled.compiler = "libNVVM " + nvvm.version_text();
  compiled.compiler_path = nvvm.path.string();
  std::vector<const char*> flags;
  for (const std::string& option : compiled.options) flags.push_back(option.c_str());
  const int count = static_cast<int>(flags.size());

  const auto start = std::chrono::steady_clock::now();
  const Program program(nvvm, source.name, options.arch);
  program.check(nvvm.add(program.get(), source.text.data(), source.text.size(), source.name.c_str()),
                "nvvmAddModuleToProgram");
  if (!source.libdevice.empty()) {
    const std::string library = read_device_library(source.libdevice);
    program.check(nvvm.add_lazily(program.get(), library.data(), library.size(), "libdevice"),
                  "nvvmLazyAddModuleToProgram");
  }
  program.check(nvvm.verify(program.get(), count, flags.data()), "nvvmVerifyProgram");
  program.check(nvvm.compile(program.get(), count, flags.data()), "nvvmCompileProgram");
  compiled.image = program.ptx();
  compiled.log = program.log();
  compiled.compile_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

}  // namespace tare::detail
