// One compile with NVRTC: options in its spelling, the log whatever happens, cubin or PTX back.
#include <algorithm>
#include <chrono>
#include <utility>

#include "compile/include_hints.hpp"
#include "compile/nvrtc_library.hpp"
#include "compile/source_text.hpp"
#include "compile/toolkit_places.hpp"
#include "driver/loader.hpp"
#include "tare/compile.hpp"
#include "tare/error.hpp"
#include "tare/toolkit.hpp"

namespace tare {
namespace {

using namespace detail;
namespace fs = std::filesystem;

/// "sm_75, sm_80, ..."
std::string list_architectures(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "sm_" : ", sm_") + std::to_string(number);
  return text;
}

void check_architecture(const NvrtcLibrary& nvrtc, const std::string& arch) {
  if (nvrtc.architectures.empty()) return;
  const auto parsed = parse_architecture(arch);
  const auto& known = nvrtc.architectures;
  if (parsed && std::find(known.begin(), known.end(), parsed->number) != known.end()) return;
  int nearest = known.back();
  if (parsed)
    nearest = *std::min_element(known.begin(), known.end(), [&](int a, int b) {
      return std::abs(a - parsed->number) < std::abs(b - parsed->number);
    });
  throw Error(ErrorKind::argument,
              "NVRTC " + nvrtc.version_text() + " (" + nvrtc.path.string() +
                  ") does not know --gpu-architecture=" + arch + "; it knows " + list_architectures(known),
              parsed ? "the nearest that it knows is sm_" + std::to_string(nearest)
                     : "name an architecture, such as sm_90");
}

std::string flag(const char* name, bool value) {
  return std::string(name) + (value ? "=true" : "=false");
}

std::vector<std::string> nvrtc_options(const CompileOptions& options, const std::string& arch,
                                       const std::vector<fs::path>& toolkit_dirs) {
  std::vector<std::string> all;
  if (!options.standard.empty()) all.push_back("-std=" + options.standard);
  all.push_back("--gpu-architecture=" + arch);
  if (options.fmad) all.push_back(flag("--fmad", *options.fmad));
  if (options.ftz) all.push_back(flag("--ftz", *options.ftz));
  if (options.prec_div) all.push_back(flag("--prec-div", *options.prec_div));
  if (options.prec_sqrt) all.push_back(flag("--prec-sqrt", *options.prec_sqrt));
  if (options.max_registers) all.push_back("--maxrregcount=" + std::to_string(*options.max_registers));
  for (const std::string& define : options.defines) all.push_back("-D" + define);
  for (const fs::path& dir : options.include_dirs) all.push_back("-I" + dir.string());
  all.insert(all.end(), options.extra.begin(), options.extra.end());
  for (const fs::path& dir : toolkit_dirs) all.push_back("-I" + dir.string());
  return all;
}

std::string code_name(const NvrtcLibrary& nvrtc, NvrtcResult result) {
  const char* text = nvrtc.error_string(result);
  return text != nullptr ? text : "NVRTC error " + std::to_string(result);
}

/// The program object, with its errors turned into exceptions.
class Program {
 public:
  Program(const NvrtcLibrary& nvrtc, const std::string& source, const std::string& name) : nvrtc_(nvrtc) {
    check(nvrtc.create(&program_, source.c_str(), name.c_str(), 0, nullptr, nullptr), "nvrtcCreateProgram");
  }
  ~Program() {
    if (program_ != nullptr) nvrtc_.destroy(&program_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  NvrtcProgram get() const { return program_; }

  std::string log() const {
    std::size_t size = 0;
    if (nvrtc_.log_size(program_, &size) != kNvrtcSuccess || size <= 1) return {};
    std::string text(size, '\0');
    if (nvrtc_.log(program_, text.data()) != kNvrtcSuccess) return {};
    text.resize(size - 1);
    return text;
  }

  std::vector<std::byte> image(Code code) const {
    const bool cubin = code == Code::cubin;
    std::size_t size = 0;
    check((cubin ? nvrtc_.cubin_size : nvrtc_.ptx_size)(program_, &size), "nvrtcGet...Size");
    std::vector<std::byte> bytes(size);
    check((cubin ? nvrtc_.cubin : nvrtc_.ptx)(program_, reinterpret_cast<char*>(bytes.data())),
          "nvrtcGet...");
    while (!cubin && !bytes.empty() && bytes.back() == std::byte{0}) bytes.pop_back();
    return bytes;
  }

  void check(NvrtcResult result, const char* call) const {
    if (result != kNvrtcSuccess)
      throw CompileError(std::string(call) + " failed: " + code_name(nvrtc_, result), program_ ? log() : "",
                         {}, result, code_name(nvrtc_, result));
  }

 private:
  const NvrtcLibrary& nvrtc_;
  NvrtcProgram program_ = nullptr;
};

}  // namespace

Compiled compile_nvrtc(const std::string& source, Code code, const std::vector<std::string>& names,
                       const CompileOptions& options) {
  refuse_forked_child();
  driver_is_in_use();  // NVRTC calls cuInit itself, whichever driver it finds
  const NvrtcLibrary& nvrtc = NvrtcLibrary::load(options.compiler);
  const std::string arch = architecture_for(code, options);
  check_architecture(nvrtc, arch);
  const std::vector<fs::path> toolkit_dirs = toolkit_include_dirs({nvrtc.path, {}, {}});

  Compiled compiled;
  compiled.code = code;
  compiled.options = nvrtc_options(options, arch, toolkit_dirs);
  compiled.compiler = "NVRTC " + nvrtc.version_text();
  compiled.compiler_path = nvrtc.path.string();
  std::vector<const char*> pointers;
  for (const std::string& option : compiled.options) pointers.push_back(option.c_str());
  const std::string text = with_line_directive(source, options, false);

  const auto start = std::chrono::steady_clock::now();
  const Program program(nvrtc, text, options.file_name);
  for (const std::string& name : names)
    program.check(nvrtc.add_name(program.get(), name.c_str()), "nvrtcAddNameExpression");
  const NvrtcResult result = nvrtc.compile(program.get(), static_cast<int>(pointers.size()), pointers.data());
  compiled.log = program.log();
  if (result != kNvrtcSuccess) {
    const std::string name = code_name(nvrtc, result);
    std::string message = "NVRTC " + nvrtc.version_text() + " cannot compile " + options.file_name;
    if (result != kNvrtcCompilation)
      message +=
          " (" + name + ", " + nvrtc.path.string() + " with " + nvrtc.builtins.filename().string() + ")";
    throw CompileError(message, compiled.log, include_hint(compiled.log, all_toolkit_include_dirs()), result,
                       name);
  }
  compiled.image = program.image(code);
  for (const std::string& name : names) {
    const char* lowered = nullptr;
    program.check(nvrtc.lowered_name(program.get(), name.c_str(), &lowered), "nvrtcGetLoweredName");
    compiled.lowered_names[name] = lowered;
  }
  compiled.compile_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

std::string load_nvrtc(const fs::path& explicit_path) {
  return NvrtcLibrary::load(explicit_path).version_text();
}

}  // namespace tare
