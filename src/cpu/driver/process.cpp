#include "cpu/driver/process.hpp"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>

#include "cpu/driver/api.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/runtime/fault_guard.hpp"
#include "cpu/runtime/host.hpp"

namespace tare::cpu {
namespace {

enum class Stage { before, ready, forked, over };
std::atomic<Stage> stage{Stage::before};
Process* instance = nullptr;
std::mutex initialise_mutex;
std::atomic<std::uint64_t> thread_ids{0};

/// The process is ending: no call is answered any more, queued work is dropped, and what is running
/// gets a moment to finish before the program's memory is torn down.
void tear_down() {
  Stage expected = Stage::ready;
  if (!stage.compare_exchange_strong(expected, Stage::over)) return;
  const std::int64_t until = now_ns() + 300'000'000;
  for (const auto& context : instance->contexts.all()) context->status->cancel();
  for (const auto& stream : instance->streams.all()) stream->queue->wake();
  for (const auto& stream : instance->streams.all()) {
    while (!stream->queue->idle() && now_ns() < until) {
      timespec pause{0, 200'000};
      nanosleep(&pause, nullptr);
    }
  }
  while (instance->compiling.load() > 0 && now_ns() < until + 2'000'000'000) {
    timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

/// The current thread's state, and what clears it away when the thread ends.
thread_local ThreadState* this_thread = nullptr;
struct ThreadEnd {
  ~ThreadEnd() {
    if (this_thread == nullptr) return;
    if (stage.load() == Stage::ready) close_streams_of_thread(this_thread->id);
    delete this_thread;
    this_thread = nullptr;
  }
};

}  // namespace

ThreadState& thread_state() {
  if (this_thread == nullptr) {
    static thread_local ThreadEnd end;
    (void)end;
    this_thread = new ThreadState;
    this_thread->id = thread_ids.fetch_add(1) + 1;
  }
  return *this_thread;
}

Process::Process(Settings given)
    : settings(std::move(given)), teller(settings.tell_faults), pool(settings.threads) {
  for (int i = 0; i < device_count(); ++i) primaries.push_back(std::make_unique<PrimaryContext>());
}

abi::Result Process::initialise() {
  const std::scoped_lock lock(initialise_mutex);
  switch (stage.load()) {
    case Stage::ready:
      return abi::kSuccess;
    case Stage::forked:
      return state();
    case Stage::over:
      return abi::kDeinitialized;
    case Stage::before:
      break;
  }
  Settings settings = read_settings();
  for (const std::string& each : settings.not_understood)
    std::fprintf(stderr, "tare CPU device: %s\n", each.c_str());
  if (settings.visible_twice) return fail(abi::kInvalidDevice, "CUDA_VISIBLE_DEVICES names a device twice");
  if (settings.visible.empty()) return fail(abi::kNoDevice, "CUDA_VISIBLE_DEVICES hides every device");
  instance = new Process(std::move(settings));
  install_fault_handlers();
  pthread_atfork(nullptr, nullptr, [] {
    if (stage.load() == Stage::ready) stage.store(Stage::forked);
  });
  std::atexit(tear_down);
  stage.store(Stage::ready);
  return abi::kSuccess;
}

abi::Result Process::state() {
  switch (stage.load(std::memory_order_acquire)) {
    case Stage::ready:
      return abi::kSuccess;
    case Stage::before:
      return abi::kNotInitialized;
    case Stage::over:
      return abi::kDeinitialized;
    case Stage::forked:
      break;
  }
  return fail(abi::kNotInitialized,
              "this process was forked after the driver had been initialised; start it anew with exec to use "
              "the device");
}

Process& Process::get() {
  return *instance;
}

abi::Result fail_again(abi::Result code, const std::string& text) {
  ThreadState& thread = thread_state();
  std::snprintf(thread.last_error, sizeof thread.last_error, "%s", text.c_str());
  thread.text_is_new = true;
  return code;
}

abi::Result fail(abi::Result code, const std::string& text) {
  if (stage.load() != Stage::before) Process::get().teller.tell(text);
  return fail_again(code, text);
}

abi::Result fail(abi::Result code) {
  begin_call();
  return end_call(code);
}

// A thread without a state has no text.
void begin_call() noexcept {
  if (this_thread != nullptr) this_thread->text_is_new = false;
}

abi::Result end_call(abi::Result code) noexcept {
  const bool is_error = code != abi::kSuccess && code != abi::kNotReady;
  if (is_error && this_thread != nullptr && !this_thread->text_is_new) this_thread->last_error[0] = '\0';
  return code;
}

TARE_API const char* tareCpuLastError(void) {
  return thread_state().last_error;
}

TARE_API const char* tareCpuDeviceInfo(void) {
  return "{\"name\":\"tare CPU device\",\"version\":\"" TARE_VERSION "\",\"code\":[\"ptx\"],\"ptx\":\"9.0\"}";
}

TARE_API abi::Result cuInit(unsigned flags) {
  if (flags != 0) return fail(abi::kInvalidValue);
  try {
    return Process::initialise();
  } catch (...) {
    return abi::kOutOfMemory;
  }
}

TARE_API abi::Result cuDriverGetVersion(int* version) {
  if (version == nullptr) return abi::kInvalidValue;
  *version = 13000;
  return abi::kSuccess;
}

}  // namespace tare::cpu
