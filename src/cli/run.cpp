// From the command line to an exit code: 0 all matched, 1 wrong or failed, 2 usage or a bad case, 3 no row
// ran, 128 and the signal's number where one ended the run.
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/commands.hpp"
#include "tare/error.hpp"

namespace tare::cli {
namespace {

int dispatch(const CommandLine& line) {
  switch (line.command) {
    case Command::compare:
      return compare_command(line);
    case Command::sweep:
      return sweep_command(line);
    case Command::rows:
      return rows_command(line);
    case Command::rows_install:
      return rows_install_command(line);
    case Command::rows_download:
      return rows_download_command(line);
    case Command::init:
      return init_command(line);
    case Command::with_cpu:
      return with_cpu_command(line);
    case Command::cache_stats:
      return cache_stats_command(line);
    case Command::cache_clear:
      return cache_clear_command(line);
    case Command::cache_explain:
      return cache_explain_command(line);
    case Command::doctor:
      break;
  }
  return doctor_command(line);
}

int complain(int code, const std::string& message, const std::string& hint = {}) {
  std::fflush(stdout);
  std::fprintf(stderr, "tare: %s\n", message.c_str());
  if (!hint.empty()) std::fprintf(stderr, "  hint: %s\n", hint.c_str());
  return code;
}

/// What the user can mend in the command is usage; everything else means that nothing could be run.
int code_of(ErrorKind kind) {
  const bool usage = kind == ErrorKind::argument || kind == ErrorKind::out_of_memory || kind == ErrorKind::io;
  return usage ? compare::kUsage : compare::kNothingRan;
}

/// The library speaks of its environment's variable where this program has an option.
std::string with_options(std::string hint) {
  const std::string variable = "TARE_DRIVER=cpu";
  if (const std::size_t at = hint.find(variable); at != std::string::npos)
    hint.replace(at, variable.size(), "--device cpu");
  return hint;
}

/// Whether standard output is a pipe that nobody reads any more.
bool reader_has_gone() {
  pollfd output{STDOUT_FILENO, 0, 0};
  const int before = errno;
  const bool gone = poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
  errno = before;
  return gone;
}

/// `prints_record`: what is written to standard output is for a program, and has to arrive.
int run_command(int argc, char** argv, bool& prints_record) {
  const CommandLine line = parse_command_line(argc, argv);
  prints_record = line.compare.json == "-";
  if (!line.answer) return dispatch(line);
  std::fputs(line.answer->c_str(), stdout);
  return 0;
}

}  // namespace

int run(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return compare::worker_main(argc, argv);
  int code = 0;
  bool prints_record = false;
  try {
    code = run_command(argc, argv, prints_record);
  } catch (const UsageError& error) {
    code = complain(compare::kUsage, error.what(), error.hint());
  } catch (const compare::CaseError& error) {
    code = complain(compare::kUsage, error.what());
  } catch (const compare::Interrupted& interrupted) {
    code = complain(128 + interrupted.signal(), "interrupted; nothing is left running");
  } catch (const CompileError& error) {
    code = complain(compare::kNothingRan, error.what(), error.hint());
    std::fputs(error.log().c_str(), stderr);
  } catch (const Error& error) {
    code = complain(code_of(error.kind()), error.what(), with_options(error.hint()));
  } catch (const std::exception& error) {
    code = complain(compare::kNothingRan, error.what());
  }
  // A full disk shows now, or was noted while a long text was written; a reader of a table that has gone
  // (`| head`) is no failure of ours.
  errno = 0;
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (failed && code == 0 && (prints_record || !reader_has_gone()))
    code = complain(compare::kWrongOrFailed, std::string("cannot write to standard output: ") +
                                                 (errno != 0 ? std::strerror(errno) : "some of it is lost"));
  return code;
}

}  // namespace tare::cli
