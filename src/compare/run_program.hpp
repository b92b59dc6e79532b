// Runs another program to its end as a child of its own group: no shell, its output kept, killed with all
// that it started when the time is up or a signal comes.
#pragma once

#include <functional>
#include <string>

#include "compare/child.hpp"

namespace tare::compare {

struct Finished {
  std::string failed;  // why it did not succeed: "exited with code 1", "did not end within 20 s"; else empty
  Tail output, errors;
};

/// Blocks until it has ended. `line` is called, if given, with the last line that it printed, whenever there
/// is a new one. Throws tare::Error where it cannot be started, and Interrupted.
Finished run_program(const Child::Settings& settings, Guard& guard, const Interrupts& interrupts,
                     std::chrono::duration<double> limit,
                     const std::function<void(const std::string&)>& line = {});

}  // namespace tare::compare
