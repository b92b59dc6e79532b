// Parsing with CLI11: the one file that includes it. Its error messages are replaced by ours, which name
// the nearest option.
#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <sstream>

#include "cli/version.hpp"
#include "compare/case/complaint.hpp"
#include "compare/python/interpreter.hpp"
#include "compare/sweep.hpp"

namespace tare::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  tare compare                        the built-in vector add, in every way that runs here
  tare compare --rows nvrtc,raw       two rows only
  tare compare my.toml --json run.json
  tare rows                           what can run here, and why the rest cannot
  tare init my.cu                     a first my.toml from the kernel's signature
  tare with-cpu -- ./program          run a program that uses CUDA's driver API, without a GPU

Each command has its own --help.
)";
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

Exit codes: 0 every row that ran matched; 1 a row was wrong or failed; 2 usage or a bad case;
3 no row ran; 130 interrupted.
)";
constexpr const char* kRowsExamples = R"(
Examples:
  tare rows
  tare rows --device cpu                    as if there were no GPU
  tare rows install cupy numba              their Python environments (tare rows install --help)
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
constexpr const char* kInstallExamples = R"(
Each environment holds exactly the versions that the row's file names, below TARE_DATA_DIR (default:
XDG_DATA_HOME/tare, else HOME/.local/share/tare). uv is used if it is found, else pip; the settings of
either apply. What is there already is left as it is.

Examples:
  tare rows install                         every Python row that can run here
  tare rows install cupy numba --cuda 12    libraries for CUDA 12
  tare rows install pycuda --python python3.12
  tare rows install --wheelhouse wheels --offline    with what tare rows download has fetched

Exit codes: 0 all are there; 1 one could not be installed; 2 usage; 130 interrupted.
)";
constexpr const char* kDownloadExamples = R"(
Examples:
  tare rows download --dir wheels --python 3.12 --cuda 13
  tare rows download cupy --dir wheels --machine aarch64
)";
constexpr const char* kInitExamples = R"(
Examples:
  tare init my.cu                           writes my.toml beside it; never overwrites
  tare init my.cu --kernel saxpy -o cases/saxpy.toml
  tare init my.cu -o -                      to standard output
)";
constexpr const char* kWithCpuExamples = R"(
The program finds the CPU device where it looks for NVIDIA's driver, libcuda.so.1. It has to use the CUDA
driver API: NVIDIA's runtime library (cudart), and with it CuPy and programs of nvcc's, need a GPU.
docs/with-cpu.md says more.

Examples:
  tare with-cpu -- ./program --its options
  tare with-cpu --devices 2 -- ./program                  two devices on the same cores
  tare with-cpu --ptx-only -- python with_numba.py        Numba and PyCUDA make machine code otherwise
  tare with-cpu --quiet -- gdb --args ./program

Exit codes: the program's own; 2 usage; 3 no CPU device; 126 the program cannot be run; 127 it was not found.
)";
constexpr const char* kCacheExamples = R"(
Examples:
  tare cache stats                          what is kept, and how often it was found
  tare cache clear                          remove what is kept
  tare cache explain my.cu --kernel saxpy --arch sm_90    why a look-up would miss
)";
constexpr const char* kCacheStatsExamples = R"(
Examples:
  tare cache stats
  tare cache stats --dir /mnt/scratch/tare
)";
constexpr const char* kCacheClearExamples = R"(
Examples:
  tare cache clear
  tare cache clear --dir /mnt/scratch/tare
)";
constexpr const char* kCacheExplainExamples = R"(
Examples:
  tare cache explain my.cu --kernel saxpy --arch sm_90
  tare cache explain my.cu --compiler nvcc -D BLOCK=128 -I include
)";
constexpr const char* kDoctorExamples = R"(
Examples:
  tare doctor                               the driver and every compiler, and where each was looked for
  tare doctor --device cpu                  as if there were no GPU

Exit codes: 0 a driver can be used; 3 none can.
)";

/// Texts that are turned into numbers after CLI11 is done, so that the messages are ours.
struct RawTexts {
  std::string n, threads, device, fp = "default", timeout;
  std::vector<std::string> rows, values, prebuilt, python;
  bool quick = false, thorough = false;
  std::string case_file, json;
  std::string init_cu, init_output, cache_directory, cache_source;
  std::vector<std::string> include_dirs;
  std::string wheelhouse, download_directory;
  std::string sweep_n = "1K..64M";
  int points = 0;
};

void add_device(CLI::App& app, RawTexts& raw) {
  app.add_option("--device", raw.device,
                 "gpu, cpu, or a device's number (default: a GPU if there is one, else the CPU device)")
      ->type_name("DEVICE");
}

