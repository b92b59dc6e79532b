// What every entry point begins with: is the driver alive, is there a context, has it failed; and no
// exception leaves.
#pragma once

#include <memory>
#include <new>

#include "cpu/driver/abi.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/process.hpp"

#define TARE_API extern "C" __attribute__((visibility("default")))

namespace tare::cpu {

template <typename Body>
abi::Result answer(Body& body) noexcept {
  try {
    if (const abi::Result state = Process::state(); state != abi::kSuccess) return state;
    if (thread_state().in_callback) {
      return fail(abi::kNotPermitted, "a host function that runs in a stream may not call the driver");
    }
    return body(Process::get());
  } catch (const std::bad_alloc&) {
    return abi::kOutOfMemory;
  } catch (...) {
    return abi::kUnknown;
  }
}

/// Runs an entry point that needs cuInit but no context.
template <typename Body>
abi::Result entry(Body body) noexcept {
  begin_call();
  return end_call(answer(body));
}

/// The same with the calling thread's current context, which must be alive and without a fault.
template <typename Body>
abi::Result entry_with_context(Body body) noexcept {
  return entry([&](Process& process) -> abi::Result {
    std::shared_ptr<ContextObject> context;
    if (const abi::Result state = current_context(context); state != abi::kSuccess) return state;
    return body(process, context);
  });
}

}  // namespace tare::cpu
