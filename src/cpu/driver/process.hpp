// The driver of this process: its settings, devices, live objects. Made by cuInit and never
// destroyed, because streams run until the process ends.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cpu/driver/abi.hpp"
#include "cpu/driver/handles.hpp"
#include "cpu/driver/memory.hpp"
#include "cpu/runtime/device_memory.hpp"
#include "cpu/runtime/settings.hpp"
#include "cpu/runtime/teller.hpp"
#include "cpu/runtime/worker_pool.hpp"

namespace tare::cpu {

struct ContextObject;
struct StreamObject;
struct EventObject;
struct ModuleObject;
struct FunctionObject;
struct LibraryObject;
struct KernelObject;
struct LinkObject;

struct PrimaryContext {
  std::mutex mutex;
  std::shared_ptr<ContextObject> context;  // null: inactive
  int retained = 0;
  unsigned flags = 0;
};

class Process {
 public:
  /// Makes the driver ready: once per process, thread-safe. A code of the API.
  static abi::Result initialise();
  /// kSuccess, or why no call may be made now.
  static abi::Result state();
  /// Only after state() said kSuccess.
  static Process& get();

  explicit Process(Settings given);

  int device_count() const { return static_cast<int>(settings.visible.size()); }
  bool has_device(int ordinal) const { return ordinal >= 0 && ordinal < device_count(); }
  /// Which of the machine's devices the process's device is: its UUID and PCI bus are that one's.
  int machine_ordinal(int ordinal) const { return settings.visible[static_cast<std::size_t>(ordinal)]; }
  std::uint64_t next_id() { return ids_.fetch_add(1) + 1; }

  const Settings settings;
  Teller teller;
  WorkerPool pool;
  DeviceMemory device_memory;
  AddressMap addresses;
  std::vector<std::unique_ptr<PrimaryContext>> primaries;
  HandleTable<ContextObject> contexts;
  HandleTable<StreamObject> streams;
  HandleTable<EventObject> events;
  HandleTable<ModuleObject> modules;
  HandleTable<FunctionObject> functions;
  HandleTable<LibraryObject> libraries;
  HandleTable<KernelObject> kernels;
  HandleTable<LinkObject> links;
  std::atomic<int> compiling{0};  // threads inside the compiler

 private:
  std::atomic<std::uint64_t> ids_{0};
};

/// What a thread carries: its stack of contexts.
struct ThreadState {
  std::vector<std::shared_ptr<ContextObject>> stack;
  std::uint64_t id = 0;  // never used again in this process
  bool in_callback = false;
  char last_error[1024] = "";  // what tareCpuLastError() gives
  bool text_is_new = false;    // last_error is of the call that is being answered
};
ThreadState& thread_state();

/// Text for tareCpuLastError() on this thread; a line on stderr too where the settings say so. Returns
/// `code`, so that `return fail(...)` reads well.
abi::Result fail(abi::Result code, const std::string& text);
/// The same for what is told already, where it happened.
abi::Result fail_again(abi::Result code, const std::string& text);
/// An error that has no text: tareCpuLastError() gives none of an earlier one.
abi::Result fail(abi::Result code);

/// Around each entry point: an error without a text of its own takes away the one of before.
void begin_call() noexcept;
abi::Result end_call(abi::Result code) noexcept;

}  // namespace tare::cpu
