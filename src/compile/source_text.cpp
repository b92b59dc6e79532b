// Small pure functions over source text and architecture names.
#include "compile/source_text.hpp"

#include <cctype>
#include <cstring>

#include "tare/error.hpp"

namespace tare::detail {
namespace fs = std::filesystem;

std::optional<Architecture> parse_architecture(const std::string& text) {
  std::size_t at = 0;
  if (text.starts_with("sm_"))
    at = 3;
  else if (text.starts_with("compute_"))
    at = 8;
  else
    return std::nullopt;
  constexpr std::size_t kMostDigits = 4;
  Architecture parsed;
  const std::size_t begin = at;
  for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; ++at)
    parsed.number = parsed.number * 10 + (text[at] - '0');
  parsed.suffix = text.substr(at);
  const bool good_suffix = parsed.suffix.empty() || parsed.suffix == "a" || parsed.suffix == "f";
  if (at == begin || at - begin > kMostDigits || !good_suffix) return std::nullopt;
  return parsed;
}

std::string architecture_for(Code code, const CompileOptions& options) {
  if (options.arch.empty())
    throw Error(ErrorKind::argument, "no architecture given to the compiler",
                "set CompileOptions::arch to the device's, such as \"sm_90\"");
  const auto parsed = parse_architecture(options.arch);
  if (!parsed) return options.arch;
  return code == Code::cubin ? parsed->sm() : parsed->compute();
}

std::string with_line_directive(const std::string& source, const CompileOptions& options, bool always) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string_view text = source;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find('\0') != std::string_view::npos)
    throw Error(ErrorKind::argument,
                options.file_name + " has a NUL byte, which ends a source for the compiler");
  if (!always && options.first_line == 1) return std::string(text);
  std::string name;
  for (const char c : options.file_name) {
    if (c == '"' || c == '\\') name += '\\';
    name += c;
  }
  return "#line " + std::to_string(options.first_line) + " \"" + name + "\"\n" + std::string(text);
}

fs::path quote_directory(const CompileOptions& options) {
  std::error_code error;
  const fs::path parent = fs::path(options.file_name).parent_path();
  return parent.empty() ? fs::current_path(error) : fs::absolute(parent, error);
}

bool has_quoted_include(const std::string& source) {
  for (std::size_t at = source.find("include"); at != std::string::npos;
       at = source.find("include", at + 1)) {
    const std::size_t next = source.find_first_not_of(" \t", at + std::strlen("include"));
    const std::size_t before = source.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
    if (next != std::string::npos && source[next] == '"' && before != std::string::npos &&
        source[before] == '#')
      return true;
  }
  return false;
}

std::string plain_file_name(const CompileOptions& options) {
  std::string name;
  for (const char c : fs::path(options.file_name).stem().string()) {
    const bool harmless =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
    name += harmless ? c : '_';
  }
  if (name.empty() || name[0] == '-' || name[0] == '.') name = "kernel" + name;
  return name + ".cu";
}

std::vector<std::byte> to_bytes(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

}  // namespace tare::detail
