// `tare init`: a case guessed from a kernel's signature and text, with a comment wherever a guess should be
// looked at.
#include <algorithm>
#include <map>
#include <regex>

#include "compare/case/buffer_use.hpp"
#include "compare/case/case.hpp"
#include "compare/case/complaint.hpp"
#include "compare/case/document.hpp"
#include "compare/case/host_code.hpp"
#include "compare/case/launch_guess.hpp"
#include "compare/case/snippet.hpp"
#include "compare/case/tokens.hpp"
#include "compare/case/types.hpp"

namespace tare::compare {
namespace {

using Kind = ElementType::Kind;

/// "T" -> "float" and the like: what a template's parameters are proposed to be.
using Substitution = std::map<std::string, std::string, std::less<>>;

struct Guess {
  FunctionParameter parameter;
  TypeSpelling type;
  std::string note;      // about the type
  bool unknown = false;  // a type that the case cannot name as it is
  BufferUse use = BufferUse::unseen;
};

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
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

bool is_integer(const TypeSpelling& type) {
  return !type.is_pointer && type.element.lanes == 1 &&
         (type.element.kind == Kind::signed_integer || type.element.kind == Kind::unsigned_integer);
}

/// What `typedef T NAME;`, `using NAME = T;` and `#define NAME T` in the text give the name; empty where none
/// does.
std::string alias_of(const std::string& text, const std::string& name) {
  const std::string spaces = "[ \\t]+", type = "([A-Za-z_][A-Za-z_0-9: \\t]*[A-Za-z_0-9])";
  for (const std::string& form : {"\\btypedef" + spaces + type + spaces + name + "[ \\t]*;",
                                  "\\busing" + spaces + name + "[ \\t]*=[ \\t]*" + type + "[ \\t]*;",
                                  "#[ \\t]*define" + spaces + name + spaces + type + "[ \\t]*(?:\\n|$)"}) {
    std::smatch match;
    if (std::regex_search(text, match, std::regex(form))) return match[1];
  }
  return {};
}

/// As a basic string of TOML.
std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

class FirstCase {
 public:
  FirstCase(const std::filesystem::path& cu, const std::string& wanted, const std::filesystem::path& toml)
      : cu_(cu), toml_(toml), text_(read_text_file(cu)), shown_(cu.string()) {
    if (toml_.empty()) toml_ = std::filesystem::path(cu).replace_extension(".toml");
    const auto region = cut_snippet(text_, "kernel", shown_);
    if (!region && has_snippet_markers(text_)) throw CaseError("no `kernel` snippet region in " + shown_);
    kernel_text_ = region ? region->text : text_;
    choose(wanted);
    if (const std::string hint = host_code_hint(kernel_text_); !hint.empty())
      to_do_.push_back(cu_.filename().string() + ": " + hint);
    guess_types();
    guess_shape();
  }

  DraftedCase draft() const {
    std::string out = "# A first case for " + name_ +
                      ", guessed from its signature and text. Run it:\n#   tare compare " +
                      shell_quoted(toml_.string()) + "\n";
    out += "\n[kernel]\nfile = " + in_quotes(cu_from_toml()) + "\nname = " + in_quotes(name_);
    if (name_ != kernel_.name) out += " # one instance of the template: change it as you like";
    out += "\n# python = " + in_quotes(cu_.stem().string() + ".py:" + kernel_.name) +
           " # the same kernel in Python, for the Numba rows: docs/first-case.md shows one";
    out += "\n\n[values] # --n and --value change these for one run\n";
    for (const auto& [name, value] : launch_.values) out += name + " = " + value + " # a guess\n";
    if (launch_.values.size() == 1)
      out.insert(out.size() - 1, ", and no multiple of the block, so that a missing bounds check shows");
    out += "\n[launch]\nblock = " + launch_.block +
           " # a guess: a kernel made for another block needs that\ncovers = [";
    for (std::size_t axis = 0; axis < launch_.covers.size(); ++axis)
      out += (axis == 0 ? "" : ", ") + in_quotes(launch_.covers[axis]);
    out += "] # a guess: the grid has enough blocks for these\n";
    if (kernel_text_.find("extern __shared__") != std::string::npos)
      out += "dynamic_shared_bytes = \"4 * " + launch_.threads + "\" # a guess: four bytes per thread\n";
    for (const Guess& guess : guesses_) out += argument(guess);
    return {out + moved() + reference_note(), to_do_};
  }

