// One thread at a time makes a kernel's specializations. It runs the user's lambda meanwhile, which may
// launch kernels itself; so who waits for whom is known, and a wait that could not end is refused.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace tare::detail {

/// Whose turn it is at one kernel.
struct TurnHolder {
  std::thread::id thread;   // none: nobody's
  std::uint64_t turns = 0;  // that there have been
};

/// Beats for which a lambda may run while another thread waits for its kernel. A lambda that itself waits for
/// that thread (joins it, say) would never return, and nothing but the time that passes shows that.
inline constexpr int kMostBeats = 60;

/// The calling thread's turn while alive. Waits for that of another thread. Throws Error(argument) where the
/// calling thread has it already, where the thread that has it waits, directly or not, for the calling one,
/// and where a lambda runs for longer than kMostBeats.
class Turn {
 public:
  /// `kernel`: the kernel for the error, "the kernel `k` made at f.cpp:3". A process that is stopped in
  /// between, by a debugger say, loses one beat by that.
  Turn(TurnHolder& holder, const std::string& kernel,
       std::chrono::milliseconds beat = std::chrono::seconds(1));
  ~Turn();
  /// The lambda has returned; who waits now waits for a compiler, which ends.
  void lambda_has_returned();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  TurnHolder& holder_;
};

}  // namespace tare::detail
