// The host's floating-point environment: whatever a program has set (a rounding mode, flushing to zero) stays
// its own. A new thread inherits it from the thread that starts it, and reading a number in a text goes by
// it.
#pragma once

#include <cfenv>

namespace tare::cpu {

/// Rounding to nearest and no flushing, until the end of the scope.
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatingPoint() { std::fesetenv(&before_); }
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;

 private:
  std::fenv_t before_{};
};

}  // namespace tare::cpu
