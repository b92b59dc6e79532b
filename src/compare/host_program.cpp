// Generating and compiling the host program of the `aot` row.
#include "compare/host_program.hpp"

#include <fstream>

#include "compare/run_program.hpp"
#include "compare/workspace.hpp"
#include "tare/error.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;

std::string escaped(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

std::string host_program_source(const Job& job) {
  std::string text = "#line " + std::to_string(job.source_first_line) + " \"" +
                     escaped(job.source_file_name) + "\"\n" + job.source + "\n#line 1 \"launch\"\n";
  text +=
      "extern \"C\" int tare_launch(void** arguments, const unsigned* grid, const unsigned* block,\n"
      "                           unsigned dynamic_shared_bytes, void* stream) {\n";
  // A kernel that wants more than 48 KiB has to be told so; nvcc's users write this line themselves.
  if (job.dynamic_shared_bytes > 48 * 1024)
    text += "  cudaFuncSetAttribute(" + job.kernel_name +
            ", cudaFuncAttributeMaxDynamicSharedMemorySize, (int)dynamic_shared_bytes);\n";
  text += "  " + job.kernel_name +
          "<<<dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2]),\n"
          "      dynamic_shared_bytes, (cudaStream_t)stream>>>(";
  for (std::size_t i = 0; i < job.arguments.size(); ++i) {
    // A name for the type first: `const float*` and function pointers alike can then be cast to.
    text += i == 0 ? "\n      " : ",\n      ";
    text += "*(tare_type_" + std::to_string(i) + "*)arguments[" + std::to_string(i) + "]";
  }
  text += ");\n  return (int)cudaGetLastError();\n}\n";
  std::string types;
  for (std::size_t i = 0; i < job.arguments.size(); ++i)
    types += "using tare_type_" + std::to_string(i) + " = " + job.arguments[i].type + ";\n";
  const std::size_t at = text.find("extern \"C\" int tare_launch");
  text.insert(at, types);
  return text;
}

HostProgram build_host_program(const Job& job, const Tool& nvcc, int compute_capability, bool strict_fp,
                               const std::vector<std::string>& include_dirs, const fs::path& folder,
                               const std::string& driver, std::chrono::duration<double> limit, Guard& guard,
                               const Interrupts& interrupts) {
  HostProgram program;
  fs::create_directories(folder);
  const fs::path source = folder / "host_program.cu", library = folder / "host_program.so";
  std::ofstream(source) << host_program_source(job);
  program.options = {"-std=c++17", "-shared", "-Xcompiler", "-fPIC",
                     "--cudart",   "static",  "-O3",        "-arch=sm_" + std::to_string(compute_capability)};
  if (strict_fp)
    for (const char* option : {"--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"})
      program.options.emplace_back(option);
  for (const std::string& folder_name : include_dirs) program.options.push_back("-I" + folder_name);

  Child::Settings settings;
  settings.program = nvcc.path;
  settings.arguments = {nvcc.path.string()};
  settings.arguments.insert(settings.arguments.end(), program.options.begin(), program.options.end());
  settings.arguments.insert(settings.arguments.end(), {"-o", library.string(), source.string()});
  settings.environment = isolate(folder, driver, {}).all;
  const auto begin = Child::Clock::now();
  try {
    const Finished finished = run_program(settings, guard, interrupts, limit);
    program.log = finished.errors.last_lines(40);
    if (!finished.failed.empty()) program.reason = "nvcc " + finished.failed + " on the host program";
  } catch (const Error& e) {
    program.reason = e.what();
  }
  program.compile_ms = std::chrono::duration<double, std::milli>(Child::Clock::now() - begin).count();
  if (program.reason.empty()) program.library = library;
  return program;
}

}  // namespace tare::compare
