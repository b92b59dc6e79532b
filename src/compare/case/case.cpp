// The only reader of TOML among the case's parts: every key is looked up, every key that nobody looked up
// is an error, and every value knows its line.
#include "compare/case/case.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>

#include "compare/case/complaint.hpp"
#include "compare/case/document.hpp"
#include "compare/case/fill.hpp"
#include "compare/case/python_kernel.hpp"
#include "compare/case/signature.hpp"
#include "compare/case/snippet.hpp"
#include "compare/case/types.hpp"
#include "compare/report/claims.hpp"

namespace tare::compare {
namespace {

int line_of(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

std::string_view kind_of(const toml::node& node) {
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
std::vector<const toml::table*> tables_of(const Table& parent, std::string_view key) {
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

Literal read_literal(const Table& table, std::string_view key, const toml::node& node, bool in_list = false) {
  Literal literal;
  literal.line = line_of(node);
  if (const auto* integer = node.as_integer()) {
    literal.integer = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    literal.kind = Literal::Kind::real;
    literal.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    literal.kind = Literal::Kind::boolean;
    literal.boolean = boolean->get();
  } else if (const auto* text = node.as_string()) {
    literal.kind = Literal::Kind::expression;
    literal.text = text->get();
  } else if (const auto* array = node.as_array(); array != nullptr && !in_list) {
    literal.kind = Literal::Kind::list;
    for (const toml::node& each : *array) literal.list.push_back(read_literal(table, key, each, true));
  } else if (node.is_table() && in_list) {
    const Table bits = table.sub(key, node, "`" + std::string(key) + "`", {"bits"});
    literal.kind = Literal::Kind::bits;
    literal.text = bits.string("bits");
  } else {
    table.wrong_kind(key, node, "a number, true, false, an expression in quotes or a list of them");
  }
  return literal;
}

/// `value = ...` or `bits = "0x..."`.
std::optional<Literal> read_value(const Table& table) {
  const toml::node* value = table.find("value");
  const toml::node* bits = table.find("bits");
  if (value != nullptr && bits != nullptr)
    table.fail(line_of(*bits), "both `value` and `bits` in " + table.where());
  if (value != nullptr) return read_literal(table, "value", *value);
  if (bits == nullptr) return std::nullopt;
  Literal literal;
  literal.kind = Literal::Kind::bits;
  literal.text = table.string("bits", *bits);
  literal.line = line_of(*bits);
  return literal;
}

std::size_t read_alignment(const Table& table) {
  const std::uint64_t align = table.natural_or("align", 0);
  if (align != 0 && ((align & (align - 1)) != 0 || align > 4096)) {
    table.fail(line_of(*table.find("align")), "`align` must be a power of two up to 4096");
  }
  return align;
}

std::vector<Field> read_fields(const Table& parent, int depth = 0) {
  const toml::node* node = parent.find("fields");
  if (node == nullptr) {
    parent.fail(parent.line(),
                "`fields` is missing in " + parent.where() + ": a struct is given by its fields");
  }
  if (depth > 16) parent.fail(line_of(*node), "structs nested more than 16 deep");
  std::vector<Field> fields;
  for (const toml::table* raw : tables_of(parent, "fields")) {
    const Table table(*raw, parent.file(), "`fields` of " + parent.where(), line_of(*raw),
                      {"name", "type", "count", "align", "value", "bits", "fields"});
    Field field;
    field.line = table.line();
    field.name = table.string("name");
    const std::string type = table.string("type");
    const TypeSpelling spelling =
        located(parent.file(), line_of(*table.find("type")), [&] { return parse_type(type); });
    if (spelling.is_pointer) {
      table.fail(line_of(*table.find("type")),
                 "field `" + field.name + "`: a pointer inside a struct cannot be given");
    }
    field.count = table.natural_or("count", 1);
    if (field.count == 0 || field.count > (1u << 20)) {
      table.fail(line_of(*table.find("count")), "field `" + field.name + "`: `count` must be 1 to 2^20");
    }
    field.alignment = read_alignment(table);
    field.value = read_value(table);
    field.element = spelling.element;
    if (spelling.is_struct) {
      if (field.value)
        table.fail(field.value->line, "field `" + field.name + "` is a struct: its `fields` have the values");
      field.fields = read_fields(table, depth + 1);
      field.element = lay_out(field.fields, field.alignment, spelling.element.name);
    } else if (table.find("fields") != nullptr) {
      table.fail(line_of(*table.find("fields")),
                 "field `" + field.name + "` of type `" + type + "` has no fields");
    }
    fields.push_back(std::move(field));
  }
  if (fields.empty()) parent.fail(line_of(*node), "`fields` of " + parent.where() + " is empty");
  return fields;
}

Fill read_fill(const Table& argument, const toml::node& node, const std::filesystem::path& directory) {
  static const std::vector<std::string> kKinds{"sample", "constant", "iota", "uniform", "normal", "npy"};
  Fill fill;
  if (const auto* name = node.as_string()) {
    const std::string& kind = name->get();
    if (kind == "sample") fill.kind = Fill::Kind::sample;
    if (kind == "iota") fill.kind = Fill::Kind::iota;
    if (kind == "uniform") fill.kind = Fill::Kind::uniform;
    if (kind == "normal") fill.kind = Fill::Kind::normal;
    if (kind == "constant" || kind == "npy") {
      argument.fail(line_of(node), "fill `" + kind + "` needs its value: { " + kind + " = ... }");
    }
    if (fill.kind == Fill::Kind::none) argument.fail(line_of(node), unknown("fill", kind, kKinds));
    return fill;
  }
  if (!node.is_table()) argument.wrong_kind("fill", node, "a table or a name: { sample = { stride = 2 } }");
  const Table table = argument.sub("fill", node, "`fill`", kKinds);
  if (table.raw().size() != 1) argument.fail(line_of(node), "`fill` must have exactly one kind in it");
  if (const toml::node* sample = table.find("sample")) {
    const Table inner = table.sub("sample", *sample, "`sample`", {"stride", "offset"});
    fill.kind = Fill::Kind::sample;
    fill.stride = inner.integer_or("stride", 1);
    fill.offset = inner.integer_or("offset", 0);
  } else if (const toml::node* constant = table.find("constant")) {
    fill.kind = Fill::Kind::constant;
    fill.value = table.number("constant", *constant);
  } else if (const toml::node* iota = table.find("iota")) {
    const Table inner = table.sub("iota", *iota, "`iota`", {"start", "step"});
    fill.kind = Fill::Kind::iota;
    fill.start = inner.number_or("start", 0);
    fill.step = inner.number_or("step", 1);
  } else if (const toml::node* uniform = table.find("uniform")) {
    const Table inner = table.sub("uniform", *uniform, "`uniform`", {"low", "high", "seed"});
    fill.kind = Fill::Kind::uniform;
    fill.low = inner.number_or("low", 0);
    fill.high = inner.number_or("high", 1);
    fill.seed = inner.natural_or("seed", 0);
    if (!(fill.low < fill.high)) argument.fail(line_of(*uniform), "`uniform` needs low < high");
  } else if (const toml::node* normal = table.find("normal")) {
    const Table inner = table.sub("normal", *normal, "`normal`", {"mean", "deviation", "seed"});
    fill.kind = Fill::Kind::normal;
    fill.mean = inner.number_or("mean", 0);
    fill.deviation = inner.number_or("deviation", 1);
    fill.seed = inner.natural_or("seed", 0);
  } else {
    fill.kind = Fill::Kind::npy;
    fill.npy = directory / table.string("npy");
  }
  return fill;
}

Check read_check(const Table& argument, const toml::node& node, const ElementType& element) {
  Check check;
  if (const auto* name = node.as_string()) {
    if (name->get() == "bits") {
      check.kind = Check::Kind::bits;
    } else if (name->get() != "none") {
      const std::vector<std::string> known{"bits", "none"};
      argument.fail(line_of(node), unknown("check", name->get(), known));
    }
    return check;
  }
  if (!node.is_table())
    argument.wrong_kind("check", node, "\"bits\", { ulps = N } or { rtol = X, atol = Y }");
  const Table table = argument.sub("check", node, "`check`", {"ulps", "rtol", "atol"});
  const bool by_ulps = table.find("ulps") != nullptr;
  const bool by_tolerance = table.find("rtol") != nullptr || table.find("atol") != nullptr;
  if (by_ulps == by_tolerance)
    argument.fail(line_of(node), "`check` needs either `ulps` or `rtol` and `atol`");
  if (!is_floating(element)) {
    argument.fail(line_of(node),
                  "`" + element.name + "` is not a floating type: only `check = \"bits\"` applies");
  }
  check.kind = by_ulps ? Check::Kind::ulps : Check::Kind::tolerance;
  check.ulps = table.natural_or("ulps", 0);
  check.rtol = table.number_or("rtol", 0);
  check.atol = table.number_or("atol", 0);
  if (!(check.rtol >= 0) || !(check.atol >= 0))
    argument.fail(line_of(node), "a tolerance must not be negative");
  return check;
}

/// Keys that only the other sort of argument has.
void refuse(const Table& table, std::initializer_list<std::string_view> keys, const std::string& why) {
  for (const std::string_view key : keys) {
    if (const toml::node* node = table.find(key))
      table.fail(line_of(*node), "`" + std::string(key) + "` " + why);
  }
}

void read_buffer(const Table& table, ArgumentDocument& document, const std::filesystem::path& directory) {
  JobArgument& argument = document.argument;
  const std::string named = "`" + argument.name + "`";
  refuse(table, {"value", "bits"}, "is for scalars; " + named + " is a buffer and takes `count` and `fill`");
  document.count = table.expression("count", table.required("count"));
  if (const toml::node* fill = table.find("fill")) {
    argument.fill = read_fill(table, *fill, directory);
    located(table.file(), line_of(*fill), [&] { check_fill(argument.fill, argument.element); });
  }
  if (argument.is_const) {
    refuse(table, {"check", "reference"}, "is for outputs; " + named + " is const");
    if (argument.fill.kind == Fill::Kind::none) {
      table.fail(table.line(), "`fill` is missing in " + table.where() + ": " + named + " is an input");
    }
  }
  if (const toml::node* check = table.find("check"))
    argument.check = read_check(table, *check, argument.element);
  if (const toml::node* file = table.find("reference")) {
    argument.reference_npy = directory / table.string("reference", *file);
  }
}

ArgumentDocument read_argument(const toml::table& raw, const Case::Document& document,
                               const std::filesystem::path& directory) {
  const Table table(
      raw, document.file, "[[arguments]]", line_of(raw),
      {"name", "type", "count", "fill", "check", "reference", "value", "bits", "fields", "align"});
  ArgumentDocument result;
  result.line = table.line();
  JobArgument& argument = result.argument;
  argument.name = table.string("name");
  if (!is_name(argument.name))
    table.fail(line_of(*table.find("name")), "`" + argument.name + "` is not a name");
  argument.type = table.string("type");
  result.type_line = line_of(*table.find("type"));
  const TypeSpelling spelling =
      located(document.file, result.type_line, [&] { return parse_type(argument.type); });
  argument.element = spelling.element;
  argument.is_buffer = spelling.is_pointer;
  argument.is_const = spelling.is_pointer && spelling.is_const;
  result.is_struct = spelling.is_struct;
  if (spelling.is_struct) {
    result.fields = read_fields(table);
    argument.element = lay_out(result.fields, read_alignment(table), spelling.element.name);
  } else {
    refuse(table, {"fields", "align"},
           "is for structs; `" + argument.name + "` is of type `" + argument.type + "`");
  }
  if (argument.is_buffer) {
    read_buffer(table, result, directory);
    return result;
  }
  refuse(table, {"count", "fill", "check", "reference"},
         "is for buffers; `" + argument.name + "` of type `" + argument.type + "` is passed by value");
  result.value = read_value(table);
  if (result.is_struct) {
    refuse(table, {"value", "bits"},
           "is for scalars; the struct `" + argument.name + "` has its values in `fields`");
  } else if (!result.value) {
    table.fail(table.line(),
               "`value` is missing in [[arguments]]: `" + argument.name + "` is passed by value");
  }
  return result;
}

void read_launch(const Table& launch, Case::Document& document) {
  document.block = launch.axes("block");
  if (document.block.empty()) launch.required("block");
  document.block_line = line_of(*launch.find("block"));
  document.covers = launch.axes("covers");
  document.grid = launch.axes("grid");
  if (document.covers.empty() == document.grid.empty()) {
    launch.fail(launch.line(), "[launch] needs either `covers` or `grid`");
  }
  document.grid_line = line_of(*launch.find(document.grid.empty() ? "covers" : "grid"));
  document.dynamic_shared_bytes = launch.maybe_expression("dynamic_shared_bytes");
}

void read_claims(const Table& root, Case::Document& document) {
  for (const toml::table* raw : tables_of(root, "claim")) {
    const Table table(*raw, document.file, "[[claim]]", line_of(*raw), {"text", "holds", "only"});
    Claim claim{table.string("text"), table.string("holds"), {}, line_of(*table.find("holds"))};
    if (const toml::node* only = table.find("only")) {
      const auto* rows = only->as_array();
      if (rows == nullptr) table.wrong_kind("only", *only, "an array of row names");
      for (const toml::node& row : *rows) claim.only.push_back(table.string("only", row));
    }
    check_claim(claim, document.file);
    document.claims.push_back(std::move(claim));
  }
}

/// The kernel's text and, where there is one, the reference's.
void read_sources(const Table& kernel, const std::string& text, Case::Document& document) {
  Job& job = document.job;
  const std::string shown = job.source_file_name;
  const std::string region = kernel.string_or("snippet", "kernel");
  const auto snippet = cut_snippet(text, region, shown);
  if (!snippet && (has_snippet_markers(text) || kernel.find("snippet") != nullptr)) {
    throw CaseError("no `" + region + "` snippet region in " + shown);
  }
  const std::string source = snippet ? snippet->text : text;
  const int first_line = snippet ? snippet->first_line : 1;
  std::vector<std::string> kernels;
  for (const SourceFunction& function : find_functions(source)) {
    if (function.is_kernel) kernels.push_back(function.name);
  }
  const std::string plain = job.kernel_name.substr(0, job.kernel_name.find('<'));
  const std::string last = plain.substr(plain.rfind(':') + 1);  // rfind's npos + 1 is 0
  // Kernels made by macros are not seen here; then the compiler has the word.
  if (!kernels.empty() && std::find(kernels.begin(), kernels.end(), last) == kernels.end()) {
    kernel.fail(line_of(*kernel.find("name")), unknown("kernel", job.kernel_name, kernels));
  }
  job.source = with_c_linkage(source, job.kernel_name);
  job.source_first_line = first_line;
  const auto reference = cut_snippet(text, "reference", shown);
  if (!reference) return;
  job.reference_source = reference->text;
  job.reference_first_line = reference->first_line;
  for (const SourceFunction& function : find_functions(reference->text)) {
    if (!function.is_definition) continue;
    job.reference_name = function.name;
    if (function.name == "reference") break;
  }
  if (job.reference_name.empty()) {
    fail_at(shown, reference->first_line, "the `reference` snippet region defines no function");
  }
}

// `array`: + - * / and parentheses over arguments; what it gives is the kernel's only output.
void check_array_expression(const Table& kernel, int line, const Case::Document& document) {
  const std::string& text = document.job.array;
  std::vector<std::string> names;
  for (const ArgumentDocument& each : document.arguments) names.push_back(each.argument.name);
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    if (end == at) {
      if (std::string_view("+-*/() ").find(text[at]) == std::string_view::npos)
        kernel.fail(line, "`array` in [kernel] is + - * / and parentheses over arguments: `" + text + "`");
      ++at;
      continue;
    }
    const std::string name = text.substr(at, end - at);
    if (std::find(names.begin(), names.end(), name) == names.end())
      kernel.fail(line, unknown("argument", name, names) + " (`array` in [kernel])");
    any = true;
    at = end;
  }
  const auto outputs = std::count_if(document.arguments.begin(), document.arguments.end(),
                                     [](const auto& each) { return each.argument.is_output(); });
  if (!any) kernel.fail(line, "`array` in [kernel] names no argument");
  if (outputs != 1)
    kernel.fail(line, "`array` in [kernel] gives one result, and the kernel has " + std::to_string(outputs) +
                          " outputs");
}

}  // namespace

std::shared_ptr<const Case::Document> read_document(const CaseText& text) {
  auto document = std::make_shared<Case::Document>();
  document->file = text.file;
  Job& job = document->job;
  job.case_file = text.file;
  job.case_name = job.case_file.stem().string();

  toml::table parsed;
  try {
    parsed = toml::parse(text.toml, text.file);
  } catch (const toml::parse_error& error) {
    fail_at(text.file, static_cast<int>(error.source().begin.line), std::string(error.description()));
  }
  const Table root(parsed, document->file, "the case", 0,
                   {"kernel", "values", "launch", "arguments", "moved", "claim"});

  const Table kernel = root.sub("kernel", root.required("kernel"), "[kernel]",
                                {"file", "name", "python", "jit", "array", "snippet"});
  const std::string file = kernel.string("file");
  job.kernel_file = (text.directory / file).lexically_normal();
  job.source_file_name = job.kernel_file.string();
  job.kernel_name = kernel.string("name");
  if (const toml::node* python = kernel.find("python")) {
    const std::string value = kernel.string("python", *python);
    const std::size_t colon = value.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == value.size()) {
      kernel.fail(line_of(*python), "`python` in [kernel] must be \"FILE.py:FUNCTION\"");
    }
    job.python_file = (text.directory / value.substr(0, colon)).lexically_normal().string();
    job.python_function = value.substr(colon + 1);
    const bool is_built_in = text.kernel.has_value();  // its file is written later
    const std::string wrong = is_built_in ? "" : why_no_python_kernel(job.python_file, job.python_function);
    if (!wrong.empty()) kernel.fail(line_of(*python), "`python` in [kernel]: " + wrong);
  }

  if (const toml::node* jit = kernel.find("jit")) {
    const std::string value = kernel.string("jit", *jit);
    const std::size_t colon = value.rfind(':');
    const std::string name = colon == std::string::npos ? value : value.substr(colon + 1);
    if (!is_name(name) || colon == 0)
      kernel.fail(line_of(*jit), "`jit` in [kernel] must be \"NAME\" or \"PROGRAM:NAME\"");
    job.jit_kernel = name;
    if (colon != std::string::npos)
      job.jit_program =
          std::filesystem::absolute(text.directory / value.substr(0, colon)).lexically_normal().string();
  }

  if (const toml::node* values = root.find("values")) {
    const auto* table = values->as_table();
    if (table == nullptr) root.wrong_kind("values", *values, "a table");
    const Table all(*table, document->file, "[values]", line_of(*values), [&] {
      std::vector<std::string> every;
      for (const auto& [key, node] : *table) every.emplace_back(key.str());
      return every;
    }());
    std::vector<std::tuple<unsigned, unsigned, std::string>>
        places;  // the table itself is in order of its keys
    for (const auto& [key, node] : *table) {
      if (!is_name(key.str()))
        all.fail(static_cast<int>(key.source().begin.line), "`" + std::string(key.str()) + "` is not a name");
      document->values[std::string(key.str())] = all.expression(key.str(), node);
      places.emplace_back(key.source().begin.line, key.source().begin.column, key.str());
    }
    std::sort(places.begin(), places.end());
    for (const auto& [line, column, name] : places) job.value_names.push_back(name);
  }
  read_launch(root.sub("launch", root.required("launch"), "[launch]",
                       {"block", "covers", "grid", "dynamic_shared_bytes"}),
              *document);

  for (const toml::table* raw : tables_of(root, "arguments")) {
    ArgumentDocument argument = read_argument(*raw, *document, text.directory);
    for (const ArgumentDocument& other : document->arguments) {
      if (other.argument.name == argument.argument.name) {
        fail_at(document->file, argument.line,
                "a second argument `" + argument.argument.name + "`; the first is at line " +
                    std::to_string(other.line));
      }
    }
    document->arguments.push_back(std::move(argument));
  }
  if (const toml::node* array = kernel.find("array")) {
    document->job.array = kernel.string("array", *array);
    check_array_expression(kernel, line_of(*array), *document);
  }
  if (const toml::node* moved = root.find("moved")) {
    const Table table = root.sub("moved", *moved, "[moved]", {"bytes"});
    document->moved = table.expression("bytes", table.required("bytes"));
  }
  read_claims(root, *document);
  read_sources(kernel, text.kernel ? *text.kernel : read_text_file(job.kernel_file), *document);
  check_signature(*document);
  return document;
}

}  // namespace tare::compare
