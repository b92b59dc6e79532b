#include "cpu/ptx/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>

#include "cpu/ptx/module_items.hpp"
#include "cpu/ptx/prototype.hpp"

namespace tare::cpu::ptx {

namespace {

using detail::Item;
using detail::Items;
using detail::Lexer;
using detail::Token;

/// A name that texts share: the text whose definition counts, and how far the output has come with it.
struct Shared {
  std::size_t definer = kNobody;
  bool is_weak = false;
  bool is_written = false;  // defined in the output already
  static constexpr std::size_t kNobody = ~std::size_t{0};
};

/// .extern .shared arrays are all the same memory, whatever their names: private to their text.
bool is_private(const Item& item) {
  if (item.kind == Item::Kind::alias) return false;  // its declaration says
  return !item.is_linked() || (item.is_shared && item.is_extern);
}

int number_of(std::string_view target) {
  int number = 0;
  if (const std::size_t at = target.find('_'); at != std::string_view::npos)
    std::from_chars(target.data() + at + 1, target.data() + target.size(), number);
  return number;
}

std::pair<int, int> version_of(std::string_view version) {
  std::pair<int, int> parts;
  const char* const end = version.data() + version.size();
  const auto [dot, error] = std::from_chars(version.data(), end, parts.first);
  if (error == std::errc() && dot != end) std::from_chars(dot + 1, end, parts.second);
  return parts;
}

/// Copies one text's items, with private names replaced and numbers of source files moved past the others'.
class Rewriter {
 public:
  Rewriter(const std::unordered_map<std::string_view, std::string>& names, std::uint64_t first_file)
      : names_(names), first_file_(first_file) {}

  /// The highest file number written, at least that of the start.
  std::uint64_t last_file() const { return last_file_; }

  /// `has_instructions`: of a function. There a word may be an opcode, and a function's name only elsewhere.
  void copy(std::string_view text, bool has_instructions, std::string& out) {
    Lexer lexer(text);
    std::size_t done = 0;
    bool starts_statement = false, is_predicate = false, is_file = false;
    for (Token token = lexer.next(); token.kind != Token::Kind::end; token = lexer.next()) {
      const bool is_word = token.kind == Token::Kind::word;
      const bool is_opcode = is_word && has_instructions && starts_statement && !lexer.at(':');
      std::string replacement;
      if (is_file && token.kind == Token::Kind::integer) {
        last_file_ = std::max(last_file_, first_file_ + token.value);
        replacement = std::to_string(first_file_ + token.value);
      } else if (const auto found = names_.find(token.text); is_word && !is_opcode && found != names_.end()) {
        replacement = found->second;
      }
      if (!replacement.empty()) {
        const auto at = static_cast<std::size_t>(token.text.data() - text.data());
        out.append(text.substr(done, at - done)).append(replacement);
        done = at + token.text.size();
      }
      is_file = token.is_dot("file") || token.is_dot("loc") || token.is_word("inlined_at");
      starts_statement =
          token.is(';') || token.is('{') || token.is('}') || token.is(':') || (is_predicate && is_word);
      is_predicate = token.is('@') || (is_predicate && token.is('!'));
    }
    out.append(text.substr(done)).push_back('\n');
  }

 private:
  const std::unordered_map<std::string_view, std::string>& names_;
  std::uint64_t first_file_;
  std::uint64_t last_file_ = first_file_;
};

class Linker {
 public:
  explicit Linker(const std::vector<LinkInput>& inputs) : inputs_(inputs) {
    for (const LinkInput& input : inputs) texts_.push_back(detail::module_items(input.text));
  }

  std::string run() {
    for (std::size_t i = 0; i < texts_.size(); ++i) collect(i);
    check_prototypes();
    std::string out = header();
    std::uint64_t files = 0;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const auto names = private_names(i);
      Rewriter rewriter(names, files);
      for (const Item& item : texts_[i].items) write(i, item, rewriter, out);
      files = rewriter.last_file();
    }
    return out;
  }

 private:
  void collect(std::size_t text) {
    std::set<std::string_view> own, linked;
    for (const Item& item : texts_[text].items) {
      for (const std::string_view name : item.names) {
        if (own.insert(name).second) ++users_[name];
        if (item.kind == Item::Kind::alias ? !linked.contains(name) : is_private(item)) continue;
        linked.insert(name);
        define(text, item, name);
      }
    }
  }

