// `tare init`: a case guessed from a kernel's signature, with a comment wherever a guess should be looked at.
#include <algorithm>
#include <array>
#include <map>

#include "compare/case/case.hpp"
#include "compare/case/complaint.hpp"
#include "compare/case/document.hpp"
#include "compare/case/snippet.hpp"
#include "compare/case/types.hpp"

namespace tare::compare {
namespace {

using Kind = ElementType::Kind;

/// "T" -> "float" and the like: what a template's parameters are proposed to be.
using Substitution = std::map<std::string, std::string, std::less<>>;

struct Guess {
  FunctionParameter parameter;
  TypeSpelling type;
};

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string substituted(const std::string& text, const Substitution& substitution) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word_char(text[end])) ++end;
    if (end == i) {
      result += text[i++];
      continue;
    }
    const std::string word = text.substr(i, end - i);
    const auto found = substitution.find(word);
    result += found == substitution.end() ? word : found->second;
    i = end;
  }
  return result;
}

/// "class T, int N = 4" -> "float, 4"; fills `substitution` with the same.
std::string proposed_instance(const std::string& parameters, Substitution& substitution) {
  std::string instance;
  for (std::size_t begin = 0; begin <= parameters.size();) {
    const std::size_t end = std::min(parameters.find(',', begin), parameters.size());
    std::string declaration = parameters.substr(begin, end - begin);
    std::string value;
    if (const std::size_t equals = declaration.find('='); equals != std::string::npos) {
      value = declaration.substr(equals + 1);
      value.erase(0, value.find_first_not_of(' '));
      declaration.erase(equals);
    }
    std::size_t name_end = declaration.size();
    while (name_end > 0 && !is_word_char(declaration[name_end - 1])) --name_end;
    std::size_t name_begin = name_end;
    while (name_begin > 0 && is_word_char(declaration[name_begin - 1])) --name_begin;
    if (value.empty()) {
      const bool is_type =
          declaration.find("class") != std::string::npos || declaration.find("typename") != std::string::npos;
      value = is_type ? "float" : declaration.find("bool") != std::string::npos ? "true" : "4";
    }
    substitution[declaration.substr(name_begin, name_end - name_begin)] = value;
    instance += (instance.empty() ? "" : ", ") + value;
    begin = end + 1;
  }
  return instance;
}

template <std::size_t N>
bool is_called(const std::string& name, const std::array<const char*, N>& names) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(names.begin(), names.end(), lower) != names.end();
}

constexpr std::array kLengthNames{"n",        "size",  "count", "len",          "length",     "num",
                                  "elements", "numel", "total", "num_elements", "numelements"};
constexpr std::array kWidthNames{"w", "width", "cols", "columns", "nx"};
constexpr std::array kHeightNames{"h", "height", "rows", "ny"};

bool is_integer(const TypeSpelling& type) {
  return !type.is_pointer && type.element.lanes == 1 &&
         (type.element.kind == Kind::signed_integer || type.element.kind == Kind::unsigned_integer);
}

class FirstCase {
 public:
  FirstCase(const std::filesystem::path& cu, const std::string& wanted)
      : cu_(cu), text_(read_text_file(cu)), shown_(cu.string()) {
    const auto region = cut_snippet(text_, "kernel", shown_);
    if (!region && has_snippet_markers(text_)) throw CaseError("no `kernel` snippet region in " + shown_);
    kernel_text_ = region ? region->text : text_;
    first_line_ = region ? region->first_line : 1;
    choose(wanted);
    guess_types();
    guess_shape();
  }

  std::string text() const {
    std::string out = "# A first case for " + name_ +
                      ", guessed from its signature. Run it:\n#   tare compare " +
                      cu_.filename().replace_extension(".toml").string() + "\n";
    out += "\n[kernel]\nfile = \"" + cu_.filename().string() + "\"\nname = \"" + name_ + "\"";
    if (name_ != kernel_.name) out += " # one instance of the template: change it as you like";
    out += "\n\n[values] # --n and --value change these for one run\n";
    if (two_dimensional_) {
      out += "w = 1025\nh = 771\n";
    } else {
      out += "n = 1000003 # not a multiple of the block, so that a missing bounds check shows\n";
    }
    out += "\n[launch]\n";
    out += two_dimensional_
               ? "block = [16, 16]\ncovers = [\"w\", \"h\"] # the grid has enough blocks for these\n"
               : "block = [256]\ncovers = [\"n\"] # the grid has enough blocks for these\n";
    if (kernel_text_.find("extern __shared__") != std::string::npos) {
      out += "dynamic_shared_bytes = \"4 * block_x\" # a guess: four bytes per thread\n";
    }
    for (const Guess& guess : guesses_) out += argument(guess);
    return out + reference_note();
  }

