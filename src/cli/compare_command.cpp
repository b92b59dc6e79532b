// `tare compare`: runs the comparison, judges it, prints the report and keeps the record.
#include <unistd.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "compare/report/claims.hpp"
#include "compare/row.hpp"
#include "tare/error.hpp"

namespace tare::cli {
namespace {

/// Rows to come, which a claim may name already. A claim about one that did not run is undecided.
constexpr const char* kRowsElsewhere[] = {"jit", "array", "array-out"};

/// Before the run: a claim that cannot be judged must not cost its minutes first.
void check_claims(const compare::Case& chosen, const std::string& file) {
  std::vector<std::string> known(std::begin(kRowsElsewhere), std::end(kRowsElsewhere));
  for (const compare::RowDescription& row : compare::load_rows()) known.push_back(row.name);
  for (const compare::Claim& claim : chosen.claims()) compare::check_claim(claim, file, known);
}

}  // namespace

int compare_command(const CommandLine& line) {
  const compare::CompareOptions& options = line.compare;
  const bool builtin = options.case_file.empty();
  const compare::Case chosen = builtin ? compare::Case::builtin() : compare::Case::load(options.case_file);
  check_claims(chosen, builtin ? "built-in case" : options.case_file.string());
  const bool to_file = !options.json.empty() && options.json != "-";
  if (to_file) check_replaceable(options.json);

  ProgressLine progress;
  compare::Record record = compare::run_comparison(options, progress);
  progress.clear();
  compare::judge(record, chosen.claims());

  // With the record on standard output the table makes room for it.
  std::FILE* const table = options.json == "-" ? stderr : stdout;
  const int descriptor = fileno(table);
  const bool colour = !line.no_color && colour_wanted(descriptor);
  const compare::Extras extras{options.first_boot, options.timeline, utf8_wanted()};
  std::fputs(compare::render(record, colour, width_of(descriptor), extras).c_str(), table);
  if (to_file)
    replace_file(options.json, compare::to_json(record));
  else if (!options.json.empty())
    std::fputs(compare::to_json(record).c_str(), stdout);
  return compare::exit_code(record);
}

}  // namespace tare::cli
