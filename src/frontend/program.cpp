// Program and ClangProgram: compile when told to, load what came out, keep nothing.
#include "tare/program.hpp"

#include <utility>

#include "frontend/device_compile.hpp"

namespace tare {

LoadedProgram::LoadedProgram(const PrimaryContext& context, Compiled compiled)
    : compiled_(std::move(compiled)) {
  module_ = detail::load_compiled(context, compiled_, load_ms_);
}

Kernel LoadedProgram::kernel(const std::string& name) const {
  return detail::find_kernel(module_, compiled_, name);
}

Program::Program(const PrimaryContext& context, std::string source, CompileOptions options)
    : context_(context), source_(std::move(source)), options_(std::move(options)) {}

LoadedProgram Program::compile(Code code, const std::vector<std::string>& names) const {
  return {context_, detail::compile_nvrtc_for(source_, detail::code_for_driver(code), names,
                                              detail::for_device(context_, options_), options_.arch.empty())};
}

ClangProgram::ClangProgram(const PrimaryContext& context, std::string source, CompileOptions options)
    : context_(context), source_(std::move(source)), options_(std::move(options)) {}

LoadedProgram ClangProgram::compile(const std::vector<std::string>& names) const {
  return {context_, compile_clang(source_, names, detail::for_device(context_, options_))};
}

}  // namespace tare
