// `tare init`: a first case, written beside the kernel and never over anything.
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/files.hpp"

namespace tare::cli {

int init_command(const CommandLine& line) {
  const InitOptions& options = line.init;
  const std::string text = compare::first_case(options.cu, options.kernel);
  if (options.output == "-") {
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  std::filesystem::path output = options.output;
  if (output.empty()) output = std::filesystem::path(options.cu).replace_extension(".toml");
  create_file(output, text);
  std::printf("%s written; next: tare compare %s\n", output.c_str(), output.c_str());
  return 0;
}

}  // namespace tare::cli
