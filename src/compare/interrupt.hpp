// SIGINT, SIGTERM and SIGHUP while a comparison runs: the handler only notes the signal, and the flow
// leaves at its next step, so that workers and their directory are always cleared away.
#pragma once

namespace tare::compare {

/// While alive, those three signals are noted instead of ending the process (one that was ignored before
/// stays ignored), and SIGPIPE is ignored. One at a time per process.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Readable once a signal has come: for poll().
  int descriptor() const noexcept;
  /// Throws Interrupted (options.hpp) if a signal has come.
  void check() const;
};

}  // namespace tare::compare
