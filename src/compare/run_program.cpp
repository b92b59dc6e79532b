// A child that is only waited for.
#include "compare/run_program.hpp"

#include <fmt/format.h>

#include <utility>

namespace tare::compare {

Finished run_program(const Child::Settings& settings, Guard& guard, const Interrupts& interrupts,
                     std::chrono::duration<double> limit,
                     const std::function<void(const std::string&)>& line) {
  Child::Settings plain = settings;
  plain.exchanges_lines = false;
  Child child(plain, guard, interrupts);
  const auto deadline = Child::Clock::now() + std::chrono::duration_cast<Child::Clock::duration>(limit);
  std::uint64_t seen_output = 0, seen_errors = 0;
  while (!child.ended() && Child::Clock::now() < deadline) {
    child.pump(deadline);
    if (!line) continue;
    for (const auto& [tail, seen] : {std::pair(&child.standard_output(), &seen_output),
                                     std::pair(&child.standard_error(), &seen_errors)})
      if (std::exchange(*seen, tail->total_bytes()) != tail->total_bytes()) line(tail->last_lines(1));
  }
  const auto ending = child.ended();
  child.kill_group();
  child.drain();
  Finished finished;
  finished.output = child.standard_output();
  finished.errors = child.standard_error();
  if (!ending)
    finished.failed = fmt::format("did not end within {:.0f} s", limit.count());
  else if (ending->signalled || ending->code != 0)
    finished.failed = ending->text();
  return finished;
}

}  // namespace tare::compare
