// The options of `tare compare` and `tare sweep`.
#include <CLI/CLI.hpp>

#include <limits>

#include "cli/options.hpp"
#include "compare/case/complaint.hpp"
#include "compare/python/interpreter.hpp"

namespace tare::cli {
namespace {

constexpr const char* kCompareExamples = R"(
Examples:
  tare compare                              the built-in vector add
  tare compare my.toml                      a case of your own (tare init my.cu writes a first one)
  tare compare --rows clang --device cpu    no NVIDIA software, no GPU
  tare compare --n 2^28 --thorough          a working set larger than any cache; ten processes per row
  tare compare --fp strict                  the same floating-point contract for every row
  tare compare --json - | jq .claims        the record on standard output, the table on standard error
  tare compare --python cupy=~/venv/bin/python --rows cupy,nvrtc
  tare compare --timeline --first-boot      where the time to the first result goes
  tare compare --cold-l2                    one launch on data that no cache holds, beside the steady state
  tare compare --prebuilt clang=k.ptx       load PTX that was compiled elsewhere

Exit codes: 0 every row that could be compared matched; 1 a row was wrong or failed; 2 usage or a bad case;
3 no row ran, or none could be compared (--fp strict); 130 interrupted.
)";
constexpr const char* kSweepExamples = R"(
For every row: the time of a launch at every size, and the size where what a call costs and what its bytes
cost are equal.

Examples:
  tare sweep                                the built-in vector add, n from 1K to 64M
  tare sweep --n 1K..1M --rows nvrtc,cupy,cupy-array
  tare sweep my.toml --n 100..1M --points 9 --json sweep.json

Exit codes: as tare compare.
)";

CLI::Validator positive_time() {
  return at_least(std::numeric_limits<double>::min(), "a number of seconds above 0");
}
CLI::Validator not_negative() {
  return at_least(0, "a whole number from 0 upwards");
}

// What compare and sweep have in common.
void add_case_options(CLI::App& app, CommandLine& line, RawTexts& raw) {
  compare::RunSettings& settings = line.compare.settings;
  const auto number = [&app](const char* name, int& value, const char* help) {
    return app.add_option(name, value, help)->type_name("N")->capture_default_str();
  };
  app.add_option("case", raw.case_file, "The case, a TOML file (default: the built-in vector add)")
      ->type_name("CASE.toml");
  app.add_option("--rows", raw.rows, "Only these rows (tare rows lists them)")
      ->type_name("A,B")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--value", raw.values, "Any value of the case")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  app.add_option("--threads", raw.threads, "Threads per block: 256, 16x16")->type_name("SHAPE");
  number("--warmup", settings.warmup, "Launches before the timed ones, at least")->check(not_negative());
  number("--timed", settings.timed, "Launches between two events")->check(positive());
  number("--rounds", settings.rounds, "Interleaved rounds of the steady state")->check(positive());
  add_device(app, raw);
  app.add_option("--fp", raw.fp,
                 "Floating-point contract: default (what each library does by itself) or strict")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(one_of({"default", "strict"}));
  app.add_option("--json", raw.json, "Write the record to this file; - is standard output")
      ->type_name("FILE");
  app.add_option("--seed", settings.seed, "Seed of the shuffles and of the resampling")
      ->type_name("N")
      ->capture_default_str()
      ->check(not_negative());
  app.add_option("--timeout", line.compare.worker_timeout_seconds,
                 "Seconds that a worker may take over one request, and the reference over its run")
      ->type_name("S")
      ->capture_default_str()
      ->check(positive_time());
  app.add_option("--prebuilt", raw.prebuilt, "Load this file instead of compiling")
      ->type_name("ROW=FILE")
      ->allow_extra_args(false);
  add_python(app, line, raw);
  app.add_flag("--no-color", line.no_color, "No colour, as with NO_COLOR set");
}

