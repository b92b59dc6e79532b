// Parsing with CLI11. Its error messages are replaced by ours, which name the nearest option. The options of
// the larger commands are in files of their own (options.hpp).
#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <regex>
#include <sstream>

#include "cli/options.hpp"
#include "cli/version.hpp"
#include "compare/case/complaint.hpp"
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
constexpr const char* kDoctorExamples = R"(
Examples:
  tare doctor                               the driver and every compiler, and where each was looked for
  tare doctor --device cpu                  as if there were no GPU

Exit codes: 0 a driver can be used; 3 none can.
)";

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
  app.add_flag("-q,--quiet", options.quiet,
               "Say neither that this is no GPU, nor what the CPU device refuses and where a kernel failed");
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
  static const std::regex known(
      "(5[.][023]|6[.][012]|7[.][025]|8[.][0679]|9[.]0|10[.][03]|11[.]0|12[.][01])");
  if (!cc.empty() && !std::regex_match(cc, known))
    throw UsageError("--cc: `" + cc + "` is not the compute capability of a GPU from 5.0 to 12.1",
                     "tare with-cpu --cc 8.0 -- ./program");
  constexpr int kMostDevices = 64, kMostThreads = 1024;  // what TARE_CPU_DEVICES and TARE_CPU_THREADS take
  const auto at_most = [](const std::string& option, int given, int most) {
    if (given > most)
      throw UsageError(option + ": `" + std::to_string(given) + "` is more than the CPU device takes",
                       "at most " + std::to_string(most));
  };
  at_most("--devices", options.devices, kMostDevices);
  at_most("--threads", options.threads, kMostThreads);
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

/// "; did you mean `--devices`?" for an option that is one letter away from one of `known`.
std::string nearly(const std::string& option, const std::vector<std::string>& known) {
  for (const std::string& each : known)
    if (compare::edit_distance(option, each) == 1) return "; did you mean `" + each + "`?";
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
      throw UsageError("`" + extra + "` is an option of " + owner + ", not of " + full_name(command) +
                           nearly(extra, known),
                       see);
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
CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::IsMember(words).description("");
}

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
  init->callback([&line] { line.command = Command::init; });
  doctor->callback([&line] { line.command = Command::doctor; });
  for (CLI::App* each : {rows, doctor}) {
    add_device(*each, raw);
    each->add_flag("--no-color", line.no_color, "No colour, as with NO_COLOR set");
  }
  add_rows(*rows, line, raw);
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
