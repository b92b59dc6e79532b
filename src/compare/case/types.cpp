// The table of types and the reading of their spellings.
#include "compare/case/types.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "compare/case/complaint.hpp"

namespace tare::compare {
namespace {

using Kind = ElementType::Kind;

struct TypeTable {
  std::map<std::string, ElementType, std::less<>> types;
  std::vector<std::string> names;

  void add(const std::string& name, Kind kind, std::size_t size, std::size_t alignment,
           std::size_t lanes = 1) {
    types[name] = {name, size, alignment, kind, lanes, {}};
    names.push_back(name);
  }

  void alias(const std::string& name, const std::string& canonical) {
    types[name] = types.at(canonical);
    names.push_back(name);
  }

  /// char1 .. char4 and their like: one to four lanes, aligned as CUDA's vector_types.h aligns them.
  void vectors(const std::string& stem, Kind kind, std::size_t lane) {
    for (std::size_t lanes = 1; lanes <= 4; ++lanes) {
      const std::size_t alignment = lanes == 3 ? lane : std::min<std::size_t>(lanes * lane, 16);
      add(stem + std::to_string(lanes), kind, lanes * lane, alignment, lanes);
    }
    if (lane == 8) {
      add(stem + "4_16a", kind, 32, 16, 4);
      add(stem + "4_32a", kind, 32, 32, 4);
    }
  }
};

TypeTable make_table() {
  TypeTable table;
  table.add("bool", Kind::boolean, 1, 1);
  struct Integer {
    const char* name;
    bool is_signed;
    std::size_t size;
  };
  // The sizes are those of 64-bit Linux, which the device shares with its host.
  const Integer integers[] = {
      {"char", true, 1},
      {"signed char", true, 1},
      {"unsigned char", false, 1},
      {"short", true, 2},
      {"unsigned short", false, 2},
      {"int", true, 4},
      {"unsigned int", false, 4},
      {"long", true, 8},
      {"unsigned long", false, 8},
      {"long long", true, 8},
      {"unsigned long long", false, 8},
      {"__int128", true, 16},
      {"unsigned __int128", false, 16},
      {"size_t", false, 8},
      {"ptrdiff_t", true, 8},
      {"intptr_t", true, 8},
      {"uintptr_t", false, 8},
      {"int8_t", true, 1},
      {"int16_t", true, 2},
      {"int32_t", true, 4},
      {"int64_t", true, 8},
      {"uint8_t", false, 1},
      {"uint16_t", false, 2},
      {"uint32_t", false, 4},
      {"uint64_t", false, 8},
      {"char8_t", false, 1},
      {"char16_t", false, 2},
      {"char32_t", false, 4},
      {"wchar_t", true, 4},
  };
  for (const Integer& each : integers) {
    table.add(each.name, each.is_signed ? Kind::signed_integer : Kind::unsigned_integer, each.size,
              each.size);
  }
  table.add("float", Kind::floating, 4, 4);
  table.add("double", Kind::floating, 8, 8);
  table.add("__half", Kind::half, 2, 2);
  table.add("__half2", Kind::half, 4, 4, 2);
  table.add("__nv_bfloat16", Kind::bfloat16, 2, 2);
  table.add("__nv_bfloat162", Kind::bfloat16, 4, 4, 2);
  table.alias("half", "__half");
  table.alias("half2", "__half2");
  table.alias("nv_bfloat16", "__nv_bfloat16");
  table.alias("nv_bfloat162", "__nv_bfloat162");
  table.vectors("char", Kind::signed_integer, 1);
  table.vectors("uchar", Kind::unsigned_integer, 1);
  table.vectors("short", Kind::signed_integer, 2);
  table.vectors("ushort", Kind::unsigned_integer, 2);
  table.vectors("int", Kind::signed_integer, 4);
  table.vectors("uint", Kind::unsigned_integer, 4);
  table.vectors("long", Kind::signed_integer, 8);
  table.vectors("ulong", Kind::unsigned_integer, 8);
  table.vectors("longlong", Kind::signed_integer, 8);
  table.vectors("ulonglong", Kind::unsigned_integer, 8);
  table.vectors("float", Kind::floating, 4);
  table.vectors("double", Kind::floating, 8);
  table.add("dim3", Kind::unsigned_integer, 12, 4, 3);
  return table;
}

const TypeTable& table() {
  static const TypeTable instance = make_table();
  return instance;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    const auto is_word = [&](std::size_t at) {
      return at < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_' || text[at] == ':');
    };
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
    } else if (is_word(i)) {
      const std::size_t begin = i;
      while (is_word(i)) ++i;
      words.emplace_back(text.substr(begin, i - begin));
    } else {
      words.emplace_back(1, text[i++]);
    }
  }
  return words;
}

