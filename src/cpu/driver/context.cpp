#include "cpu/driver/context.hpp"

#include <algorithm>

#include "cpu/driver/api.hpp"
#include "cpu/driver/event.hpp"
#include "cpu/driver/module.hpp"
#include "cpu/driver/stream.hpp"

namespace tare::cpu {

using abi::Result;

ContextObject::ContextObject(int device_ordinal, unsigned context_flags, bool is_primary)
    : device(device_ordinal),
      flags(context_flags),
      primary(is_primary),
      id(Process::get().next_id()),
      users(is_primary ? 0 : 1),
      status(std::make_shared<ContextStatus>(Process::get().settings.tell_faults)) {
  set_default_limits();
}

std::shared_ptr<StreamObject> ContextObject::per_thread_stream() {
  const std::uint64_t thread = thread_state().id;
  {
    const std::shared_lock lock(streams_mutex);
    if (const auto found = per_thread.find(thread); found != per_thread.end()) return found->second;
  }
  auto stream = std::make_shared<StreamObject>(shared_from_this(), 0, 0);
  {
    const std::unique_lock lock(streams_mutex);
    per_thread.emplace(thread, stream);
  }
  Process::get().streams.add(stream);
  return stream;
}

std::vector<std::shared_ptr<StreamObject>> ContextObject::all_streams() {
  const std::shared_lock lock(streams_mutex);
  std::vector<std::shared_ptr<StreamObject>> streams = created;
  streams.push_back(legacy);
  streams.insert(streams.end(), leaving.begin(), leaving.end());
  for (const auto& entry : per_thread) streams.push_back(entry.second);
  return streams;
}

void ContextObject::let_finish(std::shared_ptr<StreamObject> stream) {
  std::erase_if(leaving, [](const auto& each) { return each->queue->idle(); });
  if (!stream->queue->idle()) leaving.push_back(std::move(stream));
}

Result ContextObject::synchronise() {
  for (const auto& stream : all_streams()) stream->queue->wait(stream->queue->last());
  services.flush();
  return failure();
}

Result ContextObject::failure() const {
  const int code = status->code();
  return code == 0 ? Result{abi::kSuccess} : fail_again(code, status->text());
}

Result current_context(std::shared_ptr<ContextObject>& context) {
  const auto& stack = thread_state().stack;
  if (stack.empty() || !stack.back()) return abi::kInvalidContext;
  context = stack.back();
  if (context->destroyed.load()) return abi::kContextIsDestroyed;
  return context->failure();
}

void destroy_context(ContextObject& context) {
  Process& process = Process::get();
  context.destroyed.store(true);
  context.status->drain();
  context.synchronise();
  for (const auto& stream : context.all_streams()) {
    process.streams.remove(stream.get());
    stream->queue->close();
  }
  const auto mine = [&](const auto& object) { return object.context.lock().get() == &context; };
  process.events.remove_if(mine);
  unload_modules_of(context);
  process.addresses.remove_of(context);
  process.contexts.remove(&context);
}

std::shared_ptr<ContextObject> make_context(int device, unsigned flags, bool primary) {
  auto context = std::make_shared<ContextObject>(device, flags, primary);
  context->legacy = std::make_shared<StreamObject>(context, 0, 0);
  context->legacy->is_legacy = true;
  Process::get().streams.add(context->legacy);
  Process::get().contexts.add(context);
  return context;
}

bool valid_context_flags(unsigned flags) {
  const unsigned schedule = flags & abi::context_flag::schedule_mask;
  return (flags & ~abi::context_flag::all) == 0 &&
         (schedule == 0 || schedule == 1 || schedule == 2 || schedule == 4);
}

namespace {

Result create(abi::Context* out, unsigned flags, abi::Device device) {
  return entry([&](Process& process) -> Result {
    if (out == nullptr || !valid_context_flags(flags)) return abi::kInvalidValue;
    if (!process.has_device(device)) return abi::kInvalidDevice;
    auto context = make_context(device, flags, false);
    *out = context->handle();
    thread_state().stack.push_back(std::move(context));
    return abi::kSuccess;
  });
}

Result create_with_parameters(abi::Context* out, const abi::ContextCreateParams* parameters, unsigned flags,
                              abi::Device device) {
  if (parameters != nullptr) {
    if (parameters->exec_affinity_count != 0) return fail(abi::kUnsupportedExecAffinity);
    if (parameters->cig_params != nullptr)
      return fail(abi::kNotSupported, "the CPU device has no CUDA in graphics");
  }
  return create(out, flags, device);
}

/// A context by handle; the current one for null, where the call allows that.
Result find_context(abi::Context handle, std::shared_ptr<ContextObject>& context) {
  if (handle == nullptr) return current_context(context);
  context = Process::get().contexts.find(handle);
  return context ? Result{abi::kSuccess} : Result{abi::kInvalidContext};
}

Result push(abi::Context handle) {
  return entry([&](Process& process) -> Result {
    auto context = process.contexts.find(handle);
    if (!context) return abi::kInvalidContext;
    thread_state().stack.push_back(std::move(context));
    return abi::kSuccess;
  });
}

Result pop(abi::Context* out) {
  return entry([&](Process&) -> Result {
    auto& stack = thread_state().stack;
    if (stack.empty() || !stack.back()) return abi::kInvalidContext;
    if (out != nullptr) *out = stack.back()->handle();
    stack.pop_back();
    return abi::kSuccess;
  });
}

Result destroy(abi::Context handle) {
  return entry([&](Process& process) -> Result {
    const auto context = process.contexts.find(handle);
    if (!context || context->primary) return abi::kInvalidContext;
    destroy_context(*context);
    auto& stack = thread_state().stack;
    if (!stack.empty() && stack.back() == context) stack.pop_back();
    return abi::kSuccess;
  });
}

/// The last user's leaving ends a context that was created; a primary one lives as long as it is retained.
Result detach(abi::Context handle) {
  return entry([&](Process& process) -> Result {
    const auto context = process.contexts.find(handle);
    const auto& stack = thread_state().stack;
    if (!context || stack.empty() || stack.back() != context) return abi::kInvalidContext;
    int users = context->users.load();
    do {
      if (users == 0) return abi::kInvalidContext;
    } while (!context->users.compare_exchange_weak(users, users - 1));
    return users == 1 && !context->primary ? destroy(handle) : Result{abi::kSuccess};
  });
}

template <typename T, typename Read>
Result read_current(T* out, Read read) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>& context) -> Result {
    if (out == nullptr) return abi::kInvalidValue;
    const std::scoped_lock lock(context->settings_mutex);
    *out = static_cast<T>(read(*context));
    return abi::kSuccess;
  });
}

}  // namespace

