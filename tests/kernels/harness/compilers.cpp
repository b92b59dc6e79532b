// One set of options for all three: no contraction, no flushing, exact division and square root.
#include "compilers.hpp"

#include <fstream>
#include <iterator>

#include "tare/error.hpp"
#include "tare/toolkit.hpp"

namespace tare::kernels {
namespace {

std::string read_source(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(ErrorKind::io, "cannot read " + path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Search find(Compiler compiler) {
  switch (compiler) {
    case Compiler::nvrtc:
      return find_nvrtc();
    case Compiler::nvcc:
      return find_nvcc();
    case Compiler::clang:
      break;
  }
  return find_clang();
}

}  // namespace

std::string to_string(Compiler compiler) {
  switch (compiler) {
    case Compiler::nvrtc:
      return "nvrtc";
    case Compiler::nvcc:
      return "nvcc";
    case Compiler::clang:
      break;
  }
  return "clang";
}

std::string why_missing(Compiler compiler) {
  return find(compiler).reason;
}

Compiled compile(const Complete& kernel, Compiler compiler, const std::string& folder) {
  CompileOptions options;
  options.arch = "sm_90";
  options.file_name = kernel.name + ".cu";
  options.set_strict_fp();
  const std::string source = read_source(folder + "/" + options.file_name);
  switch (compiler) {
    case Compiler::nvrtc: {
      if (const Search nvrtc = find(compiler); nvrtc.tool)
        options.include_dirs = toolkit_include_dirs(*nvrtc.tool);
      return compile_nvrtc(source, Code::ptx, kernel.names, options);
    }
    case Compiler::nvcc:
      return compile_nvcc(source, Code::ptx, kernel.names, options);
    case Compiler::clang:
      break;
  }
  return compile_clang(source, kernel.names, options);
}

}  // namespace tare::kernels