 private:
  /// Where the TOML file will find the .cu.
  std::string cu_from_toml() const {
    namespace fs = std::filesystem;
    std::error_code error;
    const auto folder = [](const fs::path& file) { return fs::absolute(file).parent_path(); };
    const fs::path between = fs::relative(folder(cu_), folder(toml_), error);
    if (error || between.empty()) return fs::absolute(cu_).string();
    return (between / cu_.filename()).lexically_normal().string();
  }

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
    if (wanted.empty() && names.size() > 1)
      throw CaseError(shown_ +
                      ": several __global__ functions, name one of them with --kernel: " + listed(names));
    body_ = kernel_text_.substr(kernel_.body_begin, kernel_.body_end - kernel_.body_begin);
  }

  void guess_types() {
    Substitution substitution;
    name_ = kernel_.name;
    if (!kernel_.template_parameters.empty()) {
      name_ += "<" + proposed_instance(kernel_.template_parameters, substitution) + ">";
    }
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      Guess guess;
      guess.parameter = kernel_.parameters[i];
      if (guess.parameter.name.empty()) guess.parameter.name = "argument" + std::to_string(i);
      guess.parameter.type = substituted(guess.parameter.type, substitution);
      guess_type(guess);
      guesses_.push_back(std::move(guess));
    }
  }

  void guess_type(Guess& guess) {
    std::string& type = guess.parameter.type;
    const std::string declared = type;
    for (int depth = 0; depth < 8; ++depth) {
      try {
        guess.type = parse_type(type);
        if (type != declared) guess.note = declared + " in the .cu";
        if (!guess.type.is_struct) return;
        break;
      } catch (const Complaint&) {
        if (!replace_alias(type)) break;
      }
    }
    type = declared;
    guess.type.is_pointer = declared.find('*') != std::string::npos;
    guess.type.is_const = guess.type.is_pointer && declared.find("const") < declared.find('*');
    guess.unknown = true;
    to_do_.push_back("`" + guess.parameter.name + "` of " + name_ + " is of type `" + declared +
                     "`: say what that is, at the line marked FILL IN");
  }

  /// Puts what the text defines in the place of one name in the type. False where it defines none of them.
  bool replace_alias(std::string& type) const {
    for (std::size_t begin = 0; begin < type.size(); ++begin) {
      std::size_t end = begin;
      while (end < type.size() && is_word_char(type[end])) ++end;
      if (end == begin) continue;
      if (const std::string alias = alias_of(kernel_text_, type.substr(begin, end - begin)); !alias.empty()) {
        type.replace(begin, end - begin, alias);
        return true;
      }
      begin = end;
    }
    return false;
  }

  void guess_shape() {
    std::vector<std::string> integers, buffers;
    bool has_input = false;
    for (const Guess& guess : guesses_) {
      has_input = has_input || guess.type.is_const;
      if (guess.type.is_pointer) buffers.push_back(guess.parameter.name);
      if (!guess.unknown && is_integer(guess.type)) integers.push_back(guess.parameter.name);
    }
    launch_ = guess_launch(integers, buffers, body_, kernel_text_);
    for (Guess& guess : guesses_) {
      if (!guess.type.is_pointer) continue;
      guess.use = use_of_buffer(body_, guess.parameter.name);
      // Without any input there would be nothing to work on.
      if (guess.use == BufferUse::unseen && !has_input) guess.use = BufferUse::handed_on;
    }
  }

  std::string argument(const Guess& guess) const {
    std::string out = "\n[[arguments]]\nname = " + in_quotes(guess.parameter.name) + "\n";
    if (guess.unknown) {
      const bool is_struct = guess.type.is_struct;
      out +=
          "# FILL IN: what `" + guess.parameter.type +
          "` is. A struct is described by its fields, in order:\n"
          "#   type = \"struct NAME\"\n"
          "#   fields = [ { name = \"x\", type = \"float\", value = 1.0 } ]\n" +
          (is_struct ? "" : "# another name for a type is given as that type: \"float\", \"const int*\".\n") +
          "# docs/cases.md, \"Types\" and \"Structs\", has the rest.\n";
    }
    out += "type = " + in_quotes(guess.parameter.type);
    if (!guess.note.empty()) out += " # " + guess.note;
    out += '\n';
    if (guess.type.is_pointer) return out + buffer(guess);
    return guess.unknown ? out : out + "value = " + scalar(guess) + "\n";
  }