TARE_API Result cuCtxCreate(abi::Context* out, unsigned flags, abi::Device device) {
  return create(out, flags, device);
}
TARE_API Result cuCtxCreate_v2(abi::Context* out, unsigned flags, abi::Device device) {
  return create(out, flags, device);
}
TARE_API Result cuCtxCreate_v3(abi::Context* out, void*, int affinity_count, unsigned flags,
                               abi::Device device) {
  if (affinity_count != 0) return fail(abi::kUnsupportedExecAffinity);
  return create(out, flags, device);
}
TARE_API Result cuCtxCreate_v4(abi::Context* out, abi::ContextCreateParams* parameters, unsigned flags,
                               abi::Device device) {
  return create_with_parameters(out, parameters, flags, device);
}
TARE_API Result cuCtxDestroy_v2(abi::Context context) {
  return destroy(context);
}
TARE_API Result cuCtxDestroy(abi::Context context) {
  return destroy(context);
}
TARE_API Result cuCtxAttach(abi::Context* out, unsigned flags) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>& context) -> Result {
    if (out == nullptr || flags != 0) return abi::kInvalidValue;
    context->users.fetch_add(1);
    *out = context->handle();
    return abi::kSuccess;
  });
}
TARE_API Result cuCtxDetach(abi::Context context) {
  return detach(context);
}
TARE_API Result cuCtxPushCurrent_v2(abi::Context context) {
  return push(context);
}
TARE_API Result cuCtxPushCurrent(abi::Context context) {
  return push(context);
}
TARE_API Result cuCtxPopCurrent_v2(abi::Context* context) {
  return pop(context);
}
TARE_API Result cuCtxPopCurrent(abi::Context* context) {
  return pop(context);
}

