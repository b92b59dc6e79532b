// Recognises the spellings that nvcc, NVRTC and clang share.
#include "compile/include_options.hpp"

#include <array>
#include <string_view>

namespace tare::detail {
namespace {

constexpr std::array<std::string_view, 6> kFolderOptions{"--include-path", "--system-include", "-isystem",
                                                         "-idirafter",     "-iquote",          "-I"};
constexpr std::array<std::string_view, 12> kFileOptions{
    "-include",  "--pre-include", "-pre-include", "-optf", "--options-file", "@",
    "--use-pch", "-use-pch",      "-pch",         "--pch", "-imacros",       "--create-pch"};

std::string absolute(std::string_view folder) {
  std::error_code error;
  return std::filesystem::absolute(std::filesystem::path(folder), error).string();
}

}  // namespace

IncludeOptions parse_include_options(const std::vector<std::string>& options) {
  IncludeOptions parsed;
  const auto add = [&](const std::string& before, std::string_view folder) {
    parsed.dirs.emplace_back(absolute(folder));
    parsed.absolute.push_back(before + absolute(folder));
  };
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    bool taken = false;
    for (const std::string_view name : kFolderOptions) {
      if (!option.starts_with(name)) continue;
      std::string_view rest = std::string_view(option).substr(name.size());
      if (rest.empty() && i + 1 < options.size()) {
        parsed.absolute.push_back(option);
        add("", options[++i]);
      } else {
        const bool equals = rest.starts_with('=');
        add(std::string(name) + (equals ? "=" : ""), rest.substr(equals ? 1 : 0));
      }
      taken = true;
      break;
    }
    if (taken) continue;
    for (const std::string_view name : kFileOptions)
      if (option.starts_with(name)) parsed.reads_other_files = option;
    for (const std::string_view name : {"-ccbin", "--compiler-bindir"})
      if (option == name && i + 1 < options.size())
        parsed.host_compiler = options[i + 1];
      else if (option.starts_with(std::string(name) + "="))
        parsed.host_compiler = option.substr(name.size() + 1);
    parsed.absolute.push_back(option);
  }
  return parsed;
}

}  // namespace tare::detail