  void define(std::size_t text, const Item& item, std::string_view name) {
    Shared& shared = shared_[name];
    if (!item.is_definition() && item.kind != Item::Kind::alias) return;
    const bool is_weak = item.is_weak || item.is_common;
    const bool is_known = shared.definer != Shared::kNobody;
    if (is_known && is_weak) return;
    if (is_known && !shared.is_weak && shared.definer != text)
      detail::fail(0, fmt::format("Multiple definition of '{}' in '{}', first defined in '{}'", name,
                                  inputs_[text].name, inputs_[shared.definer].name));
    shared.definer = text;
    shared.is_weak = is_weak;
  }

  /// All texts must mean the same function by a name, whether they define it, declare it or both.
  void check_prototypes() const {
    struct First {
      const Function* function;
      const std::string* text;
    };
    std::map<std::string_view, First> known;
    for (const LinkInput& input : inputs_) {
      for (const Function& function : input.module->functions) {
        if (function.is_entry || (!function.is_extern && !function.is_visible && !function.is_weak)) continue;
        const auto [it, is_new] = known.try_emplace(function.name, First{&function, &input.name});
        if (is_new || same_prototype(*it->second.function, function)) continue;
        detail::fail(0, fmt::format("Prototype doesn't match for '{}' in '{}', first defined in '{}'",
                                    function.name, input.name, *it->second.text));
      }
    }
  }

  std::string header() const {
    const auto newer = [](const Items& a, const Items& b) {
      return version_of(a.version) < version_of(b.version);
    };
    // Of sm_90 and sm_90a, the one that allows more.
    const auto higher = [](const Items& a, const Items& b) {
      return std::pair(number_of(a.target), a.target.size()) <
             std::pair(number_of(b.target), b.target.size());
    };
    return fmt::format(".version {}\n.target {}\n.address_size 64\n",
                       std::max_element(texts_.begin(), texts_.end(), newer)->version,
                       std::max_element(texts_.begin(), texts_.end(), higher)->target);
  }

  /// New names for what is private to a text and called as something in another one.
  std::unordered_map<std::string_view, std::string> private_names(std::size_t text) const {
    std::unordered_map<std::string_view, std::string> names;
    for (const Item& item : texts_[text].items) {
      if (!is_private(item)) continue;
      for (const std::string_view name : item.names) {
        if (users_.at(name) < 2) continue;
        std::string fresh = fmt::format("{}__{}", name, text);
        while (users_.contains(fresh)) fresh += '_';
        names.emplace(name, std::move(fresh));
      }
    }
    return names;
  }

  void write(std::size_t text, const Item& item, Rewriter& rewriter, std::string& out) {
    if (item.kind == Item::Kind::ignored) return;
    if (item.names.empty() || is_private(item) || item.kind == Item::Kind::alias) {
      rewriter.copy(item.text, item.kind == Item::Kind::function, out);
      return;
    }
    Shared& shared = shared_.at(item.names.front());
    if (shared.is_written) return;  // PTX allows no declaration after the definition
    if (!item.is_definition() || shared.definer == text) {
      for (const std::string_view name : item.names) shared_.at(name).is_written |= item.is_definition();
      rewriter.copy(item.text, item.kind == Item::Kind::function, out);
    } else if (item.kind == Item::Kind::function) {  // gives way to one that comes later
      rewriter.copy(item.head, false, out);
      out.back() = ';';
      out.push_back('\n');
    } else {
      write_variable(item.names.front(), shared.definer, rewriter.last_file(), out);
    }
  }

  /// Ahead of its text's other items: a variable cannot be declared and defined later as a function can.
  void write_variable(std::string_view name, std::size_t definer, std::uint64_t files, std::string& out) {
    const auto names = private_names(definer);
    for (const Item& item : texts_[definer].items) {
      if (item.kind != Item::Kind::variable || item.is_extern || item.names.front() != name) continue;
      Rewriter(names, files).copy(item.text, false, out);
      for (const std::string_view each : item.names) shared_.at(each).is_written = true;
      return;
    }
  }

  const std::vector<LinkInput>& inputs_;
  std::vector<Items> texts_;
  std::map<std::string_view, Shared> shared_;
  std::map<std::string_view, int, std::less<>> users_;  // how many texts have the name
};

}  // namespace

std::variant<std::string, ParseError> link(const std::vector<LinkInput>& inputs) {
  try {
    return Linker(inputs).run();
  } catch (detail::Failure& failure) {
    return std::move(failure.error);
  }
}

}  // namespace tare::cpu::ptx