void add_python(CLI::App& app, CommandLine& line, RawTexts& raw) {
  app.add_option("--python", raw.python,
                 "Start the row's workers with this interpreter, or that of this environment's folder")
      ->type_name("ROW=PATH")
      ->allow_extra_args(false);
  app.add_option(
         "--cuda", line.compare.cuda,
         "Take Python environments installed for this CUDA (default: the newest that the driver runs)")
      ->type_name("12|13")
      ->check(CLI::IsMember({12, 13}).description(""));
}

void add_cuda(CLI::App& app, int& cuda) {
  app.add_option("--cuda", cuda, "CUDA major version of the libraries (default: what suits the driver)")
      ->type_name("12|13")
      ->check(CLI::IsMember({12, 13}).description(""));
}

void add_install(CLI::App& rows, CommandLine& line, RawTexts& raw) {
  CLI::App* install = rows.add_subcommand("install", "Make the Python environments of rows");
  CLI::App* download =
      rows.add_subcommand("download", "Fetch the packages for a machine that has no network");
  install->footer(kInstallExamples);
  install->callback([&line] { line.command = Command::rows_install; });
  install->add_option("rows", line.install.rows, "Rows (default: all that can run here)")->type_name("ROW");
  add_cuda(*install, line.install.cuda);
  install->add_option("--python", line.install.interpreter, "The interpreter to make environments from")
      ->type_name("PATH");
  install->add_option("--wheelhouse", raw.wheelhouse, "A folder of packages to look in first")
      ->type_name("DIR");
  install->add_flag("--offline", line.install.offline, "Ask no package index");
  add_device(*install, raw);
  download->footer(kDownloadExamples);
  download->callback([&line] { line.command = Command::rows_download; });
  download->add_option("rows", line.download.rows, "Rows (default: all)")->type_name("ROW");
  download->add_option("--dir", raw.download_directory, "Where to put the packages")
      ->type_name("DIR")
      ->required();
  download->add_option("--python", line.download.version, "Version of the Python there (default: as here)")
      ->type_name("3.N");
  add_cuda(*download, line.download.cuda);
  download->add_option("--machine", line.download.machine, "Processor there (default: as here)")
      ->type_name("x86_64|aarch64")
      ->check(CLI::IsMember({"x86_64", "aarch64"}).description(""));
  download->add_option("--with", line.download.interpreter, "The interpreter whose pip fetches them")
      ->type_name("PATH");
  add_device(*download, raw);
}

/// Checks that do not repeat themselves in the help text.
CLI::Validator at_least(double least, const std::string& what) {
  return CLI::Validator(
      [least, what](const std::string& text) {
        std::istringstream stream(text);
        double number = 0;
        const bool is_number = stream >> number && (stream >> std::ws).eof();
        return is_number && number >= least ? "" : "`" + text + "` is not " + what;
      },
      "");
}
CLI::Validator positive() {
  return at_least(1, "a whole number from 1 upwards");
}
CLI::Validator positive_time() {
  return at_least(std::numeric_limits<double>::min(), "a number of seconds above 0");
}
CLI::Validator not_negative() {
  return at_least(0, "a whole number from 0 upwards");
}
CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::IsMember(words).description("");
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

