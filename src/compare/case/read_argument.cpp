#include "compare/case/read_argument.hpp"

#include "compare/case/fill.hpp"
#include "compare/case/types.hpp"

namespace tare::compare {
namespace {

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

}  // namespace

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

}  // namespace tare::compare