 private:
  void choose(const std::string& wanted) {
    std::vector<std::string> names;
    for (const SourceFunction& function : find_functions(kernel_text_)) {
      if (!function.is_kernel || !function.is_definition) continue;
      if (std::find(names.begin(), names.end(), function.name) == names.end()) names.push_back(function.name);
      if (wanted.empty() || function.name == wanted) kernel_ = function;
    }
    if (names.empty()) throw CaseError(shown_ + ": no __global__ function");
    if (!wanted.empty() && kernel_.name.empty())
      throw CaseError(shown_ + ": " + unknown("kernel", wanted, names));
    if (wanted.empty() && names.size() > 1) {
      std::string all;
      for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
      throw CaseError(shown_ + ": several __global__ functions, name one of them: " + all);
    }
  }

  void guess_types() {
    Substitution substitution;
    name_ = kernel_.name;
    if (!kernel_.template_parameters.empty()) {
      name_ += "<" + proposed_instance(kernel_.template_parameters, substitution) + ">";
    }
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      Guess guess{kernel_.parameters[i], {}};
      if (guess.parameter.name.empty()) guess.parameter.name = "argument" + std::to_string(i);
      guess.parameter.type = substituted(guess.parameter.type, substitution);
      guess.type = located(shown_, first_line_ + kernel_.line - 1, [&] {
        try {
          return parse_type(guess.parameter.type);
        } catch (const Complaint& complaint) {
          throw Complaint("parameter `" + guess.parameter.name + "` of " + name_ + ": " + complaint.what() +
                          " A struct is described by hand: docs/cases.md, \"Structs\".");
        }
      });
      guesses_.push_back(std::move(guess));
    }
  }

  /// Which integers are the extents, and whether there are two of them.
  void guess_shape() {
    std::string width, height, length, any;
    bool has_input = false;
    for (const Guess& guess : guesses_) {
      has_input = has_input || guess.type.is_const;
      if (!is_integer(guess.type)) continue;
      const std::string& name = guess.parameter.name;
      if (is_called(name, kWidthNames) && width.empty()) width = name;
      if (is_called(name, kHeightNames) && height.empty()) height = name;
      if (is_called(name, kLengthNames) && length.empty()) length = name;
      if (any.empty()) any = name;
    }
    fills_outputs_ = !has_input;
    two_dimensional_ = !width.empty() && !height.empty() && length.empty();
    if (two_dimensional_) {
      values_ = {{width, "w"}, {height, "h"}};
    } else if (!length.empty() || !any.empty()) {
      values_ = {{length.empty() ? any : length, "n"}};
    }
  }

  std::string argument(const Guess& guess) const {
    std::string out =
        "\n[[arguments]]\nname = \"" + guess.parameter.name + "\"\ntype = \"" + guess.parameter.type + "\"\n";
    return out + (guess.type.is_pointer ? buffer(guess) : "value = " + scalar(guess) + "\n");
  }

  std::string buffer(const Guess& guess) const {
    std::string out = "count = \"";
    out += two_dimensional_ ? "w * h" : "n";
    out += "\" # elements: a guess\n";
    // Integers may be indices, for which 0, 1, 2, ... stays inside the buffers.
    const bool counts =
        guess.type.element.kind == Kind::signed_integer || guess.type.element.kind == Kind::unsigned_integer;
    const std::string fill = std::string("fill = \"") + (counts ? "iota" : "sample") + "\"";
    if (guess.type.is_const) return out + fill + " # also: constant, uniform, normal, npy\n";
    if (fills_outputs_) out += fill + " # in and out; without it the buffer only comes out\n";
    out += "check = \"bits\"";
    if (is_floating(guess.type.element)) out += " # or { ulps = 4 } or { rtol = 1e-5, atol = 1e-8 }";
    return out + "\n";
  }

  std::string scalar(const Guess& guess) const {
    const auto extent = values_.find(guess.parameter.name);
    if (extent != values_.end()) return "\"" + extent->second + "\"";
    const ElementType& element = guess.type.element;
    if (element.kind == Kind::boolean) return "true # a guess";
    const std::string one = is_floating(element) ? "1.0" : "1";
    if (element.lanes == 1) return one + " # a guess";
    std::string list;
    for (std::size_t lane = 0; lane < element.lanes; ++lane) list += (lane == 0 ? "" : ", ") + one;
    return "[" + list + "] # a guess";
  }

  std::string reference_note() const {
    if (cut_snippet(text_, "reference", shown_)) return {};
    return "\n# There is no reference, so the rows are only held against one another. To have the answers "
           "checked,\n"
           "# put a plain serial function over the same arguments into " +
           cu_.filename().string() +
           ", between the lines\n#   // snippet: reference\n#   // end snippet\n"
           "# and the kernel between `// snippet: kernel` and `// end snippet`.\n";
  }

  std::filesystem::path cu_;
  std::string text_, shown_, kernel_text_, name_;
  int first_line_ = 1;
  SourceFunction kernel_;
  std::vector<Guess> guesses_;
  std::map<std::string, std::string> values_;  // parameter -> the value it gets
  bool two_dimensional_ = false, fills_outputs_ = false;
};

}  // namespace

std::string first_case(const std::filesystem::path& cu, const std::string& kernel) {
  return FirstCase(cu, kernel).text();
}

}  // namespace tare::compare
