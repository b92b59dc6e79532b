// RawKernel: everything waits for the first call; then a lock, and afterwards one atomic read.
#include "tare/raw_kernel.hpp"

#include <atomic>
#include <mutex>
#include <utility>

#include "frontend/cached_compile.hpp"
#include "frontend/device_compile.hpp"

namespace tare {

struct RawKernel::State {
  State(const PrimaryContext& in, std::string text, std::string kernel_name, CompileOptions with,
        Cache kept_in)
      : context(in),
        source(std::move(text)),
        name(std::move(kernel_name)),
        options(std::move(with)),
        cache(std::move(kept_in)) {}

  const PrimaryContext context;
  const std::string source, name;
  const CompileOptions options;
  const Cache cache;

  // Not std::call_once: an exception cannot pass glibc's pthread_once in a program that has libgcc inside it.
  std::atomic<bool> ready{false};
  std::mutex mutex;
  Kernel kernel;
  Report report;

  void make() {
    const std::lock_guard lock(mutex);
    if (ready.load(std::memory_order_relaxed)) return;
    detail::CachedModule loaded =
        detail::load_or_compile(CachedCompiler::nvrtc, context, source, {name}, options, cache);
    kernel = detail::find_kernel(loaded.module, loaded.report.details, name);
    report = std::move(loaded.report);
    ready.store(true, std::memory_order_release);
  }
};

RawKernel::RawKernel(const PrimaryContext& context, std::string source, std::string name,
                     CompileOptions options, Cache cache)
    : state_(std::make_shared<State>(context, std::move(source), std::move(name), std::move(options),
                                     std::move(cache))) {}

const Kernel& RawKernel::kernel() const {
  if (!state_->ready.load(std::memory_order_acquire)) state_->make();
  return state_->kernel;
}

const RawKernel::Report& RawKernel::report() const {
  static const Report kNothingYet;
  return state_->ready.load(std::memory_order_acquire) ? state_->report : kNothingYet;
}

}  // namespace tare
