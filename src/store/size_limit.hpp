// A write beyond the limit on the size of files (`ulimit -f`) raises SIGXFSZ, which ends the process unless
// it has thought of that. A program must not die of a cache that it may not even know of.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <ctime>

namespace tare::store {

/// While alive, such a write of the calling thread fails with EFBIG and does no more. Leaves errno alone.
class NoSizeSignal {
 public:
  NoSizeSignal() {
    const int error = errno;
    ::sigemptyset(&only_);
    ::sigaddset(&only_, SIGXFSZ);
    sigset_t pending;
    was_pending_ = ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGXFSZ) == 1;
    ::pthread_sigmask(SIG_BLOCK, &only_, &before_);
    errno = error;
  }
  ~NoSizeSignal() {
    const int error = errno;
    const timespec at_once{};
    while (!was_pending_ && ::sigtimedwait(&only_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  NoSizeSignal(const NoSizeSignal&) = delete;
  NoSizeSignal& operator=(const NoSizeSignal&) = delete;

 private:
  sigset_t only_, before_;
  bool was_pending_;
};

}  // namespace tare::store