void add_cache(CLI::App& app, CommandLine& line, RawTexts& raw) {
  app.footer(kCacheExamples);
  app.require_subcommand(1);
  CLI::App* stats = app.add_subcommand("stats", "What is kept, and how often it was found");
  CLI::App* clear = app.add_subcommand("clear", "Remove what is kept");
  CLI::App* explain = app.add_subcommand("explain", "Why a look-up would miss");
  for (CLI::App* each : {stats, clear, explain})
    each->add_option("--dir", raw.cache_directory,
                     "The cache's directory (default: TARE_CACHE_DIR, else XDG_CACHE_HOME/tare, else "
                     "HOME/.cache/tare)")
        ->type_name("DIR");
  stats->footer(kCacheStatsExamples);
  clear->footer(kCacheClearExamples);
  explain->footer(kCacheExplainExamples);
  stats->callback([&line] { line.command = Command::cache_stats; });
  clear->callback([&line] { line.command = Command::cache_clear; });
  explain->callback([&line] { line.command = Command::cache_explain; });
  explain->add_option("source", raw.cache_source, "The CUDA C++ source")->type_name("FILE.cu")->required();
  explain
      ->add_option("--kernel", line.cache.kernel, "The kernel's name, as given to RawKernel or SourceModule")
      ->type_name("NAME");
  explain->add_option("--compiler", line.cache.compiler, "nvrtc (RawKernel) or nvcc (SourceModule)")
      ->capture_default_str()
      ->type_name("NAME")
      ->check(one_of({"nvrtc", "nvcc"}));
  explain->add_option("--arch", line.cache.arch, "The architecture, like sm_90 (default: the device's)")
      ->type_name("ARCH");
  explain->add_option("--fp", line.cache.fp, "default or strict")
      ->capture_default_str()
      ->type_name("NAME")
      ->check(one_of({"default", "strict"}));
  explain->add_option("-D,--define", line.cache.defines, "NAME or NAME=VALUE")
      ->type_name("MACRO")
      ->allow_extra_args(false);
  explain->add_option("-I,--include-dir", raw.include_dirs, "A folder of headers")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

void add_with_cpu(CLI::App& app, CommandLine& line) {
  WithCpuOptions& options = line.with_cpu;
  app.footer(kWithCpuExamples);
  app.callback([&line] { line.command = Command::with_cpu; });
  app.add_option("--devices", options.devices, "How many devices there are (TARE_CPU_DEVICES; default: 1)")
      ->type_name("N")
      ->check(positive());
  app.add_option("--cc", options.compute_capability, "Their compute capability (TARE_CPU_CC; default: 9.0)")
      ->type_name("X.Y");
  app.add_option("--threads", options.threads,
                 "Cores that they use (TARE_CPU_THREADS; default: all that the process may)")
      ->type_name("N")
      ->check(positive());
  app.add_flag("--ptx-only", options.ptx_only,
               "Keep compilers from making machine code: nvcc -cubin gives PTX, nvJitLink is not found");
  app.add_flag("-q,--quiet", options.quiet, "Do not say that this is no GPU");
}

/// The words after the first `--` of `tare with-cpu`, which are taken away: they are nobody else's.
std::vector<std::string> take_program(std::vector<std::string>& words) {
  if (words.empty() || words.front() != "with-cpu") return {};
  const auto mark = std::find(words.begin(), words.end(), "--");
  if (mark == words.end()) return {};
  std::vector<std::string> program(mark + 1, words.end());
  words.erase(mark, words.end());
  return program;
}

void check_with_cpu(const WithCpuOptions& options) {
  if (options.command.empty() || options.command.front().empty())
    throw UsageError("which program? Its name goes after `--`", "tare with-cpu -- ./program");
  const std::string& cc = options.compute_capability;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool good = (cc.size() == 3 && digit(cc[0]) && cc[1] == '.' && digit(cc[2])) ||
                    (cc.size() == 4 && digit(cc[0]) && digit(cc[1]) && cc[2] == '.' && digit(cc[3]));
  if (!cc.empty() && !good) throw UsageError("--cc: `" + cc + "` is not a compute capability like 8.0");
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

void take_install(CommandLine& line, const RawTexts& raw) {
  line.install.wheelhouse = raw.wheelhouse;
  line.install.device = line.download.device = raw.device;
  line.download.directory = raw.download_directory;
  const std::string& version = line.download.version;
  if (!version.empty() &&
      (!version.starts_with("3.") || version.find_first_not_of("0123456789", 2) != std::string::npos ||
       version.size() < 3))
    throw UsageError("--python: `" + version + "` is not a version like 3.12");
}

/// The deepest command that was named.
const CLI::App& chosen(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : chosen(*commands.front());
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? "tare" : full_name(*app.get_parent()) + " " + app.get_name();
}

/// "tare compare": another command that has this option; empty where none does.
std::string other_owner(const CLI::App& app, const CLI::App& command, const std::string& option) {
  for (const CLI::App* each : app.get_subcommands(nullptr)) {
    if (each != &command && each->get_option_no_throw(option) != nullptr) return full_name(*each);
    if (const std::string below = other_owner(*each, command, option); !below.empty()) return below;
  }
  return {};
}

/// Where an argument was left over: an option or a command that there is not, or one word too many.
[[noreturn]] void refuse_extra(const CLI::App& app) {
  const CLI::App& command = chosen(app);
  const std::string see = full_name(command) + " --help shows what there is";
  const std::vector<std::string> left = app.remaining(true);
  const std::string extra = left.empty() ? "" : left.front().substr(0, left.front().find('='));
  std::vector<std::string> known;
  if (extra.starts_with('-')) {
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    if (const std::string owner = other_owner(app, command, extra); !owner.empty())
      throw UsageError("`" + extra + "` is an option of " + owner + ", not of " + full_name(command), see);
    throw UsageError(compare::unknown("option", extra, known), see);
  }
  for (const CLI::App* each : command.get_subcommands(nullptr))
    if (!each->get_group().empty()) known.push_back(each->get_name());
  if (!known.empty()) throw UsageError(compare::unknown("command", extra, known), see);
  if (command.get_name() == "with-cpu")
    throw UsageError("the program goes after `--`", "tare with-cpu -- " + compare::shell_quoted(extra));
  throw UsageError("`" + extra + "` is one argument too many", see);
}

std::string help_text(const CLI::App& app) {
  std::string text = app.help(app.get_parent() == nullptr ? "" : full_name(*app.get_parent()));
  const std::string options = "with-cpu [OPTIONS]";  // take_program() has what CLI11 never sees
  if (const std::size_t at = text.find(options); app.get_name() == "with-cpu" && at != std::string::npos)
    text.insert(at + options.size(), " -- PROGRAM [ARGUMENTS...]");
  return text;
}

/// Where a command was left out.
[[noreturn]] void ask_for_command(const CLI::App& app) {
  std::string list;
  for (const CLI::App* each : app.get_subcommands(nullptr))
    list += (list.empty() ? "" : ", ") + each->get_name();
  throw UsageError("which command? " + full_name(app) + " has " + list,
                   full_name(app) + " --help shows what they do");
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  RawTexts raw;
  CLI::App app(
      "Weighs a GPU kernel without its wrapper: one kernel, every way to launch it, on one set of buffers.",
      "tare");
  app.footer(kExamples);
  app.set_version_flag("--version", version_text(), "What this program is and how it was built");
  app.require_subcommand(1);
  CLI::App* compare =
      app.add_subcommand("compare", "Run one kernel in every way there is, check and weigh each");
  CLI::App* sweep = app.add_subcommand("sweep", "Run the rows over sizes: cost per call, cost per byte");
  CLI::App* rows = app.add_subcommand("rows", "List the ways to launch, and whether each can run here");
  CLI::App* init = app.add_subcommand("init", "Write a first case for a kernel of your own");
  CLI::App* cache = app.add_subcommand("cache", "Look into the cache of compiled programs");
  CLI::App* with_cpu =
      app.add_subcommand("with-cpu", "Run a program that uses CUDA's driver API without a GPU");
  CLI::App* doctor = app.add_subcommand("doctor", "Say what was found here: driver, device, compilers");
  add_compare(*compare, line, raw);
  add_sweep(*sweep, line, raw);
  rows->footer(kRowsExamples);
  rows->callback([&line, rows] {
    if (rows->get_subcommands().empty()) line.command = Command::rows;
  });
  init->callback([&line] { line.command = Command::init; });
  doctor->callback([&line] { line.command = Command::doctor; });
  for (CLI::App* each : {rows, doctor}) {
    add_device(*each, raw);
    each->add_flag("--no-color", line.no_color, "No colour, as with NO_COLOR set");
  }
  add_python(*rows, line, raw);
  add_install(*rows, line, raw);
  rows->add_flag("--json", line.rows_json, "Print a JSON array instead");
  doctor->footer(kDoctorExamples);
  init->footer(kInitExamples);
  init->add_option("source", raw.init_cu, "The .cu file with the kernel")->type_name("FILE.cu")->required();
  init->add_option("--kernel", line.init.kernel, "Which kernel, where there are several")->type_name("NAME");
  init->add_option("-o,--output", raw.init_output,
                   "Where to write (default: beside the source, as .toml; -: standard output)")
      ->type_name("FILE");
  add_cache(*cache, line, raw);
  add_with_cpu(*with_cpu, line);

  // `tare help cache stats` is `tare cache stats --help`.
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  line.with_cpu.command = take_program(words);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them

  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    line.answer = help_text(chosen(app));
    return line;
  } catch (const CLI::CallForVersion&) {
    line.answer = version_text() + '\n';
    return line;
  } catch (const CLI::ExtrasError&) {
    refuse_extra(app);
  } catch (const CLI::ParseError& error) {
    if (!app.remaining(true).empty()) refuse_extra(app);
    if (!chosen(app).get_subcommands(nullptr).empty()) ask_for_command(chosen(app));
    throw UsageError(first_line(error.what()), full_name(chosen(app)) + " --help shows what there is");
  }
  if (line.command == Command::with_cpu) check_with_cpu(line.with_cpu);
  take_compare(line, raw);
  if (line.command == Command::sweep) {
    const auto [low, high] = parse_range(raw.sweep_n, "--n");
    line.sizes = compare::sweep_sizes(low, high, raw.points);
  }
  take_install(line, raw);
  line.init.cu = raw.init_cu;
  line.init.output = raw.init_output;
  line.cache.directory = raw.cache_directory;
  line.cache.source = raw.cache_source;
  line.cache.include_dirs.assign(raw.include_dirs.begin(), raw.include_dirs.end());
  return line;
}

}  // namespace tare::cli
