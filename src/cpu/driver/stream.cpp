#include "cpu/driver/stream.hpp"

#include <algorithm>

#include "cpu/driver/api.hpp"
#include "cpu/driver/event.hpp"

namespace tare::cpu {

using abi::Result;

StreamObject::StreamObject(const std::shared_ptr<ContextObject>& owner, unsigned stream_flags,
                           int stream_priority)
    : context(owner),
      queue(std::make_shared<StreamQueue>(owner->status)),
      flags(stream_flags),
      priority(stream_priority),
      id(Process::get().next_id()) {}

Result resolve(StreamArgument argument, ResolvedStream& resolved) {
  const auto number = reinterpret_cast<std::uintptr_t>(argument.handle);
  if (number <= abi::kStreamPerThread) {
    if (const Result state = current_context(resolved.context); state != abi::kSuccess) return state;
    const bool own = number == abi::kStreamPerThread || (number == 0 && argument.per_thread);
    resolved.stream = own ? resolved.context->per_thread_stream() : resolved.context->legacy_stream();
    return abi::kSuccess;
  }
  resolved.stream = Process::get().streams.find(argument.handle);
  if (!resolved.stream) return abi::kInvalidHandle;
  resolved.context = resolved.stream->context.lock();
  if (!resolved.context || resolved.context->destroyed.load()) return abi::kContextIsDestroyed;
  return resolved.context->failure();
}

void enqueue_wait(const ResolvedStream& target, const std::shared_ptr<StreamQueue>& other,
                  StreamQueue::Position position) {
  if (other->reached(position) || other == target.stream->queue) return;
  target.stream->queue->push(
      operation([other, position](OperationContext&) { other->wait(position); }, true));
}

StreamQueue::Position enqueue(const ResolvedStream& target, std::unique_ptr<Operation> operation) {
  StreamObject& stream = *target.stream;
  ContextObject& context = *target.context;
  // The others' positions are read before the operation gets its own, so two queues never wait for
  // each other.
  if (stream.is_legacy) {
    for (const auto& other : context.all_streams()) {
      if (other.get() != &stream && other->blocking())
        enqueue_wait(target, other->queue, other->queue->last());
    }
  } else if (stream.blocking()) {
    const auto& legacy = context.legacy_stream()->queue;
    const StreamQueue::Position last = legacy->last();
    if (last > stream.queue->waited_for_legacy.load(std::memory_order_relaxed)) {
      enqueue_wait(target, legacy, last);
      stream.queue->waited_for_legacy.store(last, std::memory_order_relaxed);
    }
  }
  return stream.queue->push(std::move(operation));
}

bool nothing_before(const ResolvedStream& target) {
  if (!target.stream->queue->idle()) return false;
  if (target.stream->is_legacy) {
    for (const auto& other : target.context->all_streams()) {
      if (other->blocking() && !other->queue->idle()) return false;
    }
    return true;
  }
  return !target.stream->blocking() || target.context->legacy_stream()->queue->idle();
}

Result synchronise(const ResolvedStream& target) {
  if (target.stream->is_legacy) {
    for (const auto& other : target.context->all_streams()) {
      if (other->blocking()) other->queue->wait(other->queue->last());
    }
  } else {
    target.stream->queue->wait(target.stream->queue->last());
  }
  target.context->services.flush();
  return target.context->failure();
}

void close_streams_of_thread(std::uint64_t thread) {
  for (const auto& context : Process::get().contexts.all()) {
    std::shared_ptr<StreamObject> stream;
    {
      const std::unique_lock lock(context->streams_mutex);
      const auto found = context->per_thread.find(thread);
      if (found == context->per_thread.end()) continue;
      stream = found->second;
      context->per_thread.erase(found);
      context->let_finish(stream);
    }
    Process::get().streams.remove(stream.get());
    stream->queue->close();
  }
}

namespace {

Result create(abi::Stream* out, unsigned flags, int priority) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>& context) -> Result {
    if (out == nullptr || (flags & ~abi::stream_flag::non_blocking) != 0) return abi::kInvalidValue;
    auto stream = std::make_shared<StreamObject>(context, flags, std::clamp(priority, -5, 0));
    {
      const std::unique_lock lock(context->streams_mutex);
      context->created.push_back(stream);
    }
    *out = stream->handle();
    process.streams.add(std::move(stream));
    return abi::kSuccess;
  });
}

