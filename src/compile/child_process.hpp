// Runs another program to its end: no shell, output captured, and nothing of it left running afterwards.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tare::detail {

struct ChildRequest {
  std::vector<std::string> argv;                   // argv[0] is the program's path; PATH is not searched
  std::filesystem::path directory;                 // working directory; empty: the caller's
  std::map<std::string, std::string> environment;  // added to the caller's own, or in place of it
  std::chrono::milliseconds timeout{120'000};
  int stop_descriptor = -1;  // the program is ended as soon as this is readable; -1: nothing stops it
  std::size_t output_cap = 4u << 20;  // bytes kept per stream; the rest is read and dropped
};

struct ChildResult {
  int exit_status = -1;  // of exit(); -1 where it did not end that way
  int signal = 0;        // that ended it; 0 for none
  bool timed_out = false;
  bool stopped = false;                // by stop_descriptor
  std::chrono::milliseconds limit{0};  // the request's timeout
  std::string output, errors;          // stdout and stderr
  double wall_ms = 0;

  bool ok() const noexcept { return exit_status == 0; }
  /// "exited with status 1", "was killed by signal 9 (Killed)", "did not finish within 120 s".
  std::string how_it_ended() const;
};

/// Blocks until the program has ended. It gets a process group of its own, stdin from /dev/null and no
/// other descriptor of ours. The whole group is killed when the time is up, when the stop descriptor becomes
/// readable, when this call leaves by an exception, and when the calling process dies in whatever way.
/// Throws Error(io) if it cannot be started.
ChildResult run_child(const ChildRequest& request);

}  // namespace tare::detail
