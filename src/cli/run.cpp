// From the command line to an exit code: 0 all matched, 1 wrong or failed, 2 usage or a bad case, 3 no row
// ran, 128 and the signal's number where one ended the run.
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

int run_command(int argc, char** argv) {
  const CommandLine line = parse_command_line(argc, argv);
  if (!line.answer) return dispatch(line);
  std::fputs(line.answer->c_str(), stdout);
  return 0;
}

}  // namespace

int run(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return compare::worker_main(argc, argv);
  int code = 0;
  try {
    code = run_command(argc, argv);
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
    code = complain(code_of(error.kind()), error.what(), error.hint());
  } catch (const std::exception& error) {
    code = complain(compare::kNothingRan, error.what());
  }
  // A full disk shows only now; a reader that has gone (`| head`) is no failure of ours.
  if (std::fflush(stdout) != 0 && errno != EPIPE && code == 0)
    code = complain(compare::kWrongOrFailed,
                    std::string("cannot write to standard output: ") + std::strerror(errno));
  return code;
}

}  // namespace tare::cli
