// Signals become a byte in a pipe that the flow polls together with its workers.
#include "compare/interrupt.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "compare/options.hpp"

namespace tare::compare {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

// A handler has no argument of its own, so what it writes to has to be static.
std::atomic<int> noted_signal{0};
int pipe_ends[2] = {-1, -1};
std::array<struct sigaction, kSignals.size()> previous;

void note(int signal) {
  const int saved = errno;
  noted_signal = signal;
  [[maybe_unused]] const ssize_t written = write(pipe_ends[1], "", 1);
  errno = saved;
}

}  // namespace

Interrupts::Interrupts() {
  noted_signal = 0;
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(ErrorKind::io, "cannot make a pipe for signals", "close some files: ulimit -n");
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = kSignals[i] == SIGPIPE ? SIG_IGN : note;
    sigaction(kSignals[i], &action, &previous[i]);
    if (previous[i].sa_handler == SIG_IGN) sigaction(kSignals[i], &previous[i], nullptr);
  }
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous[i], nullptr);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

int Interrupts::descriptor() const noexcept {
  return pipe_ends[0];
}

void Interrupts::check() const {
  if (const int signal = noted_signal) throw Interrupted(signal);
}

}  // namespace tare::compare
