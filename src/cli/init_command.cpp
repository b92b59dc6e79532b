// `tare init`: a first case, written beside the kernel and never over anything.
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "tare/error.hpp"

namespace tare::cli {
namespace {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorKind::io, "cannot make the folder " + folder.string() + ": " + error.message());
}

}  // namespace

int init_command(const CommandLine& line) {
  const InitOptions& options = line.init;
  const std::filesystem::path beside = std::filesystem::path(options.cu).replace_extension(".toml");
  const bool to_stdout = options.output == "-";
  // On standard output it will most likely become a file of the current folder.
  const std::filesystem::path output = to_stdout                ? beside.filename()
                                       : options.output.empty() ? beside
                                                                : options.output;
  const compare::DraftedCase drafted = compare::first_case(options.cu, options.kernel, output);
  std::string left;
  for (const std::string& each : drafted.to_do) left += "  - " + each + '\n';
  if (to_stdout) {
    std::fputs(drafted.text.c_str(), stdout);
    if (!left.empty()) std::fprintf(stderr, "tare: before it can run:\n%s", left.c_str());
    return 0;
  }
  make_folder(output.parent_path());
  create_file(output, drafted.text);
  const std::string shown = compare::shell_quoted(output.string());
  if (left.empty())
    std::printf("%s written; next: tare compare %s\n", output.c_str(), shown.c_str());
  else
    std::printf("%s written; before it can run:\n%sthen: tare compare %s\n", output.c_str(), left.c_str(),
                shown.c_str());
  return 0;
}

}  // namespace tare::cli