/// "long unsigned int" and every other order and choice of words -> "unsigned long".
std::optional<std::string> canonical_integer(const std::vector<std::string>& words) {
  std::map<std::string, int, std::less<>> seen;
  for (const std::string& word : words) ++seen[word];
  const auto count = [&](std::string_view word) {
    const auto found = seen.find(word);
    return found == seen.end() ? 0 : found->second;
  };
  const int signs = count("signed") + count("unsigned");
  const int known = signs + count("char") + count("short") + count("int") + count("long") + count("__int128");
  if (known != static_cast<int>(words.size()) || signs > 1 || count("int") > 1) return std::nullopt;
  const int sizes = count("char") + count("short") + (count("long") > 0 ? 1 : 0) + count("__int128");
  if (sizes > 1 || count("long") > 2) return std::nullopt;
  if ((count("char") != 0 || count("__int128") != 0) && count("int") != 0) return std::nullopt;
  const std::string sign = count("unsigned") != 0 ? "unsigned " : "";
  if (count("char") != 0) return count("signed") != 0 ? "signed char" : sign + "char";
  if (count("short") != 0) return sign + "short";
  if (count("__int128") != 0) return sign + "__int128";
  if (count("long") == 2) return sign + "long long";
  if (count("long") == 1) return sign + "long";
  return sign + "int";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

ElementType element_of(std::vector<std::string> words) {
  for (std::string& word : words) {
    if (word.starts_with("std::")) word.erase(0, 5);
    if (word.starts_with("::")) word.erase(0, 2);
  }
  if (const auto integer = canonical_integer(words)) return table().types.at(*integer);
  const std::string name = joined(words);
  const auto found = table().types.find(name);
  if (found != table().types.end()) return found->second;
  // All of the names would be a page.
  const std::string near = unknown("type", name, known_type_names());
  if (near.find("; known: ") == std::string::npos) throw Complaint(near);
  throw Complaint("unknown type `" + name + "`; a struct is written \"struct " + name +
                  "\" with its `fields`, another name for a type as that type");
}

}  // namespace

const std::vector<std::string>& known_type_names() {
  return table().names;
}

TypeSpelling parse_type(std::string_view text) {
  TypeSpelling spelling;
  std::vector<std::string> base;
  for (const std::string& word : words_of(text)) {
    if (word == "*") {
      if (spelling.is_pointer) {
        throw Complaint("type `" + std::string(text) +
                        "`: a pointer to a pointer cannot be given; a buffer's elements are values");
      }
      spelling.is_pointer = true;
    } else if (word == "&") {
      throw Complaint("type `" + std::string(text) + "`: a kernel's parameter cannot be a reference");
    } else if (word == "const") {
      if (!spelling.is_pointer) spelling.is_const = true;
    } else if (word == "__restrict__" || word == "__restrict" || word == "restrict") {
      if (!spelling.is_pointer) throw Complaint("type `" + std::string(text) + "`: " + word + " needs a `*`");
    } else if (word == "volatile") {
      continue;
    } else if (spelling.is_pointer) {
      throw Complaint("type `" + std::string(text) + "`: unexpected `" + word + "` after `*`");
    } else {
      base.push_back(word);
    }
  }
  if (base.empty()) throw Complaint("type `" + std::string(text) + "` names no type");
  if (base[0] == "struct") {
    if (base.size() > 2) throw Complaint("type `" + std::string(text) + "`: expected `struct NAME`");
    spelling.is_struct = true;
    spelling.element = {joined(base), 0, 1, Kind::aggregate, 1, {}};
    return spelling;
  }
  spelling.element = element_of(std::move(base));
  return spelling;
}

}  // namespace tare::compare
