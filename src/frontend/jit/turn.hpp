// One thread at a time makes a kernel's specializations. It runs the user's lambda meanwhile, which may
// launch kernels itself; so who waits for whom is known, and a wait that could not end is refused.
#pragma once

#include <string>
#include <thread>

namespace tare::detail {

/// Whose turn it is at one kernel.
struct TurnHolder {
  std::thread::id thread;  // none: nobody's
};

/// The calling thread's turn while alive. Waits for that of another thread. Throws Error(argument) where the
/// calling thread has it already, or the thread that has it waits, directly or not, for the calling one.
class Turn {
 public:
  /// `kernel`: the kernel for the error, "the kernel `k` made at f.cpp:3".
  Turn(TurnHolder& holder, const std::string& kernel);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  TurnHolder& holder_;
};

}  // namespace tare::detail
