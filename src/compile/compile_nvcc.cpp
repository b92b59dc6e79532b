// One compile with nvcc in a private directory: the command line, what its end means, and the names.
#include <sstream>
#include <utility>

#include "compile/child_process.hpp"
#include "compile/elf.hpp"
#include "compile/include_options.hpp"
#include "compile/locate.hpp"
#include "compile/names.hpp"
#include "compile/nvcc_command.hpp"
#include "compile/source_text.hpp"
#include "compile/temporary_directory.hpp"
#include "tare/compile.hpp"
#include "tare/error.hpp"
#include "tare/toolkit.hpp"

namespace tare {
namespace detail {
namespace fs = std::filesystem;
namespace {

std::string flag(const char* name, bool value) {
  return std::string(name) + (value ? "=true" : "=false");
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

/// The line of the log that says most, for an error's message.
std::string telling_line(const std::string& log) {
  for (const char* sign : {"fatal", "error", "not found", "No such file"}) {
    const std::size_t at = log.find(sign);
    if (at == std::string::npos) continue;
    const std::size_t begin = log.rfind('\n', at) + 1;
    return log.substr(begin, log.find('\n', at) - begin);
  }
  return log.substr(0, log.find('\n'));
}

/// nvcc could not use, or did not find, the host compiler that it preprocesses with.
bool is_about_host_compiler(const std::string& log) {
  return contains(log, "host compiler") || contains(log, "host_config.h") ||
         contains(log, "gcc: not found") || contains(log, "g++: not found") ||
         contains(log, "cc1plus: not found") || contains(log, "error trying to exec 'cc1plus'") ||
         contains(log, "unsupported GNU version") || contains(log, "unsupported clang version");
}

std::string known_architectures(const fs::path& nvcc) {
  const ChildResult result =
      run_child({.argv = {nvcc.string(), "--list-gpu-code"}, .directory = {}, .environment = {}});
  std::string text;
  for (const char c : result.output) text += c == '\n' ? ' ' : c;
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

[[noreturn]] void throw_failure(const ChildResult& result, const Tool& nvcc, const CompileOptions& options) {
  const std::string log = result.errors + result.output;
  const std::string who = "nvcc (" + nvcc.path.string() + ")";
  if (result.timed_out || result.signal != 0)
    throw Error(ErrorKind::io, who + " " + result.how_it_ended() + " while compiling " + options.file_name +
                                   (log.empty() ? "" : ": " + telling_line(log)));
  if (is_about_host_compiler(log))
    throw Error(
        ErrorKind::unsupported, who + " cannot use the host compiler: " + telling_line(log),
        "nvcc needs a C++ compiler that it supports: install g++, or name one with -ccbin in extra or "
        "NVCC_CCBIN");
  if (contains(log, "Unsupported gpu architecture") || contains(log, "unsupported gpu architecture"))
    throw Error(ErrorKind::argument,
                who + " does not know " + options.arch + "; it knows " + known_architectures(nvcc.path));
  throw CompileError("nvcc cannot compile " + options.file_name + " (" + result.how_it_ended() + ")", log, {},
                     result.exit_status);
}

}  // namespace

std::vector<std::string> nvcc_options(Code code, const CompileOptions& options, bool quoted_includes) {
  if (!options.arch.empty() && !parse_architecture(options.arch))
    throw Error(ErrorKind::argument, "nvcc is given no architecture like " + options.arch,
                "name one, such as sm_90");
  std::vector<std::string> all{code == Code::cubin ? "--cubin" : "--ptx",
                               "-arch=" + architecture_for(code, options)};
  if (!options.standard.empty()) all.push_back("-std=" + options.standard);
  if (options.fmad) all.push_back(flag("--fmad", *options.fmad));
  if (options.ftz) all.push_back(flag("--ftz", *options.ftz));
  if (options.prec_div) all.push_back(flag("--prec-div", *options.prec_div));
  if (options.prec_sqrt) all.push_back(flag("--prec-sqrt", *options.prec_sqrt));
  if (options.max_registers) all.push_back("--maxrregcount=" + std::to_string(*options.max_registers));
  for (const std::string& define : options.defines) all.push_back("-D" + define);
  std::error_code error;
  // The source is compiled from a private directory, so the place that quotes look in first has to be said.
  if (quoted_includes) all.push_back("-I" + quote_directory(options).string());
  for (const fs::path& dir : options.include_dirs) all.push_back("-I" + fs::absolute(dir, error).string());
  for (const std::string& option : parse_include_options(options.extra).absolute) all.push_back(option);
  return all;
}

std::vector<int> nvcc_architectures(const CompileOptions& options) {
  const Tool nvcc = require(locate_nvcc(options.compiler), {});
  std::istringstream words(known_architectures(nvcc.path));
  std::vector<int> numbers;
  for (std::string word; words >> word;)
    if (const auto arch = parse_architecture(word)) numbers.push_back(arch->number);
  return numbers;
}

NvccResult run_nvcc(const std::string& source, Code code, const std::vector<std::string>& names,
                    const CompileOptions& options, bool want_dependencies) {
  const Tool nvcc =
      require(find_nvcc(options.compiler),
              "install it (the CUDA toolkit, or pip install 'nvidia-cuda-nvcc==13.0.*'), or set "
              "TARE_NVCC");
  const TemporaryDirectory directory;
  const std::string file = plain_file_name(options);
  const std::string text = with_line_directive(source, options, true);
  directory.write(file, text + instantiations(names));

  NvccResult result;
  Compiled& compiled = result.compiled;
  compiled.code = code;
  compiled.options = nvcc_options(code, options, has_quoted_include(source));
  compiled.compiler = "nvcc " + nvcc.version;
  compiled.compiler_path = nvcc.path.string();
  std::error_code error;
  const auto run = [&](const std::string& input, const std::vector<std::string>& with, const char* output,
                       bool dependencies) {
    ChildRequest request{.argv = {fs::absolute(nvcc.path, error).string()},
                         .directory = directory.path(),
                         .environment = {{"TMPDIR", directory.path().string()}, {"LC_ALL", "C"}}};
    request.argv.insert(request.argv.end(), with.begin(), with.end());
    if (dependencies) request.argv.insert(request.argv.end(), {"-MD", "-MF", "dependencies"});
    request.argv.insert(request.argv.end(), {input, "-o", output});
    ChildResult ended = run_child(request);
    if (!ended.ok()) throw_failure(ended, nvcc, options);
    return ended;
  };

  const ChildResult ended = run(file, compiled.options, "image", want_dependencies);
  compiled.compile_ms = ended.wall_ms;
  compiled.log = ended.errors + ended.output;
  compiled.image = to_bytes(read_file(directory.path() / "image"));
  if (want_dependencies) result.dependencies = read_file(directory.path() / "dependencies");

  const auto entries = code == Code::cubin ? cubin_entries(compiled.image) : ptx_entries(compiled.image);
  if (const auto matched = match_names(names, entries)) {
    compiled.lowered_names = *matched;
    return result;
  }
  directory.write("names_" + file, text + name_markers(names));
  run("names_" + file, nvcc_options(Code::ptx, options, has_quoted_include(source)), "names", false);
  compiled.lowered_names = read_name_markers(names, read_file(directory.path() / "names"));
  return result;
}

}  // namespace detail

Compiled compile_nvcc(const std::string& source, Code code, const std::vector<std::string>& names,
                      const CompileOptions& options) {
  return detail::run_nvcc(source, code, names, options, false).compiled;
}

}  // namespace tare
