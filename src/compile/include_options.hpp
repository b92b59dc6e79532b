// The include folders hidden among the options that are passed as they are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tare::detail {

struct IncludeOptions {
  std::vector<std::filesystem::path> dirs;  // of -I, -isystem, --include-path, in order, absolute
  std::vector<std::string> absolute;        // the options, with those folders made absolute
  /// An option that names another file which changes the code ("-include", "--pre-include", a response
  /// file): then what a compile reads is not known. Empty where there is none.
  std::string reads_other_files;
  std::string host_compiler;  // of -ccbin
};

IncludeOptions parse_include_options(const std::vector<std::string>& options);

}  // namespace tare::detail