TARE_API Result cuCtxSetCurrent(abi::Context handle) {
  return entry([&](Process& process) -> Result {
    auto& stack = thread_state().stack;
    if (handle == nullptr) {
      if (!stack.empty()) stack.pop_back();
      return abi::kSuccess;
    }
    auto context = process.contexts.find(handle);
    if (!context) return abi::kInvalidContext;
    if (stack.empty()) {
      stack.push_back(std::move(context));
    } else {
      stack.back() = std::move(context);
    }
    return abi::kSuccess;
  });
}

TARE_API Result cuCtxGetCurrent(abi::Context* out) {
  return entry([&](Process&) -> Result {
    if (out == nullptr) return abi::kInvalidValue;
    const auto& stack = thread_state().stack;
    *out = stack.empty() ? nullptr : stack.back()->handle();
    return abi::kSuccess;
  });
}

TARE_API Result cuCtxGetDevice(abi::Device* device) {
  return read_current(device, [](const ContextObject& c) { return c.device; });
}
TARE_API Result cuCtxGetDevice_v2(abi::Device* device, abi::Context handle) {
  return entry([&](Process&) -> Result {
    if (device == nullptr) return abi::kInvalidValue;
    std::shared_ptr<ContextObject> context;
    if (const Result found = find_context(handle, context); found != abi::kSuccess) return found;
    *device = context->device;
    return abi::kSuccess;
  });
}
TARE_API Result cuCtxGetFlags(unsigned* flags) {
  return read_current(flags, [](const ContextObject& c) { return c.flags; });
}
TARE_API Result cuCtxSetFlags(unsigned flags) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>& context) -> Result {
    if (!valid_context_flags(flags)) return abi::kInvalidValue;
    const std::scoped_lock lock(context->settings_mutex);
    context->flags = flags;
    return abi::kSuccess;
  });
}
TARE_API Result cuCtxGetId(abi::Context handle, unsigned long long* id) {
  return entry([&](Process&) -> Result {
    if (id == nullptr) return abi::kInvalidValue;
    std::shared_ptr<ContextObject> context;
    if (const Result found = find_context(handle, context); found != abi::kSuccess) return found;
    *id = context->id;
    return abi::kSuccess;
  });
}
TARE_API Result cuCtxGetApiVersion(abi::Context handle, unsigned* version) {
  return entry([&](Process&) -> Result {
    if (version == nullptr) return abi::kInvalidValue;
    std::shared_ptr<ContextObject> context;
    if (const Result found = find_context(handle, context); found != abi::kSuccess) return found;
    *version = context->api_version;
    return abi::kSuccess;
  });
}

TARE_API Result cuCtxSynchronize(void) {
  return entry_with_context(
      [](Process&, const std::shared_ptr<ContextObject>& context) { return context->synchronise(); });
}
TARE_API Result cuCtxSynchronize_v2(abi::Context handle) {
  return entry([&](Process&) -> Result {
    std::shared_ptr<ContextObject> context;
    if (const Result found = find_context(handle, context); found != abi::kSuccess) return found;
    return context->synchronise();
  });
}

TARE_API Result cuCtxGetCacheConfig(abi::Enum* config) {
  return read_current(config, [](const ContextObject& c) { return c.cache_config; });
}
TARE_API Result cuCtxSetCacheConfig(abi::Enum config) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>& context) -> Result {
    if (config < 0 || config > 3) return abi::kInvalidValue;
    const std::scoped_lock lock(context->settings_mutex);
    context->cache_config = config;
    return abi::kSuccess;
  });
}
TARE_API Result cuCtxGetSharedMemConfig(abi::Enum* config) {
  return read_current(config, [](const ContextObject& c) { return c.shared_config; });
}
TARE_API Result cuCtxSetSharedMemConfig(abi::Enum config) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>& context) -> Result {
    if (config < 0 || config > 2) return abi::kInvalidValue;
    const std::scoped_lock lock(context->settings_mutex);
    context->shared_config = config;
    return abi::kSuccess;
  });
}
TARE_API Result cuCtxResetPersistingL2Cache(void) {
  return entry_with_context(
      [](Process&, const std::shared_ptr<ContextObject>&) -> Result { return abi::kSuccess; });
}

/// Priorities are kept and told, and change nothing: every stream has a thread of its own.
TARE_API Result cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>&) -> Result {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return abi::kSuccess;
  });
}

}  // namespace tare::cpu
