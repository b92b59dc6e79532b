#include "frontend/jit/turn.hpp"

#include <condition_variable>
#include <map>
#include <mutex>

#include "tare/error.hpp"

namespace tare::detail {
namespace {

/// Of every kernel: a wait in a circle goes over several.
struct Turns {
  std::mutex mutex;  // also of every TurnHolder
  std::condition_variable ended;
  std::map<std::thread::id, const TurnHolder*> waiting;
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

}  // namespace

Turn::Turn(TurnHolder& holder, const std::string& kernel) : holder_(holder) {
  const std::thread::id self = std::this_thread::get_id();
  std::unique_lock lock(turns().mutex);
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
    turns().ended.wait(lock);
    turns().waiting.erase(self);
  }
  holder.thread = self;
}

Turn::~Turn() {
  const std::lock_guard lock(turns().mutex);
  holder_.thread = {};
  turns().ended.notify_all();
}

}  // namespace tare::detail
