#include "gpu/ptx_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace tare::detail {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%';
}

/// The words and signs of PTX without comments and strings: ".param", ".b8", "k_param_1", "[", "24", "]".
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  /// Empty at the end of the text.
  std::string_view next() {
    skip_blank();
    if (at_ >= text_.size()) return {};
    const auto start = at_;
    if (text_[at_] == '"') {
      at_ = std::min(text_.find('"', at_ + 1), text_.size() - 1) + 1;
    } else if (is_word(text_[at_]) ||
               (text_[at_] == '.' && at_ + 1 < text_.size() && is_word(text_[at_ + 1]))) {
      ++at_;
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    } else {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

 private:
  void skip_blank() {
    while (at_ < text_.size()) {
      const auto rest = text_.substr(at_);
      if (rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest.starts_with("/*")) {
        const auto end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else if (const char c = text_[at_]; c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0') {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<std::size_t> number(std::string_view word) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Bytes of a fundamental type, 0 for a word that is none.
std::size_t type_bytes(std::string_view word) {
  if (word == ".f16x2" || word == ".bf16x2") return 4;
  if (word == ".texref" || word == ".samplerref" || word == ".surfref") return 8;
  if (word == ".bf16") return 2;
  if (word == ".tf32") return 4;
  if (word.size() < 3 || word[0] != '.' || std::string_view("busf").find(word[1]) == std::string_view::npos)
    return 0;
  const auto bits = number(word.substr(2));
  const bool known = bits && (*bits == 8 || *bits == 16 || *bits == 32 || *bits == 64 || *bits == 128);
  return known ? *bits / 8 : 0;
}

/// One `.param ...` up to the comma or parenthesis that ends it, which is returned in `end`.
std::optional<Parameter> read_parameter(Words& words, std::size_t& offset, std::string_view& end) {
  std::size_t alignment = 0;
  std::size_t element = 0;
  std::size_t count = 1;
  bool pointee = false;  // behind `.ptr` an `.align` speaks of what is pointed to
  for (auto word = words.next();; word = words.next()) {
    if (word.empty()) return std::nullopt;
    if (word == "," || word == ")") {
      end = word;
      break;
    }
    if (word == ".ptr") {
      pointee = true;
    } else if (word == ".align") {
      const auto value = number(words.next());
      if (!value || *value == 0) return std::nullopt;
      if (!pointee) alignment = *value;
    } else if (word == "[") {
      const auto value = number(words.next());
      if (!value) return std::nullopt;
      count *= *value;
    } else if (const auto bytes = type_bytes(word); bytes != 0) {
      element = bytes;
    }
  }
  if (element == 0) return std::nullopt;
  if (alignment == 0) alignment = element;
  offset = (offset + alignment - 1) / alignment * alignment;
  const Parameter parameter{offset, element * count};
  offset += parameter.size;
  return parameter;
}

/// Text behind `marker` up to the end of its line, trimmed.
std::string rest_of_line(std::string_view text, std::string_view marker) {
  const auto at = text.find(marker);
  if (at == std::string_view::npos) return {};
  auto line = text.substr(at + marker.size());
  line = line.substr(0, line.find_first_of("\r\n"));
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(line.substr(first, line.find_last_not_of(" \t") - first + 1));
}

}  // namespace

std::vector<std::string> ptx_kernels(std::string_view ptx) {
  std::vector<std::string> names;
  Words words(ptx);
  for (auto word = words.next(); !word.empty(); word = words.next())
    if (word == ".entry") names.emplace_back(words.next());
  return names;
}

std::optional<std::vector<Parameter>> ptx_parameters(std::string_view ptx, std::string_view kernel) {
  Words words(ptx);
  for (auto word = words.next(); !word.empty(); word = words.next()) {
    if (word != ".entry" || words.next() != kernel) continue;
    std::vector<Parameter> parameters;
    if (words.next() != "(") return parameters;  // `.entry k { ... }` takes none
    std::size_t offset = 0;
    std::string_view end = ",";
    while (end == ",") {
      const auto first = words.next();
      if (first == ")" && parameters.empty()) return parameters;
      if (first != ".param") return std::nullopt;
      const auto parameter = read_parameter(words, offset, end);
      if (!parameter) return std::nullopt;
      parameters.push_back(*parameter);
    }
    return parameters;
  }
  return std::nullopt;
}

std::string ptx_version(std::string_view ptx) {
  Words words(ptx);
  for (auto word = words.next(); !word.empty(); word = words.next()) {
    if (word != ".version") continue;
    std::string version(words.next());
    const auto minor = words.next();  // the tokens of "9.0" are "9" and ".0"
    if (minor.starts_with('.')) version += minor;
    return version;
  }
  return {};
}

std::string ptx_producer(std::string_view ptx) {
  constexpr std::size_t kHeaderBytes = 4096;
  return rest_of_line(ptx.substr(0, kHeaderBytes), "// Cuda compilation tools, ");
}

bool is_ptx(std::string_view image) {
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  constexpr std::string_view kFatBinary = "\x50\xed\x55\xba";
  return !image.starts_with(kElf) && !image.starts_with(kFatBinary);
}

}  // namespace tare::detail
