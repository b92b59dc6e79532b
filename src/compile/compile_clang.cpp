// One compile with clang's NVPTX back end and our own device header: no NVIDIA software takes part.
#include <algorithm>

#include "compile/child_process.hpp"
#include "compile/clang_limits.hpp"
#include "compile/elf.hpp"
#include "compile/include_options.hpp"
#include "compile/locate.hpp"
#include "compile/names.hpp"
#include "compile/source_text.hpp"
#include "compile/temporary_directory.hpp"
#include "embedded/device_headers.hpp"
#include "gpu/ptx_text.hpp"
#include "tare/compile.hpp"
#include "tare/error.hpp"
#include "tare/toolkit.hpp"

namespace tare {
namespace {

using namespace detail;
namespace fs = std::filesystem;

constexpr const char* kHeaderName = "tare_cuda.cuh";
constexpr const char* kStandInFolder = "stand-ins";
/// clang 19 gives PTX that every tool takes for at most this architecture.
constexpr int kHighestArchitecture = 90;
/// PTX that drivers for CUDA 11.8 take; and the first that lets a kernel's parameters be longer than this.
constexpr const char *kFeature = "--cuda-feature=+ptx78", *kFeatureOfLongParameters = "--cuda-feature=+ptx81";
constexpr std::size_t kLongParameters = 4352;

/// Ours lies beside the source, so that its parts find one another.
void write_device_headers(const TemporaryDirectory& directory) {
  for (std::size_t i = 0; i < embedded::device_headers_count; ++i)
    directory.write(fs::path(embedded::device_headers[i].path).filename(), embedded::device_headers[i].text);
  fs::create_directory(directory.path() / kStandInFolder);
  for (const std::string& name : stand_in_headers())
    directory.write(fs::path(kStandInFolder) / name, "#pragma once\n");
}

std::string clang_architecture(const CompileOptions& options) {
  const std::string text = architecture_for(Code::cubin, options);
  auto arch = parse_architecture(text);
  if (!arch)
    throw Error(ErrorKind::argument, "clang does not know the architecture " + text,
                "name one, such as sm_90");
  if (arch->number > kHighestArchitecture) arch = Architecture{kHighestArchitecture, ""};
  return arch->sm();
}

std::vector<std::string> clang_options(const CompileOptions& options, const std::string& source) {
  std::vector<std::string> all{"-x",
                               "cuda",
                               "--cuda-device-only",
                               "-S",
                               "--cuda-path=/nonexistent",
                               "-nocudainc",
                               "-nocudalib",
                               kFeature,
                               "--cuda-gpu-arch=" + clang_architecture(options),
                               "-O3"};
  if (!options.standard.empty()) all.push_back("-std=" + options.standard);
  if (options.fmad) all.push_back(*options.fmad ? "-ffp-contract=fast" : "-ffp-contract=off");
  if (options.ftz)
    all.push_back(*options.ftz ? "-fgpu-flush-denormals-to-zero" : "-fno-gpu-flush-denormals-to-zero");
  const auto back_end = [&](const std::string& option) {
    all.push_back("-mllvm");
    all.push_back(option);
  };
  if (options.prec_div) back_end(*options.prec_div ? "-nvptx-prec-divf32=2" : "-nvptx-prec-divf32=1");
  // The back end has a switch for this that its square root does not heed; our header heeds this one.
  if (options.prec_sqrt && !*options.prec_sqrt) all.push_back("-DTARE_APPROXIMATE_SQRT=1");
  if (options.max_registers)
    throw Error(ErrorKind::unsupported, "clang has no option that caps the registers of a kernel in PTX",
                "use __launch_bounds__ in the source, or NVRTC or nvcc");
  for (const std::string& define : options.defines) all.push_back("-D" + define);
  if (has_quoted_include(source)) all.push_back("-iquote" + quote_directory(options).string());
  std::error_code error;
  for (const fs::path& dir : options.include_dirs) all.push_back("-I" + fs::absolute(dir, error).string());
  for (const std::string& option : parse_include_options(options.extra).absolute) all.push_back(option);
  return all;
}

bool has_long_parameters(std::string_view ptx) {
  for (const std::string& kernel : ptx_kernels(ptx))
    for (const Parameter& parameter : ptx_parameters(ptx, kernel).value_or(std::vector<Parameter>{}))
      if (parameter.offset + parameter.size > kLongParameters) return true;
  return false;
}

[[noreturn]] void throw_failure(const ChildResult& result, const Tool& clang, const CompileOptions& options) {
  const std::string log = result.errors + result.output;
  const std::string who = "clang " + clang.version + " (" + clang.path.string() + ")";
  if (result.timed_out || result.signal != 0)
    throw Error(ErrorKind::io, who + " " + result.how_it_ended() + " while compiling " + options.file_name);
  if (log.find("unsupported CUDA gpu architecture") != std::string::npos)
    throw Error(ErrorKind::argument, who + " does not know " + options.arch,
                "it knows sm_50 to sm_90; newer ones are compiled as sm_90");
  if (const std::string limit = limit_of_clang(log); !limit.empty())
    throw Error(ErrorKind::unsupported, limit, "NVRTC and nvcc have all of CUDA C++");
  throw CompileError("clang cannot compile " + options.file_name + " (" + result.how_it_ended() + ")", log,
                     {}, result.exit_status);
}

}  // namespace

Compiled compile_clang(const std::string& source, const std::vector<std::string>& names,
                       const CompileOptions& options) {
  Compiled compiled;
  compiled.code = Code::ptx;
  compiled.options = clang_options(options, source);
  const Tool clang = require(find_clang(options.compiler), "install clang-19, or set TARE_CLANG");
  compiled.compiler = "clang " + clang.version;
  compiled.compiler_path = clang.path.string();

  const TemporaryDirectory directory;
  const std::string file = plain_file_name(options);
  const std::string text = with_line_directive(source, options, true);
  directory.write(file, text + instantiations(names));
  write_device_headers(directory);
  std::error_code error;
  const auto run = [&](const std::string& input, const char* output) {
    ChildRequest request{
        .argv = {fs::absolute(clang.path, error).string(), std::string("-I") + kStandInFolder},
        .directory = directory.path(),
        .environment = {{"TMPDIR", directory.path().string()}, {"LC_ALL", "C"}}};
    request.argv.insert(request.argv.end(), compiled.options.begin(), compiled.options.end());
    request.argv.insert(request.argv.end(), {"-include", kHeaderName, input, "-o", output});
    ChildResult ended = run_child(request);
    if (!ended.ok()) throw_failure(ended, clang, options);
    return ended;
  };

  ChildResult ended = run(file, "image");
  compiled.compile_ms = ended.wall_ms;
  std::string image = read_file(directory.path() / "image");
  if (has_long_parameters(image)) {
    std::replace(compiled.options.begin(), compiled.options.end(), std::string(kFeature),
                 std::string(kFeatureOfLongParameters));
    ended = run(file, "image");
    compiled.compile_ms += ended.wall_ms;
    image = read_file(directory.path() / "image");
  }
  compiled.log = ended.errors + ended.output;
  compiled.image = to_bytes(image);
  if (const auto matched = match_names(names, ptx_entries(compiled.image))) {
    compiled.lowered_names = *matched;
    return compiled;
  }
  directory.write("names_" + file, text + name_markers(names));
  run("names_" + file, "names");
  compiled.lowered_names = read_name_markers(names, read_file(directory.path() / "names"));
  return compiled;
}

}  // namespace tare