std::pair<std::string, std::string> key_and_value(const std::string& text, const std::string& option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError(option + ": `" + text + "` has not the form " +
                     (option == "--value"    ? "NAME=N"
                      : option == "--python" ? "ROW=PATH"
                                             : "NAME=FILE"));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void check_device(const std::string& device) {
  const bool number = !device.empty() && device.find_first_not_of("0123456789") == std::string::npos;
  if (!device.empty() && device != "gpu" && device != "cpu" && !(number && device.size() < 6))
    throw UsageError("--device: `" + device + "` is not gpu, cpu or a device's number");
}

/// "clang, nvrtc" was split at its comma; what is around the names does not count.
std::vector<std::string> names_in(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    names.push_back(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
  }
  return names;
}

}  // namespace

void add_compare(CLI::App& app, CommandLine& line, RawTexts& raw) {
  app.footer(kCompareExamples);
  add_case_options(app, line, raw);
  app.add_option("--n", raw.n, "The value n of the case: 4194915, 4M (K M G: powers of 1024), 2^28")
      ->type_name("N");
  CLI::Option* samples =
      app.add_option("--samples", line.compare.settings.samples, "Fresh processes per row and pass")
          ->type_name("N")
          ->capture_default_str()
          ->check(positive());
  app.add_flag("--quick", raw.quick, "The same as --samples 1");
  app.add_flag("--thorough", raw.thorough, "The same as --samples 10");
  app.callback([&raw, samples] {
    if (int{raw.quick} + int{raw.thorough} + (samples->count() > 0 ? 1 : 0) > 1)
      throw UsageError("--quick, --thorough and --samples exclude one another");
  });
  app.add_flag("--cold-l2", line.compare.settings.cold_l2,
               "Time each row with the device's L2 cache overwritten before every launch too");
  app.add_flag("--timeline", line.compare.timeline, "Draw when each row imported, compiled and launched");
  app.add_flag("--first-boot", line.compare.first_boot,
               "Show the rehearsal's build beside the cold one: it includes the disk");
}

void add_sweep(CLI::App& app, CommandLine& line, RawTexts& raw) {
  app.footer(kSweepExamples);
  app.callback([&line] { line.command = Command::sweep; });
  add_case_options(app, line, raw);
  app.add_option("--n", raw.sweep_n, "Sizes from ... to, by powers of two")
      ->type_name("LOW..HIGH")
      ->capture_default_str();
  app.add_option("--points", raw.points, "So many sizes instead, evenly spaced on a logarithmic scale")
      ->type_name("N")
      ->check(CLI::Range(2, 1000).description(""));
}

void take_compare(CommandLine& line, const RawTexts& raw) {
  compare::CompareOptions& options = line.compare;
  options.case_file = raw.case_file;
  if (const auto extension = options.case_file.extension(); extension == ".cu" || extension == ".cuh")
    throw UsageError("`" + raw.case_file + "` is a kernel's source, not a case",
                     "tare init " + compare::shell_quoted(raw.case_file) + " writes a first case for it");
  options.rows = names_in(raw.rows);
  check_device(raw.device);
  options.device = raw.device;
  options.settings.fp = raw.fp;
  options.json = raw.json;
  if (raw.quick) options.settings.samples = 1;
  if (raw.thorough) options.settings.samples = 10;
  if (!raw.n.empty()) {
    const std::int64_t n = parse_count(raw.n, "--n");
    if (n < 0) throw UsageError("--n: `" + raw.n + "` is below 0", "a size: 4194915, 4M or 2^28");
    options.overrides.values["n"] = n;
  }
  for (const std::string& text : raw.values) {
    const auto [name, value] = key_and_value(text, "--value");
    options.overrides.values[name] = parse_count(value, "--value " + name);
  }
  if (!raw.threads.empty()) options.overrides.block = parse_block(raw.threads);
  for (const std::string& text : raw.prebuilt) {
    const auto [row, file] = key_and_value(text, "--prebuilt");
    options.prebuilt[row] = compare::without_tilde(file);
  }
  for (const std::string& text : raw.python) {
    const auto [row, path] = key_and_value(text, "--python");
    options.python[row] = compare::without_tilde(path);
  }
}

}  // namespace tare::cli
