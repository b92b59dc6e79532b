// A case's TOML, read: the kernel and its sources, the launch, the claims. read_argument.cpp reads the
// arguments; the two are the only ones of the case's parts that know TOML.
#include "compare/case/case.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>

#include "compare/case/complaint.hpp"
#include "compare/case/document.hpp"
#include "compare/case/python_kernel.hpp"
#include "compare/case/read_argument.hpp"
#include "compare/case/signature.hpp"
#include "compare/case/snippet.hpp"
#include "compare/case/table.hpp"
#include "compare/report/claims.hpp"

namespace tare::compare {
namespace {

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
