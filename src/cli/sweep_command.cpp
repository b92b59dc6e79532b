// `tare sweep`: runs the rows over sizes, prints the table with the crossings and keeps the record.
#include <unistd.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "compare/sweep.hpp"

namespace tare::cli {

int sweep_command(const CommandLine& line) {
  const std::string& file = line.compare.json;
  const bool to_file = !file.empty() && file != "-";
  if (to_file) check_replaceable(file);
  ProgressLine progress;
  const compare::Sweep sweep = compare::run_sweep({line.compare, line.sizes}, progress);
  progress.clear();
  std::FILE* const table = file == "-" ? stderr : stdout;
  const int descriptor = fileno(table);
  const bool colour = !line.no_color && colour_wanted(descriptor);
  std::fputs(compare::render(sweep, colour, width_of(descriptor)).c_str(), table);
  std::fflush(table);
  if (to_file)
    replace_file(file, compare::to_json(sweep));
  else if (!file.empty())
    std::fputs(compare::to_json(sweep).c_str(), stdout);
  return compare::exit_code(sweep);
}

}  // namespace tare::cli
