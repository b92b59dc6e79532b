// Reads row descriptions. The only file of the flow that knows the TOML library.
#include "compare/row.hpp"

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string_view>

#include "compare/case/complaint.hpp"
#include "compare/case/plain_file.hpp"
#include "embedded/rows.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;

const std::array<std::string, 13> kKeys{"order",   "title",  "cpu_title",   "moment", "worker",
                                        "needs",   "no_gpu", "environment", "memory", "twin",
                                        "prepare", "python", "not_strict"};
const std::array<std::string, 5> kPythonKeys{"environment", "libraries", "build_environment", "build_files",
                                             "pins"};
const std::array<std::string, 5> kPinKeys{"cuda", "versions", "packages", "build", "source"};

int line_of(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

std::string text_of(const std::string& file, const toml::node& node, const std::string& key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  fail_at(file, line_of(node), "`" + key + "` must be a string");
}

std::vector<std::string> texts_of(const std::string& file, const toml::node& node, const std::string& key) {
  const toml::array* const array = node.as_array();
  if (!array) fail_at(file, line_of(node), "`" + key + "` must be an array of strings");
  std::vector<std::string> texts;
  for (const toml::node& element : *array) texts.push_back(text_of(file, element, key));
  return texts;
}

std::map<std::string, std::string> environment_of(const std::string& file, const toml::node& node,
                                                  const std::string& name) {
  const toml::table* const table = node.as_table();
  if (!table) fail_at(file, line_of(node), "`" + name + "` must be a table of strings");
  std::map<std::string, std::string> environment;
  for (const auto& [key, value] : *table)
    environment[std::string(key.str())] = text_of(file, value, name + "." + std::string(key.str()));
  return environment;
}

std::vector<std::string> pins_of(const std::string& file, const toml::node& node, const std::string& key) {
  std::vector<std::string> pins = texts_of(file, node, key);
  for (const std::string& pin : pins) located(file, line_of(node), [&] { return parse_pin(pin); });
  return pins;
}

PinSet pin_set_of(const std::string& file, const toml::node& node) {
  const toml::table* const table = node.as_table();
  if (!table) fail_at(file, line_of(node), "`pins` must be tables: [[python.pins]]");
  PinSet pins;
  for (const auto& [key_node, value] : *table) {
    const std::string key(key_node.str());
    if (key == "cuda") {
      pins.cuda = static_cast<int>(value.value_exact<std::int64_t>().value_or(0));
      if (pins.cuda != 12 && pins.cuda != 13) fail_at(file, line_of(value), "`cuda` must be 12 or 13");
    } else if (key == "versions") {
      pins.versions = texts_of(file, value, key);
    } else if (key == "packages") {
      pins.packages = pins_of(file, value, key);
    } else if (key == "build") {
      pins.build = pins_of(file, value, key);
    } else if (key == "source") {
      pins.source = pins_of(file, value, key);
    } else {
      fail_at(file, static_cast<int>(key_node.source().begin.line), unknown("key", key, kPinKeys));
    }
  }
  if (pins.cuda == 0) fail_at(file, line_of(node), "`cuda` is missing from [[python.pins]]: 12 or 13");
  return pins;
}

PythonEnvironment python_of(const std::string& file, const toml::node& node, const std::string& row) {
  const toml::table* const table = node.as_table();
  if (!table) fail_at(file, line_of(node), "`python` must be a table");
  PythonEnvironment python;
  python.name = row;
  for (const auto& [key_node, value] : *table) {
    const std::string key(key_node.str());
    if (key == "environment") {
      python.name = text_of(file, value, key);
      if (python.name.empty() || python.name[0] == '.' || python.name.find('/') != std::string::npos)
        fail_at(file, line_of(value), "`environment` must be a name");
    } else if (key == "libraries") {
      python.libraries = texts_of(file, value, key);
    } else if (key == "build_environment") {
      python.build_environment = environment_of(file, value, key);
    } else if (key == "build_files") {
      python.build_files = environment_of(file, value, key);
    } else if (key == "pins") {
      const toml::array* const sets = value.as_array();
      if (!sets) fail_at(file, line_of(value), "`pins` must be tables: [[python.pins]]");
      for (const toml::node& set : *sets) python.pins.push_back(pin_set_of(file, set));
    } else {
      fail_at(file, static_cast<int>(key_node.source().begin.line), unknown("key", key, kPythonKeys));
    }
  }
  return python;
}

// Rows that share an environment have its pins in one of their files.
void share_environments(std::map<std::string, RowDescription>& rows) {
  std::map<std::string, const RowDescription*> owners;
  for (const auto& [name, row] : rows) {
    if (!row.python || row.python->pins.empty()) continue;
    const auto [owner, first] = owners.emplace(row.python->name, &row);
    if (!first)
      fail_at(row.file.string(), 0,
              "the pins of the environment `" + row.python->name + "` are in " +
                  owner->second->file.string() + " already");
  }
  for (auto& [name, row] : rows) {
    if (!row.python || !row.python->pins.empty() || !owners.contains(row.python->name)) continue;
    const PythonEnvironment& shared = *owners.at(row.python->name)->python;
    row.python->pins = shared.pins;
    row.python->build_environment = shared.build_environment;
    row.python->build_files = shared.build_files;
    if (row.python->libraries.empty()) row.python->libraries = shared.libraries;
  }
}

void read_folder(const fs::path& folder, std::map<std::string, RowDescription>& rows) {
  std::error_code none;
  if (folder.empty() || !fs::is_directory(folder, none)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    const std::string text = located(entry.path().string(), 0, [&] { return read_plain_text(entry.path()); });
    const std::string name = entry.path().stem().string();
    rows[name] = parse_row(text, name, entry.path());
  }
}

}  // namespace

