// Names every input of a compile. The options are taken apart by a structured binding, so that a new
// field cannot be forgotten: this file no longer compiles until it has a name here.
#include "cache/inputs.hpp"

#include "cache/compiler_identity.hpp"
#include "cache/digest.hpp"
#include "cache/entry.hpp"
#include "compile/include_options.hpp"
#include "compile/locate.hpp"
#include "compile/toolkit_places.hpp"
#include "tare/error.hpp"
#include "tare/toolkit.hpp"
#include "tare/version.hpp"

namespace tare {
namespace detail {
namespace fs = std::filesystem;
namespace {

std::string text_of(const std::optional<bool>& value) {
  return !value ? "unset" : *value ? "true" : "false";
}

std::string text_of(const std::optional<int>& value) {
  return value ? std::to_string(*value) : "unset";
}

std::string absolute_text(const fs::path& path) {
  std::error_code error;
  return path.empty() ? "" : fs::absolute(path, error).string();
}

/// The compiler that nvcc preprocesses with: named by an option, or gcc on PATH.
std::string host_compiler_identity(const CompileOptions& options) {
  std::string text;
  if (const std::string named = parse_include_options(options.extra).host_compiler; !named.empty())
    text += file_identity(named) + "; ";
  if (const std::string named = environment("NVCC_CCBIN"); !named.empty())
    text += file_identity(named) + "; ";
  for (const fs::path& folder : path_folders()) {
    std::error_code error;
    if (fs::exists(folder / "gcc", error)) {
      text += file_identity(fs::weakly_canonical(folder / "gcc", error));
      break;
    }
  }
  return text;
}

/// Variables that change what nvcc, or gcc under it, does.
constexpr const char* kNvccVariables[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CPATH",
                                          "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH",    "GCC_EXEC_PREFIX",
                                          "COMPILER_PATH"};

}  // namespace

std::vector<CacheInput> option_inputs(const CompileOptions& options) {
  const auto& [arch, standard, fmad, ftz, prec_div, prec_sqrt, max_registers, defines, include_dirs, extra,
               file_name, first_line, compiler] = options;
  std::vector<std::string> folders;
  for (const fs::path& dir : include_dirs) folders.push_back(absolute_text(dir));
  return {{"option arch", arch},
          {"option standard", standard},
          {"option fmad", text_of(fmad)},
          {"option ftz", text_of(ftz)},
          {"option prec_div", text_of(prec_div)},
          {"option prec_sqrt", text_of(prec_sqrt)},
          {"option max_registers", text_of(max_registers)},
          {"option defines", join(defines)},
          {"option include_dirs", join(folders)},
          {"option extra", join(extra)},
          {"option file_name", file_name},
          {"option first_line", std::to_string(first_line)},
          {"option compiler", absolute_text(compiler)}};
}

KeyInputs gather_inputs(CachedCompiler compiler, const std::string& source, Code code,
                        const std::vector<std::string>& names, const CompileOptions& options) {
  const bool nvrtc = compiler == CachedCompiler::nvrtc;
  const Tool tool = nvrtc ? require(locate_nvrtc(options.compiler),
                                    "install it (pip install 'nvidia-cuda-nvrtc==13.0.*'), or set TARE_NVRTC")
                          : require(locate_nvcc(options.compiler),
                                    "install it (pip install 'nvidia-cuda-nvcc==13.0.*'), or set TARE_NVCC");
  KeyInputs key;
  // A source without includes needs no folders, and finding them costs more than all the rest.
  const bool may_include =
      source.find("incl") != std::string::npos || source.find("\\\n") != std::string::npos;
  if (may_include || !options.extra.empty()) key.toolkit_dirs = toolkit_include_dirs(tool);
  key.inputs = {{"tare", version()},
                {"format", std::to_string(kFormatVersion)},
                {"front end", nvrtc ? "nvrtc" : "nvcc"},
                {"code", code == Code::cubin ? "cubin" : "ptx"},
                {"names", join(names)},
                {"source", source},
                {"compiler", compiler_identity(tool.path, nvrtc ? std::vector{builtins_beside(tool.path)}
                                                                : nvcc_companions(tool.path))}};
  for (CacheInput& input : option_inputs(options)) key.inputs.push_back(std::move(input));
  if (!nvrtc) {
    key.inputs.push_back({"host compiler", host_compiler_identity(options)});
    for (const char* name : kNvccVariables)
      key.inputs.push_back({std::string("environment ") + name, environment(name)});
  }
  IncludeScan scan = scan_includes(source, options, key.toolkit_dirs);
  for (CacheInput& input : scan.inputs) key.inputs.push_back(std::move(input));
  key.headers_opened = std::move(scan.opened);
  key.probed_absent = std::move(scan.probed_absent);
  key.has_includes = scan.any;
  key.unknowable = std::move(scan.unknowable);
  return key;
}

IrCompile ir_compile(bool with_clang, const std::string& ir, const std::string& name,
                     CompileOptions options) {
  const Search nvvm = locate_nvvm(with_clang ? fs::path() : options.compiler);
  IrCompile compile;
  compile.name = name;
  compile.ir = ir;
  compile.with_clang = with_clang;
  if (with_clang) {
    compile.compilers = clang_candidates(options.compiler);
    if (compile.compilers.empty())
      throw Error(ErrorKind::not_found, "there is no clang here", "install clang-19, or set TARE_CLANG");
  } else {
    compile.compilers = {
        require(nvvm, "install it (pip install 'nvidia-nvvm==13.0.*'), or set TARE_NVVM").path};
  }
  // Its functions have names that no kernel's may begin with.
  if (nvvm.tool && ir.find("@__nv_") != std::string::npos) compile.libdevice = libdevice_of(*nvvm.tool);
  compile.options = std::move(options);
  compile.options.compiler.clear();  // it is among `compilers`
  return compile;
}

KeyInputs gather_inputs(const IrCompile& compile) {
  std::string compilers;
  for (const fs::path& path : compile.compilers) {
    compilers +=
        (compilers.empty() ? "" : "; ") +
        compiler_identity(path, compile.with_clang ? clang_companions(path) : std::vector<fs::path>());
  }
  KeyInputs key;
  key.inputs = {{"tare", version()},
                {"format", std::to_string(kFormatVersion)},
                {"front end", compile.with_clang ? "jit with clang" : "jit with libNVVM"},
                {"code", "ptx"},
                {"names", compile.name},
                {"source", compile.ir},
                {"compiler", compilers},
                {"device library", compile.libdevice.empty() ? "" : file_identity(compile.libdevice)}};
  for (CacheInput& input : option_inputs(compile.options)) key.inputs.push_back(std::move(input));
  return key;
}

}  // namespace detail

std::vector<CacheInput> cache_inputs(CachedCompiler compiler, const std::string& source, Code code,
                                     const std::vector<std::string>& names, const CompileOptions& options) {
  const bool with_clang = compiler == CachedCompiler::clang;
  if (with_clang || compiler == CachedCompiler::libnvvm) {
    if (names.size() != 1 || code != Code::ptx)
      throw Error(ErrorKind::argument, "a traced kernel is kept by one name, as PTX",
                  "give the kernel's name (JitOptions::name) and Code::ptx");
    return detail::gather_inputs(detail::ir_compile(with_clang, source, names[0], options)).inputs;
  }
  detail::KeyInputs key = detail::gather_inputs(compiler, source, code, names, options);
  if (!key.unknowable.empty())
    throw Error(ErrorKind::unsupported, "this compile is not cached: " + key.unknowable);
  return std::move(key.inputs);
}

}  // namespace tare
