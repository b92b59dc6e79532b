// Regions between `// snippet: NAME` and `// end snippet`, and the kernel's C linkage.
#include "compare/case/snippet.hpp"

#include "compare/case/complaint.hpp"

namespace tare::compare {
namespace {

struct Line {
  std::string_view text;  // without the line end
  std::size_t begin = 0, end = 0;
  int number = 1;
};

bool next_line(std::string_view text, Line& line) {
  line.begin = line.end;
  if (line.begin >= text.size()) return false;
  const std::size_t newline = text.find('\n', line.begin);
  line.end = newline == std::string_view::npos ? text.size() : newline + 1;
  line.text = text.substr(line.begin, line.end - line.begin);
  while (!line.text.empty() && (line.text.back() == '\n' || line.text.back() == '\r')) {
    line.text.remove_suffix(1);
  }
  return true;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// "kernel" for a line `// snippet: kernel`; npos-like false otherwise.
bool opens(std::string_view line, std::string_view& name) {
  std::string_view rest = trimmed(line);
  if (!rest.starts_with("//")) return false;
  rest = trimmed(rest.substr(2));
  if (!rest.starts_with("snippet:")) return false;
  name = trimmed(rest.substr(8));
  return true;
}

bool closes(std::string_view line) {
  const std::string_view rest = trimmed(line);
  return rest.starts_with("//") && trimmed(rest.substr(2)) == "end snippet";
}

[[noreturn]] void not_ended(const std::string& file, int line, std::string_view name) {
  fail_at(file, line, "the `" + std::string(name) + "` snippet region has no `// end snippet`");
}

}  // namespace

std::optional<Snippet> cut_snippet(std::string_view file_text, std::string_view name,
                                   const std::string& file_name) {
  std::optional<Snippet> found;
  std::size_t region_begin = 0;
  bool inside = false;
  std::string_view opened;
  for (Line line; next_line(file_text, line); ++line.number) {
    if (opens(line.text, opened)) {
      if (inside) not_ended(file_name, found->first_line - 1, name);
      if (opened != name) continue;
      if (found) {
        fail_at(file_name, line.number,
                "a second `" + std::string(name) + "` snippet region; the first is at line " +
                    std::to_string(found->first_line - 1));
      }
      found = Snippet{{}, line.number + 1};
      region_begin = line.end;
      inside = true;
    } else if (inside && closes(line.text)) {
      found->text = std::string(file_text.substr(region_begin, line.begin - region_begin));
      inside = false;
    }
  }
  if (inside) not_ended(file_name, found->first_line - 1, name);
  return found;
}

bool has_snippet_markers(std::string_view text) {
  std::string_view name;
  for (Line line; next_line(text, line); ++line.number) {
    if (opens(line.text, name) || closes(line.text)) return true;
  }
  return false;
}

std::string with_c_linkage(const std::string& text, const std::string& kernel_name) {
  if (kernel_name.find_first_of("<:") != std::string::npos) return text;
  std::string result;
  std::size_t copied = 0;
  for (const SourceFunction& function : find_functions(text)) {
    if (!function.is_kernel || function.name != kernel_name || function.has_c_linkage ||
        !function.template_parameters.empty()) {
      continue;
    }
    result += text.substr(copied, function.begin - copied);
    result += "extern \"C\" ";
    copied = function.begin;
    // A declaration right after a linkage specification may not have a storage class.
    if (text.compare(copied, 6, "static") == 0) copied += 6;
  }
  return result + text.substr(copied);
}

}  // namespace tare::compare
