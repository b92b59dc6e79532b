// Both types are parsed by the same reader; what it does not know is nobody's mistake.
#include "compare/case/signature.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "compare/case/complaint.hpp"
#include "compare/case/snippet.hpp"
#include "compare/case/tokens.hpp"
#include "compare/case/types.hpp"

namespace tare::compare {
namespace {

using Words = std::set<std::string, std::less<>>;

/// The words that `#define` lines of the text define.
void add_macros(std::string_view text, Words& words) {
  for (std::size_t at = text.find('#'); at < text.size(); at = text.find('#', at + 1)) {
    const std::vector<Token> tokens = tokens_of(text.substr(at + 1, text.find('\n', at) - at - 1));
    if (tokens.size() > 1 && tokens[0].text == "define") words.emplace(tokens[1].text);
  }
}

/// Every word that the text may give a meaning of its own: macros, types, aliases, template parameters.
Words defined_in(std::string_view text) {
  Words words;
  add_macros(text, words);
  const std::vector<Token> tokens = tokens_of(text);
  bool in_typedef = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text == "typedef") in_typedef = true;
    if (in_typedef && tokens[i].text == ";") {
      in_typedef = false;
      for (std::size_t back = i; back-- > 0;) {
        if (!tokens[back].is_word) continue;
        words.emplace(tokens[back].text);
        break;
      }
    }
    for (const std::string_view opener : {"struct", "class", "union", "enum", "using", "typename"})
      if (tokens[i].text == opener && i + 1 < tokens.size()) words.emplace(tokens[i + 1].text);
  }
  return words;
}

/// The parameter's type, or nothing where its words may mean something else.
std::optional<TypeSpelling> known_type(const std::string& type, const Words& defined) {
  for (const Token& token : tokens_of(type))
    if (token.is_word && defined.contains(token.text)) return std::nullopt;
  try {
    TypeSpelling spelling = parse_type(type);
    if (!spelling.is_struct) return spelling;
  } catch (const Complaint&) {
  }
  return std::nullopt;
}

/// Whether memory or a value of one type cannot be meant for the other.
bool differ(const TypeSpelling& one, const TypeSpelling& other) {
  if (one.is_pointer != other.is_pointer) return true;
  return one.element.kind != other.element.kind || lane_size(one.element) != lane_size(other.element) ||
         (!one.is_pointer && one.element.lanes != other.element.lanes);
}

/// Both branches of an #if would be read as one list of parameters.
bool has_directive(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t begin = text.find_first_not_of(" \t\r", at);
    if (begin != std::string_view::npos && text[begin] == '#') return true;
    at = std::min(text.find('\n', at), text.size());
  }
  return false;
}

}  // namespace

void check_signature(const Case::Document& document) {
  const Job& job = document.job;
  const std::string plain = job.kernel_name.substr(0, job.kernel_name.find('<'));
  const std::string name = plain.substr(plain.rfind(':') + 1);  // rfind's npos + 1 is 0
  std::vector<SourceFunction> kernels;
  for (SourceFunction& function : find_functions(job.source))
    if (function.is_kernel && function.name == name) kernels.push_back(std::move(function));
  if (kernels.empty()) return;
  const auto same_type = [](const FunctionParameter& one, const FunctionParameter& other) {
    return one.type == other.type;
  };
  for (const SourceFunction& kernel : kernels) {
    const std::size_t end = kernel.is_definition ? kernel.body_begin : job.source.find(';', kernel.begin);
    if (kernel.parameters.size() != document.arguments.size() ||
        !std::equal(kernel.parameters.begin(), kernel.parameters.end(), kernels.front().parameters.begin(),
                    kernels.front().parameters.end(), same_type) ||
        has_directive(std::string_view(job.source).substr(kernel.begin, end - kernel.begin)))
      return;
  }
  const SourceFunction& kernel = kernels.back();
  const Words defined = defined_in(job.source);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const FunctionParameter& parameter = kernel.parameters[i];
    const ArgumentDocument& given = document.arguments[i];
    const auto wanted = known_type(parameter.type, defined);
    if (!wanted || given.is_struct || !differ(parse_type(given.argument.type), *wanted)) continue;
    fail_at(document.file, given.type_line,
            "`" + given.argument.name + "` is of type `" + given.argument.type + "`, but `" + name + "` in " +
                job.source_file_name + ":" + std::to_string(job.source_first_line + kernel.line - 1) +
                " takes `" + parameter.type + (parameter.name.empty() ? "" : " " + parameter.name) +
                "` as argument " + std::to_string(i));
  }
}

}  // namespace tare::compare
