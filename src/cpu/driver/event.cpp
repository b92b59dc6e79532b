#include "cpu/driver/event.hpp"

#include "cpu/driver/api.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/runtime/host.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

Result record(abi::Event handle, StreamArgument argument, unsigned flags) {
  return entry([&](Process& process) -> Result {
    if (flags > 1) return abi::kInvalidValue;
    const auto event = process.events.find(handle);
    if (!event) return abi::kInvalidHandle;
    ResolvedStream target;
    if (const Result found = resolve(argument, target); found != abi::kSuccess) return found;
    if (event->context.lock() != target.context) return abi::kInvalidHandle;
    auto made = std::make_shared<EventRecord>();
    made->queue = target.stream->queue;
    made->position = enqueue(
        target,
        operation([made](OperationContext&) { made->time_ns.store(now_ns(), std::memory_order_release); },
                  true));
    event->set_latest(std::move(made));
    return abi::kSuccess;
  });
}

/// What the event's context says once its work is reached.
Result failure_of(const EventObject& event) {
  const auto context = event.context.lock();
  return context ? context->failure() : Result{abi::kContextIsDestroyed};
}

Result elapsed(float* ms, abi::Event start_handle, abi::Event end_handle) {
  return entry([&](Process& process) -> Result {
    if (ms == nullptr) return abi::kInvalidValue;
    const auto start = process.events.find(start_handle);
    const auto end = process.events.find(end_handle);
    if (!start || !end || !start->timed() || !end->timed()) return abi::kInvalidHandle;
    if (start->context.lock() != end->context.lock()) return abi::kInvalidHandle;
    const auto first = start->latest();
    const auto last = end->latest();
    if (!first || !last) return abi::kInvalidHandle;
    if (!first->reached() || !last->reached()) return abi::kNotReady;
    if (const Result failed = failure_of(*end); failed != abi::kSuccess) return failed;
    *ms = static_cast<float>(static_cast<double>(last->time_ns.load() - first->time_ns.load()) / 1e6);
    return abi::kSuccess;
  });
}

}  // namespace

TARE_API Result cuEventCreate(abi::Event* out, unsigned flags) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>& context) -> Result {
    constexpr unsigned kKnown =
        abi::event_flag::blocking_sync | abi::event_flag::disable_timing | abi::event_flag::interprocess;
    if (out == nullptr || (flags & ~kKnown) != 0) return abi::kInvalidValue;
    if ((flags & abi::event_flag::interprocess) != 0) {
      if ((flags & abi::event_flag::disable_timing) == 0) return abi::kInvalidValue;
      return fail(abi::kNotSupported, "the CPU device has no events between processes");
    }
    auto event = std::make_shared<EventObject>(context, flags);
    *out = reinterpret_cast<abi::Event>(event.get());
    process.events.add(std::move(event));
    return abi::kSuccess;
  });
}

TARE_API Result cuEventDestroy_v2(abi::Event handle) {
  return entry([&](Process& process) -> Result {
    return process.events.remove(handle) ? abi::kSuccess : abi::kInvalidHandle;
  });
}
TARE_API Result cuEventDestroy(abi::Event event) {
  return cuEventDestroy_v2(event);
}

TARE_API Result cuEventRecord(abi::Event event, abi::Stream s) {
  return record(event, {s, false}, 0);
}
TARE_API Result cuEventRecord_ptsz(abi::Event event, abi::Stream s) {
  return record(event, {s, true}, 0);
}
TARE_API Result cuEventRecordWithFlags(abi::Event event, abi::Stream s, unsigned flags) {
  return record(event, {s, false}, flags);
}
TARE_API Result cuEventRecordWithFlags_ptsz(abi::Event event, abi::Stream s, unsigned flags) {
  return record(event, {s, true}, flags);
}

TARE_API Result cuEventQuery(abi::Event handle) {
  return entry([&](Process& process) -> Result {
    const auto event = process.events.find(handle);
    if (!event) return abi::kInvalidHandle;
    const auto record = event->latest();
    if (record && !record->reached()) return abi::kNotReady;
    return failure_of(*event);
  });
}

TARE_API Result cuEventSynchronize(abi::Event handle) {
  return entry([&](Process& process) -> Result {
    const auto event = process.events.find(handle);
    if (!event) return abi::kInvalidHandle;
    if (const auto record = event->latest()) record->queue->wait(record->position);
    if (const auto context = event->context.lock()) context->services.flush();
    return failure_of(*event);
  });
}

TARE_API Result cuEventElapsedTime(float* ms, abi::Event start, abi::Event end) {
  return elapsed(ms, start, end);
}
TARE_API Result cuEventElapsedTime_v2(float* ms, abi::Event start, abi::Event end) {
  return elapsed(ms, start, end);
}

}  // namespace tare::cpu