RowDescription parse_row(const std::string& text, const std::string& name, const fs::path& path) {
  const std::string file = path.string();
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    fail_at(file, static_cast<int>(e.source().begin.line), std::string(e.description()));
  }
  RowDescription row;
  row.name = name;
  row.file = path;
  for (const auto& [key_node, value] : table) {
    const std::string key(key_node.str());
    if (key == "order") {
      const auto order = value.value_exact<std::int64_t>();
      if (!order) fail_at(file, line_of(value), "`order` must be an integer");
      row.order = static_cast<int>(*order);
    } else if (key == "title") {
      row.title = text_of(file, value, key);
    } else if (key == "cpu_title") {
      row.cpu_title = text_of(file, value, key);
    } else if (key == "moment") {
      row.moment = text_of(file, value, key);
    } else if (key == "worker") {
      row.worker = texts_of(file, value, key);
    } else if (key == "needs") {
      row.needs = texts_of(file, value, key);
    } else if (key == "environment") {
      row.environment = environment_of(file, value, key);
    } else if (key == "python") {
      row.python = python_of(file, value, name);
    } else if (key == "no_gpu") {
      row.no_gpu = text_of(file, value, key);
    } else if (key == "not_strict") {
      row.not_strict = text_of(file, value, key);
    } else if (key == "memory") {
      const std::string memory = text_of(file, value, key);
      if (memory != "own" && memory != "owner")
        fail_at(file, line_of(value), "`memory` must be \"own\" or \"owner\"");
      row.own_memory = memory == "own";
    } else if (key == "twin") {
      row.twins = texts_of(file, value, key);
    } else if (key == "prepare") {
      if (text_of(file, value, key) != "host-program")
        fail_at(file, line_of(value), "`prepare` can only be \"host-program\"");
      row.host_program = true;
    } else {
      fail_at(file, static_cast<int>(key_node.source().begin.line), unknown("key", key, kKeys));
    }
  }
  if (row.worker.empty())
    fail_at(file, 0, "`worker` is missing: the command that speaks the worker protocol");
  if (row.title.empty()) row.title = name;
  const bool uses_python = std::find(row.worker.begin(), row.worker.end(), "{python}") != row.worker.end();
  if (uses_python && !row.python) row.python = PythonEnvironment{name, {}, {}, {}, {}};
  if (!uses_python && row.python)
    fail_at(file, 0, "[python] is of no use to a `worker` without \"{python}\"");
  return row;
}

std::vector<RowDescription> load_rows() {
  std::map<std::string, RowDescription> rows;
  for (std::size_t i = 0; i < embedded::rows_count; ++i) {
    const fs::path path(embedded::rows[i].path);
    const std::string name = path.stem().string();
    rows[name] = parse_row(std::string(embedded::rows[i].text), name, path);
  }
  read_folder(own_executable().parent_path().parent_path() / "share/tare/rows", rows);
  if (const char* const folder = std::getenv("TARE_ROWS_DIR")) {
    std::error_code none;
    if (*folder && !fs::is_directory(folder, none))
      throw CaseError("TARE_ROWS_DIR is not a directory: " + std::string(folder));
    read_folder(folder, rows);
  }
  share_environments(rows);
  std::vector<RowDescription> ordered;
  for (auto& [name, row] : rows) ordered.push_back(std::move(row));
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const RowDescription& a, const RowDescription& b) { return a.order < b.order; });
  return ordered;
}

std::vector<RowDescription> choose_rows(std::vector<RowDescription> rows,
                                        const std::vector<std::string>& names) {
  if (names.empty()) return rows;
  std::vector<std::string> known;
  for (const RowDescription& row : rows) known.push_back(row.name);
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw CaseError(unknown("row", name, known));
  std::erase_if(rows, [&](const RowDescription& row) {
    return std::find(names.begin(), names.end(), row.name) == names.end();
  });
  return rows;
}

}  // namespace tare::compare
