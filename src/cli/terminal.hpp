// The terminal, if there is one: colour, width, and a line of progress that leaves nothing behind.
#pragma once

#include <string>

#include "compare/options.hpp"

namespace tare::cli {

/// Whether to paint what goes to `descriptor`: a terminal, NO_COLOR unset or empty, TERM not "dumb".
bool colour_wanted(int descriptor);

/// Whether the locale (LC_ALL, LC_CTYPE or LANG, the first that is set) is one of UTF-8.
bool utf8_wanted();

/// Columns of the terminal behind `descriptor`; 140 where there is none.
unsigned width_of(int descriptor);

/// One line on standard error, rewritten at each step and cleared at the end; nothing at all where
/// standard error is no terminal.
class ProgressLine : public compare::Progress {
 public:
  ProgressLine();
  ~ProgressLine() override { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void step(int done, int total, const std::string& what) override;
  void clear();

 private:
  bool shown_;
  bool written_ = false;
};

}  // namespace tare::cli
