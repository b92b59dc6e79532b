// One compile of NVVM IR with clang: its optimiser and LLVM's NVPTX back end, no CUDA and no NVIDIA software.
#include <algorithm>

#include "compile/child_process.hpp"
#include "compile/compile_ir.hpp"
#include "compile/device_library.hpp"
#include "compile/source_text.hpp"
#include "compile/temporary_directory.hpp"
#include "tare/error.hpp"

namespace tare::detail {
namespace {

namespace fs = std::filesystem;

/// As compile_clang: what every tool takes from clang 19.
constexpr int kHighestArchitecture = 90;

std::vector<std::string> clang_options(const CompileOptions& options) {
  auto arch = parse_architecture(options.arch);
  if (!arch)
    throw Error(ErrorKind::argument, "clang does not know the architecture " + options.arch,
                "name one, such as compute_90");
  if (arch->number > kHighestArchitecture) arch = Architecture{kHighestArchitecture, ""};
  // The compiler proper, because the driver would look for a CUDA toolkit and choose the newest PTX there is.
  std::vector<std::string> all{
      "-cc1", "-triple", "nvptx64-nvidia-cuda", "-target-cpu", arch->sm(), "-target-feature", "+ptx78",
      "-O3",  "-S",      "-Wno-override-module"};
  const auto back_end = [&](const std::string& option) {
    all.push_back("-mllvm");
    all.push_back(option);
  };
  back_end(options.fmad.value_or(true) ? "-nvptx-fma-level=2" : "-nvptx-fma-level=0");
  if (options.prec_div) back_end(*options.prec_div ? "-nvptx-prec-divf32=2" : "-nvptx-prec-divf32=1");
  return all;
}

}  // namespace

Compiled compile_ir_clang(const Tool& clang, const IrSource& source, const CompileOptions& options) {
  Compiled compiled;
  compiled.code = Code::ptx;
  compiled.options = clang_options(options);
  compiled.compiler = "clang " + clang.version;
  compiled.compiler_path = clang.path.string();

  const TemporaryDirectory directory;
  directory.write("kernel.ll", source.text);
  std::error_code error;
  ChildRequest request{.argv = {fs::absolute(clang.path, error).string()},
                       .directory = directory.path(),
                       .environment = {{"TMPDIR", directory.path().string()}, {"LC_ALL", "C"}}};
  if (!source.libdevice.empty()) {
    read_device_library(source.libdevice);
    compiled.options.emplace_back("-mlink-builtin-bitcode");
    compiled.options.push_back(fs::absolute(source.libdevice, error).string());
  }
  request.argv.insert(request.argv.end(), compiled.options.begin(), compiled.options.end());
  request.argv.insert(request.argv.end(), {"-x", "ir", "kernel.ll", "-o", "image"});
  const ChildResult ended = run_child(request);
  compiled.compile_ms = ended.wall_ms;
  compiled.log = ended.errors + ended.output;
  const std::string who = compiled.compiler + " (" + clang.path.string() + ")";
  if (ended.timed_out || ended.signal != 0)
    throw Error(ErrorKind::io, who + " " + ended.how_it_ended() + " while compiling " + source.name);
  if (!ended.ok())
    throw CompileError(who + " cannot compile " + source.name + " (" + ended.how_it_ended() + ")",
                       compiled.log, {}, ended.exit_status);
  compiled.image = to_bytes(read_file(directory.path() / "image"));
  return compiled;
}

}  // namespace tare::detail
