#include "cpu/runtime/fault_guard.hpp"

#include <pthread.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <mutex>
#include <new>

namespace tare::cpu {
namespace {

struct Guard {
  sigjmp_buf escape;
  volatile std::uintptr_t address = 0;
  volatile bool has_address = false;
};

// The thread's guard is kept under a POSIX key: reading one allocates nothing, which the first use of
// a thread_local of a library loaded at run time might, inside a signal handler.
pthread_key_t guard_key;

Guard* active_guard() {
  return static_cast<Guard*>(pthread_getspecific(guard_key));
}
void set_active_guard(Guard* guard) {
  pthread_setspecific(guard_key, guard);
}

struct sigaction previous_segv, previous_bus;

void on_fault(int signal, siginfo_t* info, void* context) {
  Guard* const guard = active_guard();
  const bool is_fault = info->si_code > 0;  // else somebody sent the signal
  // A handler that was put in front of this one and hands a fault on by raising the signal, as Python's
  // faulthandler does: it has no address. Returning repeats the access, which faults anew, and here.
  if (guard != nullptr && info->si_code == SI_TKILL && info->si_pid == getpid()) return;
  if (guard != nullptr && is_fault) {
    set_active_guard(nullptr);
    guard->address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    // The processor names no address where an access was to one that no memory can have.
    guard->has_address = info->si_code != SI_KERNEL;
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
    if (!is_fault) raise(signal);
  }
}

}  // namespace

void install_fault_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (pthread_key_create(&guard_key, nullptr) != 0) throw std::bad_alloc();
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
  Guard* const outer = active_guard();
  if (sigsetjmp(guard.escape, 0) != 0) {
    set_active_guard(outer);
    return {true, guard.has_address, guard.address};
  }
  set_active_guard(&guard);
  body(argument);
  set_active_guard(outer);
  return {};
}

}  // namespace tare::cpu
