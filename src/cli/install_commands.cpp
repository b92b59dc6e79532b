// `tare rows install` and `tare rows download`: says what goes on, and how each environment ended.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "compare/python/install.hpp"
#include "compare/report/text.hpp"

namespace tare::cli {
namespace {

using compare::InstallOutcome;
using State = InstallOutcome::State;

// On a terminal one line that is rewritten; elsewhere a line for each step.
class InstallReport : public compare::InstallProgress {
 public:
  explicit InstallReport(const char* done) : done_(done) {}

  void step(int done, int total, const std::string& what) override {
    at_ = done;
    total_ = total;
    what_ = what;
    if (isatty(STDERR_FILENO) == 1) return progress_.step(done, total, what);
    std::printf("%s\n", what.c_str());
    std::fflush(stdout);
  }

  void line(const std::string& text) override {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin != std::string::npos) progress_.step(at_, total_, what_ + ": " + text.substr(begin));
  }

  void finished(const InstallOutcome& outcome) override {
    progress_.clear();
    if (outcome.state == State::failed) return failed(outcome);
    const char* const state = outcome.state == State::installed       ? done_
                              : outcome.state == State::already_there ? "there already"
                                                                      : "left out";
    std::printf("%-11s %-14s %s\n", outcome.environment.c_str(), state,
                outcome.state == State::left_out ? outcome.reason.c_str() : outcome.directory.c_str());
    if (!outcome.contents.empty())
      std::printf("%27s%s\n", "",
                  compare::wrapped(outcome.contents, width_of(STDOUT_FILENO), 27, 27).c_str());
    if (!outcome.note.empty())
      std::printf("%27s%s\n", "", compare::wrapped(outcome.note, width_of(STDOUT_FILENO), 27, 27).c_str());
    std::fflush(stdout);
  }

 private:
  static void failed(const InstallOutcome& outcome) {
    std::fflush(stdout);
    std::fprintf(stderr, "tare: %s: %s\n%s", outcome.environment.c_str(), outcome.reason.c_str(),
                 compare::indented(outcome.detail, 4).c_str());
    if (!outcome.hint.empty()) std::fprintf(stderr, "  hint: %s\n", outcome.hint.c_str());
  }

  const char* done_;
  ProgressLine progress_;
  int at_ = 0, total_ = 0;
  std::string what_;
};

int exit_code_of(const std::vector<InstallOutcome>& outcomes) {
  for (const InstallOutcome& outcome : outcomes)
    if (outcome.state == State::failed) return compare::kWrongOrFailed;
  return compare::kAllMatched;
}

}  // namespace

int rows_install_command(const CommandLine& line) {
  InstallReport report("installed");
  return exit_code_of(compare::install_environments(line.install, report));
}

int rows_download_command(const CommandLine& line) {
  InstallReport report("downloaded");
  const auto outcomes = compare::download_packages(line.download, report);
  std::string names;
  for (const InstallOutcome& outcome : outcomes)
    if (outcome.state == State::installed) names += " " + outcome.environment;
  if (!names.empty())
    std::printf("there, with this folder: tare rows install%s%s --wheelhouse %s --offline\n", names.c_str(),
                line.download.cuda != 0 ? fmt::format(" --cuda {}", line.download.cuda).c_str() : "",
                compare::shell_quoted(line.download.directory.string()).c_str());
  return exit_code_of(outcomes);
}

}  // namespace tare::cli
