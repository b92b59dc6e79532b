// PrimaryContext::Scope for destructors: makes a context current without ever throwing.
#pragma once

#include "driver/loader.hpp"

namespace tare::detail {

class QuietScope {
 public:
  explicit QuietScope(cu::Context context) noexcept
      : pushed_(driver_table.context_push(context) == cu::Result::success) {}
  ~QuietScope() {
    cu::Context popped = nullptr;
    if (pushed_) driver_table.context_pop(&popped);
  }
  QuietScope(const QuietScope&) = delete;
  QuietScope& operator=(const QuietScope&) = delete;

 private:
  bool pushed_;
};

}  // namespace tare::detail