/// For the calls that ask a stream something.
template <typename Body>
Result with_stream(StreamArgument argument, Body body) {
  return entry([&](Process&) -> Result {
    ResolvedStream target;
    if (const Result found = resolve(argument, target); found != abi::kSuccess) return found;
    return body(target);
  });
}

Result query(StreamArgument argument) {
  return with_stream(argument, [](const ResolvedStream& target) -> Result {
    return nothing_before(target) ? target.context->failure() : Result{abi::kNotReady};
  });
}

Result wait_event(StreamArgument argument, abi::Event event, unsigned flags) {
  return with_stream(argument, [&](const ResolvedStream& target) -> Result {
    if (flags > 1) return abi::kInvalidValue;
    const auto found = Process::get().events.find(event);
    if (!found) return abi::kInvalidHandle;
    const std::shared_ptr<EventRecord> record = found->latest();
    if (record) enqueue_wait(target, record->queue, record->position);
    return abi::kSuccess;
  });
}

Result get_flags(StreamArgument argument, unsigned* flags) {
  return with_stream(argument, [&](const ResolvedStream& target) -> Result {
    if (flags == nullptr) return abi::kInvalidValue;
    *flags = target.stream->flags;
    return abi::kSuccess;
  });
}

Result get_priority(StreamArgument argument, int* priority) {
  return with_stream(argument, [&](const ResolvedStream& target) -> Result {
    if (priority == nullptr) return abi::kInvalidValue;
    *priority = target.stream->priority;
    return abi::kSuccess;
  });
}

Result get_context(StreamArgument argument, abi::Context* context) {
  return with_stream(argument, [&](const ResolvedStream& target) -> Result {
    if (context == nullptr) return abi::kInvalidValue;
    *context = target.context->handle();
    return abi::kSuccess;
  });
}

Result get_context_v2(StreamArgument argument, abi::Context* context, void** green) {
  if (green != nullptr) *green = nullptr;
  return get_context(argument, context);
}

Result get_device(StreamArgument argument, abi::Device* device) {
  return with_stream(argument, [&](const ResolvedStream& target) -> Result {
    if (device == nullptr) return abi::kInvalidValue;
    *device = target.context->device;
    return abi::kSuccess;
  });
}

Result get_id(StreamArgument argument, unsigned long long* id) {
  return with_stream(argument, [&](const ResolvedStream& target) -> Result {
    if (id == nullptr) return abi::kInvalidValue;
    *id = target.stream->id;
    return abi::kSuccess;
  });
}

/// No stream of this device is ever captured into a graph.
Result is_capturing(StreamArgument argument, abi::Enum* status) {
  return with_stream(argument, [&](const ResolvedStream&) -> Result {
    if (status == nullptr) return abi::kInvalidValue;
    *status = 0;
    return abi::kSuccess;
  });
}

Result add_callback(StreamArgument argument, abi::StreamCallback callback, void* data, unsigned flags) {
  return with_stream(argument, [&](const ResolvedStream& target) -> Result {
    if (callback == nullptr || flags != 0) return abi::kInvalidValue;
    enqueue(target, operation(
                        [callback, data, handle = argument.handle](OperationContext& context) {
                          thread_state().in_callback = true;
                          callback(handle, context.status.code(), data);
                          thread_state().in_callback = false;
                        },
                        true));
    return abi::kSuccess;
  });
}

Result launch_host_function(StreamArgument argument, abi::HostFunction function, void* data) {
  return with_stream(argument, [&](const ResolvedStream& target) -> Result {
    if (function == nullptr) return abi::kInvalidValue;
    enqueue(target, operation([function, data](OperationContext&) {
              thread_state().in_callback = true;
              function(data);
              thread_state().in_callback = false;
            }));
    return abi::kSuccess;
  });
}

}  // namespace

TARE_API Result cuStreamCreate(abi::Stream* stream, unsigned flags) {
  return create(stream, flags, 0);
}
TARE_API Result cuStreamCreateWithPriority(abi::Stream* stream, unsigned flags, int priority) {
  return create(stream, flags, priority);
}

