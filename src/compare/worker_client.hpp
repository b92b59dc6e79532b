// The owner's end of the worker protocol: asks, waits no longer than it may, and turns everything that can
// go wrong in a worker into one line that says so.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

#include "compare/child.hpp"
#include "compare/protocol.hpp"

namespace tare::compare {

/// A worker that did not do its part. what() is one line.
class WorkerFailure : public std::runtime_error {
 public:
  WorkerFailure(const std::string& reason, std::string detail = {}, std::string kind = {})
      : std::runtime_error(reason), detail_(std::move(detail)), kind_(std::move(kind)) {}
  /// The compiler's log, a hint, the last lines of stderr.
  const std::string& detail() const noexcept { return detail_; }
  /// ReplyError::kind where the worker itself answered with an error, else empty.
  const std::string& kind() const noexcept { return kind_; }

 private:
  std::string detail_, kind_;
};

class WorkerClient {
 public:
  /// Starts the worker. Throws WorkerFailure where that cannot be done.
  WorkerClient(const Child::Settings& settings, Guard& guard, const Interrupts& interrupts,
               std::chrono::duration<double> limit);

  /// CLOCK_MONOTONIC in nanoseconds, just before the process was started, and time since.
  std::uint64_t spawned_ns() const noexcept { return spawned_ns_; }
  double milliseconds_since_spawn() const;

  /// Sends one request and waits for its reply. Throws WorkerFailure, Interrupted.
  Reply ask(const Request& request);
  Reply ask(RequestKind kind);
  /// Asks it to end and waits a little; what is left of it is killed. Never throws WorkerFailure.
  void close();

  /// Last lines of what it printed so far.
  std::string stderr_tail() const { return child_.standard_error().last_lines(10); }

 private:
  [[noreturn]] void fail(const std::string& what);
  std::string take_reply(std::string_view request);
  std::uint64_t spawned_ns_;
  Child child_;
  std::chrono::duration<double> limit_;
};

}  // namespace tare::compare