  std::string buffer(const Guess& guess) const {
    std::string out =
        "count = " + in_quotes(launch_.counts.at(guess.parameter.name)) + " # elements: a guess\n";
    // Integers may be indices, for which 0, 1, 2, ... stays inside the buffers.
    const bool counts =
        guess.type.element.kind == Kind::signed_integer || guess.type.element.kind == Kind::unsigned_integer;
    // What a type that is not known can be filled with is not known either.
    const std::string fill = guess.unknown ? "fill = \"FILL IN\""
                             : counts      ? "fill = \"iota\""
                                           : "fill = \"sample\"";
    if (guess.type.is_const) return out + fill + " # also: constant, uniform, normal, npy\n";
    const bool adds = guess.use == BufferUse::accumulated;
    switch (guess.use) {
      case BufferUse::only_read:
        return out + fill + " # the kernel only reads it, though it is not const\n";
      case BufferUse::read_too:
        out += fill + " # in and out: the kernel reads it\n";
        break;
      case BufferUse::accumulated:
        out += "fill = { constant = 0 } # in and out: the kernel adds to it with atomics\n";
        break;
      case BufferUse::handed_on:
        out += fill + " # in and out, for all that the text shows; without it the buffer only comes out\n";
        break;
      case BufferUse::unseen:
      case BufferUse::only_written:
        out += "# also read? give it a fill: " + fill + "\n";
    }
    const bool floats = !guess.unknown && is_floating(guess.type.element);
    if (adds && floats)
      return out + "check = { rtol = 1e-5, atol = 1e-8 } # the order of atomic additions changes their sum\n";
    out += "check = \"bits\"";
    if (floats) out += " # or { ulps = 4 } or { rtol = 1e-5, atol = 1e-8 }";
    return out + "\n";
  }

  std::string scalar(const Guess& guess) const {
    const auto extent = launch_.extents.find(guess.parameter.name);
    if (extent != launch_.extents.end()) return in_quotes(extent->second);
    const ElementType& element = guess.type.element;
    if (element.kind == Kind::boolean) return "true # a guess";
    const std::string one = is_floating(element) ? "1.0" : "1";
    if (element.lanes == 1) return one + " # a guess";
    std::string list;
    for (std::size_t lane = 0; lane < element.lanes; ++lane) list += (lane == 0 ? "" : ", ") + one;
    return "[" + list + "] # a guess";
  }

  /// Said only where the rule would be wrong: a buffer that is not const and is read alone comes in, but does
  /// not go out.
  std::string moved() const {
    bool is_needed = false;
    std::string bytes;
    for (const Guess& guess : guesses_) {
      if (!guess.type.is_pointer) continue;
      if (guess.unknown) return {};
      is_needed = is_needed || (!guess.type.is_const && guess.use == BufferUse::only_read);
      const bool twice = !guess.type.is_const && guess.use != BufferUse::only_read &&
                         guess.use != BufferUse::only_written && guess.use != BufferUse::unseen;
      bytes += (bytes.empty() ? "" : " + ") + launch_.counts.at(guess.parameter.name) + " * " +
               std::to_string(guess.type.element.size * (twice ? 2 : 1));
    }
    return is_needed ? "\n[moved] # what one launch has to read and write, for the GB/s\nbytes = " +
                           in_quotes(bytes) + "\n"
                     : "";
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

  std::filesystem::path cu_, toml_;
  std::string text_, shown_, kernel_text_, body_, name_;
  SourceFunction kernel_;
  std::vector<Guess> guesses_;
  LaunchGuess launch_;
  std::vector<std::string> to_do_;
};

}  // namespace

DraftedCase first_case(const std::filesystem::path& cu, const std::string& kernel,
                       const std::filesystem::path& toml) {
  return FirstCase(cu, kernel, toml).draft();
}

std::string shell_quoted(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./+:@%,=~").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && text.front() != '~' && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace tare::compare
