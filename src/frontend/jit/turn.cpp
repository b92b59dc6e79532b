#include "frontend/jit/turn.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "tare/error.hpp"

namespace tare::detail {
namespace {

/// Of every kernel: a wait in a circle goes over several.
struct Turns {
  std::mutex mutex;  // also of every TurnHolder
  std::condition_variable ended;
  std::map<std::thread::id, const TurnHolder*> waiting;
  std::set<std::thread::id> compiling;
};

Turns& turns() {
  static auto* const all = new Turns;  // kernels may be static, and end after it would
  return *all;
}

/// Would the thread wait for itself? There is no circle without it: that would have been refused.
bool is_held_up_by(const TurnHolder* holder, std::thread::id thread) {
  const auto& waiting = turns().waiting;
  while (holder->thread != std::thread::id() && holder->thread != thread) {
    const auto next = waiting.find(holder->thread);
    if (next == waiting.end()) return false;
    holder = next->second;
  }
  return holder->thread == thread;
}

/// Is the holder's thread in a lambda, and not in what that leads to: the compiler, or waiting for another
/// kernel?
bool runs_lambda(const TurnHolder& holder) {
  return holder.thread != std::thread::id() && !turns().compiling.contains(holder.thread) &&
         !turns().waiting.contains(holder.thread);
}

}  // namespace

Turn::Turn(TurnHolder& holder, const std::string& kernel, std::chrono::milliseconds beat) : holder_(holder) {
  using Clock = std::chrono::steady_clock;
  const std::thread::id self = std::this_thread::get_id();
  std::unique_lock lock(turns().mutex);
  int beats = 0;
  std::uint64_t turn = holder.turns;
  Clock::time_point next = Clock::now() + beat;
  while (holder.thread != std::thread::id()) {
    if (is_held_up_by(&holder, self))
      throw Error(
          ErrorKind::argument,
          kernel + (holder.thread == self
                        ? " is being traced by this thread: its own lambda launches it, or asks for it"
                        : " is being traced by a thread that waits for a kernel which this thread traces: "
                          "each one's lambda launches the other"),
          "launch a kernel after its lambda has returned; what kernels share is a C++ function or a "
          "tare::function");
    turns().waiting[self] = &holder;
    turns().ended.wait_until(lock, next);
    turns().waiting.erase(self);
    if (holder.turns != turn || !runs_lambda(holder)) beats = 0;
    turn = holder.turns;
    if (Clock::now() < next) continue;
    next = Clock::now() + beat;
    if (runs_lambda(holder) && ++beats > kMostBeats)
      throw Error(
          ErrorKind::argument,
          kernel + " has been traced by another thread for a minute, and this thread cannot launch it before",
          "its lambda must not wait for a thread that launches the same kernel: it runs once, on the host, "
          "while the kernel is traced");
  }
  holder.thread = self;
  ++holder.turns;
}

void Turn::lambda_has_returned() {
  const std::lock_guard lock(turns().mutex);
  turns().compiling.insert(holder_.thread);
}

Turn::~Turn() {
  const std::lock_guard lock(turns().mutex);
  turns().compiling.erase(holder_.thread);
  holder_.thread = {};
  turns().ended.notify_all();
}

}  // namespace tare::detail
