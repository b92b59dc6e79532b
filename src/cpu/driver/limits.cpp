// A context's limits: the stack of a thread, the buffer of printf, the heap of malloc.
#include <algorithm>

#include "cpu/driver/api.hpp"
#include "cpu/driver/context.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

constexpr std::size_t kMostL2Granularity = 128;

// As an H200 rounds what is set (tests/conformance/gpu/limits.txt).
constexpr std::size_t kStackUnit = 16, kLeastPrintBuffer = std::size_t{512} << 10,
                      kLeastHeap = std::size_t{4} << 20;

// From this compute capability on, kernels do not wait for kernels that they launched.
constexpr int kFirstWithoutSyncDepth = 90;

Result check_name(abi::Enum which) {
  if (which < 0 || which >= abi::limit::count) return abi::kInvalidValue;
  const bool is_known = which <= abi::limit::persisting_l2_cache_size &&
                        (which != abi::limit::dev_runtime_sync_depth ||
                         Process::get().settings.capability->number < kFirstWithoutSyncDepth);
  return is_known ? abi::kSuccess : abi::kUnsupportedLimit;
}

/// The driver makes these when the first kernel that uses them is launched, and does not change them then.
Result in_use(const std::string& does, const std::string& what) {
  return fail(abi::kInvalidValue,
              "a kernel that " + does + " has been launched: its " + what + " cannot be changed");
}

}  // namespace

void ContextObject::set_default_limits() {
  limits[abi::limit::stack_size] = 1024;
  limits[abi::limit::printf_fifo_size] = std::size_t{8448} << 10;
  limits[abi::limit::malloc_heap_size] = std::size_t{8} << 20;
  limits[abi::limit::dev_runtime_sync_depth] = 2;
  limits[abi::limit::dev_runtime_pending_launch_count] = 2048;
  limits[abi::limit::max_l2_fetch_granularity] = 64;
  stack_limit.store(limits[abi::limit::stack_size]);
  services.set_print_limit(limits[abi::limit::printf_fifo_size]);
  services.set_heap_limit(limits[abi::limit::malloc_heap_size]);
}

Result ContextObject::limit(abi::Enum which, std::size_t& value) {
  if (const Result wrong = check_name(which); wrong != abi::kSuccess) return wrong;
  const std::scoped_lock lock(settings_mutex);
  value = limits[static_cast<std::size_t>(which)];
  return abi::kSuccess;
}

Result ContextObject::set_limit(abi::Enum which, std::size_t value) {
  if (const Result wrong = check_name(which); wrong != abi::kSuccess) return wrong;
  const std::scoped_lock lock(settings_mutex);
  switch (which) {
    case abi::limit::stack_size:
      if (value > kMostStack) {
        return fail(abi::kInvalidValue,
                    "a thread's stack is at most " + std::to_string(kMostStack) + " bytes");
      }
      value = (value + kStackUnit - 1) / kStackUnit * kStackUnit;
      stack_limit.store(value);
      break;
    case abi::limit::printf_fifo_size:
      if (services.has_printed()) return in_use("prints", "buffer");
      value = std::max(value, kLeastPrintBuffer);
      services.set_print_limit(value);
      break;
    case abi::limit::malloc_heap_size:
      if (services.has_allocated()) return in_use("allocates", "heap");
      value = std::max(value, kLeastHeap);
      services.set_heap_limit(value);
      break;
    case abi::limit::max_l2_fetch_granularity:
      if (value > kMostL2Granularity) return abi::kInvalidValue;
      break;
    default:
      break;
  }
  limits[static_cast<std::size_t>(which)] = value;
  return abi::kSuccess;
}

TARE_API Result cuCtxGetLimit(std::size_t* value, abi::Enum which) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>& context) -> Result {
    return value == nullptr ? Result{abi::kInvalidValue} : context->limit(which, *value);
  });
}

TARE_API Result cuCtxSetLimit(abi::Enum which, std::size_t value) {
  return entry_with_context([&](Process&, const std::shared_ptr<ContextObject>& context) -> Result {
    return context->set_limit(which, value);
  });
}

}  // namespace tare::cpu
