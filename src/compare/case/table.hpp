// Tables of a case's TOML: every key is looked up, every key that nobody looked up is an error, and every
// value knows its line. Everything here throws CaseError ("FILE:LINE: ...").
#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/case/complaint.hpp"
#include "compare/case/document.hpp"

namespace tare::compare {

inline int line_of(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

inline std::string_view kind_of(const toml::node& node) {
  if (node.is_string()) return "a string";
  if (node.is_integer()) return "an integer";
  if (node.is_floating_point()) return "a number with a decimal point";
  if (node.is_boolean()) return "a boolean";
  if (node.is_array()) return "an array";
  if (node.is_table()) return "a table";
  return "a date or time";
}

/// A TOML table whose keys are all known: asking for a key that `known` lacks is our own mistake, a key in
/// the file that `known` lacks is the writer's.
class Table {
 public:
  Table(const toml::table& table, const std::string& file, std::string where, int line,
        std::vector<std::string> known)
      : table_(table), file_(file), where_(std::move(where)), line_(line) {
    for (const auto& [key, node] : table_) {
      if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
        fail(static_cast<int>(key.source().begin.line), unknown("key", key.str(), known, where_));
      }
    }
  }

  int line() const { return line_; }
  const std::string& where() const { return where_; }
  const std::string& file() const { return file_; }
  const toml::table& raw() const { return table_; }
  [[noreturn]] void fail(int line, const std::string& message) const { fail_at(file_, line, message); }

  const toml::node* find(std::string_view key) const { return table_.get(key); }

  const toml::node& required(std::string_view key) const {
    const toml::node* node = find(key);
    if (node == nullptr) fail(line_, "`" + std::string(key) + "` is missing in " + where_);
    return *node;
  }

  [[noreturn]] void wrong_kind(std::string_view key, const toml::node& node,
                               const std::string& expected) const {
    fail(line_of(node), "`" + std::string(key) + "` in " + where_ + " must be " + expected + ", not " +
                            std::string(kind_of(node)));
  }

  std::string string(std::string_view key, const toml::node& node) const {
    const auto* text = node.as_string();
    if (text == nullptr) wrong_kind(key, node, "a string");
    return text->get();
  }
  std::string string(std::string_view key) const { return string(key, required(key)); }
  std::string string_or(std::string_view key, std::string otherwise) const {
    const toml::node* node = find(key);
    return node == nullptr ? std::move(otherwise) : string(key, *node);
  }

  std::int64_t integer_or(std::string_view key, std::int64_t otherwise) const {
    const toml::node* node = find(key);
    if (node == nullptr) return otherwise;
    const auto* value = node->as_integer();
    if (value == nullptr) wrong_kind(key, *node, "an integer");
    return value->get();
  }
  std::uint64_t natural_or(std::string_view key, std::uint64_t otherwise) const {
    const auto value = integer_or(key, static_cast<std::int64_t>(otherwise));
    if (value < 0)
      fail(line_of(*find(key)), "`" + std::string(key) + "` in " + where_ + " must not be negative");
    return static_cast<std::uint64_t>(value);
  }

  double number(std::string_view key, const toml::node& node) const {
    if (const auto* real = node.as_floating_point()) return real->get();
    const auto* integer = node.as_integer();
    if (integer == nullptr) wrong_kind(key, node, "a number");
    const std::int64_t value = integer->get();
    if (value > (1ll << 53) || value < -(1ll << 53)) {
      fail(line_of(node), "`" + std::string(key) + "` in " + where_ + " is beyond 2^53");
    }
    return static_cast<double>(value);
  }
  double number_or(std::string_view key, double otherwise) const {
    const toml::node* node = find(key);
    return node == nullptr ? otherwise : number(key, *node);
  }

  LocatedExpression expression(std::string_view key, const toml::node& node) const {
    if (const auto* integer = node.as_integer()) return {std::to_string(integer->get()), line_of(node)};
    const auto* text = node.as_string();
    if (text == nullptr) wrong_kind(key, node, "an integer or an expression in quotes");
    return {text->get(), line_of(node)};
  }
  std::optional<LocatedExpression> maybe_expression(std::string_view key) const {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    return expression(key, *node);
  }
  /// One to three expressions: an array, or a single one by itself.
  std::vector<LocatedExpression> axes(std::string_view key) const {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    const auto* array = node->as_array();
    if (array == nullptr) return {expression(key, *node)};
    if (array->empty() || array->size() > 3) {
      fail(line_of(*node), "`" + std::string(key) + "` in " + where_ + " must have one to three entries");
    }
    std::vector<LocatedExpression> result;
    for (const toml::node& each : *array) result.push_back(expression(key, each));
    return result;
  }

  Table sub(std::string_view key, const toml::node& node, std::string where,
            std::vector<std::string> known) const {
    const auto* table = node.as_table();
    if (table == nullptr) wrong_kind(key, node, "a table");
    return Table(*table, file_, std::move(where), line_of(node), std::move(known));
  }

 private:
  static std::string unknown(std::string_view what, std::string_view name,
                             const std::vector<std::string>& known, const std::string& where) {
    return "unknown " + std::string(what) + " `" + std::string(name) + "` in " + where +
           suggestion(name, known);
  }

  const toml::table& table_;
  const std::string& file_;
  std::string where_;
  int line_;
};

/// Reads `array` as an array of tables.
inline std::vector<const toml::table*> tables_of(const Table& parent, std::string_view key) {
  std::vector<const toml::table*> result;
  const toml::node* node = parent.find(key);
  if (node == nullptr) return result;
  const auto* array = node->as_array();
  if (array == nullptr) parent.wrong_kind(key, *node, "an array of tables: [[" + std::string(key) + "]]");
  for (const toml::node& each : *array) {
    if (!each.is_table()) parent.wrong_kind(key, each, "a table in every entry");
    result.push_back(each.as_table());
  }
  return result;
}

}  // namespace tare::compare