TARE_API Result cuStreamDestroy_v2(abi::Stream handle) {
  return entry([&](Process& process) -> Result {
    // The default streams are not the caller's to destroy.
    if (reinterpret_cast<std::uintptr_t>(handle) <= abi::kStreamPerThread) return abi::kInvalidHandle;
    const auto stream = process.streams.find(handle);
    if (!stream) return abi::kInvalidHandle;
    const auto context = stream->context.lock();
    if (context) {
      const std::unique_lock lock(context->streams_mutex);
      const auto found = std::find(context->created.begin(), context->created.end(), stream);
      if (found == context->created.end()) return abi::kInvalidHandle;
      context->created.erase(found);
      context->let_finish(stream);
    }
    process.streams.remove(handle);
    stream->queue->close();
    return abi::kSuccess;
  });
}
TARE_API Result cuStreamDestroy(abi::Stream stream) {
  return cuStreamDestroy_v2(stream);
}

TARE_API Result cuStreamSynchronize(abi::Stream s) {
  return with_stream({s, false}, [](const ResolvedStream& target) { return synchronise(target); });
}
TARE_API Result cuStreamSynchronize_ptsz(abi::Stream s) {
  return with_stream({s, true}, [](const ResolvedStream& target) { return synchronise(target); });
}
TARE_API Result cuStreamQuery(abi::Stream s) {
  return query({s, false});
}
TARE_API Result cuStreamQuery_ptsz(abi::Stream s) {
  return query({s, true});
}
TARE_API Result cuStreamWaitEvent(abi::Stream s, abi::Event event, unsigned flags) {
  return wait_event({s, false}, event, flags);
}
TARE_API Result cuStreamWaitEvent_ptsz(abi::Stream s, abi::Event event, unsigned flags) {
  return wait_event({s, true}, event, flags);
}
TARE_API Result cuStreamGetFlags(abi::Stream s, unsigned* flags) {
  return get_flags({s, false}, flags);
}
TARE_API Result cuStreamGetFlags_ptsz(abi::Stream s, unsigned* flags) {
  return get_flags({s, true}, flags);
}
TARE_API Result cuStreamGetPriority(abi::Stream s, int* priority) {
  return get_priority({s, false}, priority);
}
TARE_API Result cuStreamGetPriority_ptsz(abi::Stream s, int* priority) {
  return get_priority({s, true}, priority);
}
TARE_API Result cuStreamGetCtx(abi::Stream s, abi::Context* context) {
  return get_context({s, false}, context);
}
TARE_API Result cuStreamGetCtx_ptsz(abi::Stream s, abi::Context* context) {
  return get_context({s, true}, context);
}
TARE_API Result cuStreamGetCtx_v2(abi::Stream s, abi::Context* context, void** green) {
  return get_context_v2({s, false}, context, green);
}
TARE_API Result cuStreamGetCtx_v2_ptsz(abi::Stream s, abi::Context* context, void** green) {
  return get_context_v2({s, true}, context, green);
}
TARE_API Result cuStreamGetDevice(abi::Stream s, abi::Device* device) {
  return get_device({s, false}, device);
}
TARE_API Result cuStreamGetDevice_ptsz(abi::Stream s, abi::Device* device) {
  return get_device({s, true}, device);
}
TARE_API Result cuStreamGetId(abi::Stream s, unsigned long long* id) {
  return get_id({s, false}, id);
}
TARE_API Result cuStreamGetId_ptsz(abi::Stream s, unsigned long long* id) {
  return get_id({s, true}, id);
}
TARE_API Result cuStreamIsCapturing(abi::Stream s, abi::Enum* status) {
  return is_capturing({s, false}, status);
}
TARE_API Result cuStreamIsCapturing_ptsz(abi::Stream s, abi::Enum* status) {
  return is_capturing({s, true}, status);
}
TARE_API Result cuStreamAddCallback(abi::Stream s, abi::StreamCallback callback, void* data, unsigned flags) {
  return add_callback({s, false}, callback, data, flags);
}
TARE_API Result cuStreamAddCallback_ptsz(abi::Stream s, abi::StreamCallback callback, void* data,
                                         unsigned flags) {
  return add_callback({s, true}, callback, data, flags);
}
TARE_API Result cuLaunchHostFunc(abi::Stream s, abi::HostFunction function, void* data) {
  return launch_host_function({s, false}, function, data);
}
TARE_API Result cuLaunchHostFunc_ptsz(abi::Stream s, abi::HostFunction function, void* data) {
  return launch_host_function({s, true}, function, data);
}

}  // namespace tare::cpu
