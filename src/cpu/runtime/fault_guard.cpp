#include "cpu/runtime/fault_guard.hpp"

#include <csetjmp>
#include <csignal>
#include <mutex>

namespace tare::cpu {
namespace {

struct Guard {
  sigjmp_buf escape;
  volatile std::uintptr_t address = 0;
};

// Initial-exec: read inside a signal handler, where the first access must not allocate.
__attribute__((tls_model("initial-exec"))) thread_local Guard* active_guard = nullptr;

struct sigaction previous_segv, previous_bus;

void on_fault(int signal, siginfo_t* info, void* context) {
  if (Guard* guard = active_guard; guard != nullptr) {
    active_guard = nullptr;
    guard->address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    siglongjmp(guard->escape, 1);
  }
  const struct sigaction& previous = signal == SIGBUS ? previous_bus : previous_segv;
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    // Returning repeats the access, and this time the process ends as it would have without us.
    sigaction(signal, &previous, nullptr);
  }
}

}  // namespace

void install_fault_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    // NODEFER: the handler leaves by a jump that does not restore the signal mask.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous_segv);
    sigaction(SIGBUS, &action, &previous_bus);
  });
}

MemoryFault run_guarded(void (*body)(void*), void* argument) {
  Guard guard;
  Guard* const outer = active_guard;
  if (sigsetjmp(guard.escape, 0) != 0) {
    active_guard = outer;
    return {true, guard.address};
  }
  active_guard = &guard;
  body(argument);
  active_guard = outer;
  return {};
}

}  // namespace tare::cpu
