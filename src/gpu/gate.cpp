// A stream held back by a word of pinned host memory that the stream waits for and release() writes.
#include <algorithm>
#include <atomic>

#include "driver/check.hpp"
#include "driver/loader.hpp"
#include "gpu/quiet_scope.hpp"
#include "tare/error.hpp"
#include "tare/stream.hpp"

namespace tare {

using detail::check;
using detail::driver_table;

namespace {

std::atomic_ref<unsigned> shared_word(void* word) {
  return std::atomic_ref<unsigned>(*static_cast<unsigned*>(word));
}

}  // namespace

StreamGate::StreamGate(const PrimaryContext& context) : context_(context) {
  const auto scope = context_.enter();
  check(driver_table.mem_host_alloc(&word_, sizeof(unsigned),
                                    cu::kMemHostAllocPortable | cu::kMemHostAllocDeviceMap),
        "cuMemHostAlloc", "the word of a stream gate");
  shared_word(word_).store(0);
  // Only a wait that is queued shows whether the device has them; one that is already satisfied holds
  // nothing.
  try {
    Stream probe(context_);
    hold(probe, 0);
    probe.synchronize();
    held_.clear();
  } catch (...) {
    driver_table.mem_free_host(word_);
    throw;
  }
}

StreamGate::~StreamGate() {
  release();
  const detail::QuietScope scope(context_.handle());
  // The word has to outlive every wait that still reads it.
  for (const auto& held : held_) driver_table.event_synchronize(held.passed.handle());
  driver_table.mem_free_host(word_);
}

void StreamGate::hold(StreamRef stream) {
  hold(stream, ++turn_);
}

void StreamGate::hold(StreamRef stream, unsigned turn) {
  const auto scope = context_.enter();
  cu::DevicePtr address = 0;
  check(driver_table.mem_host_get_device_pointer(&address, word_, 0), "cuMemHostGetDevicePointer");
  const auto result =
      driver_table.stream_wait_value32(stream.handle(), address, turn, cu::kStreamWaitValueGeq);
  if (result == cu::Result::not_supported || result == cu::Result::not_found)
    detail::fail(cu::Result::not_supported, "cuStreamWaitValue32", "a stream",
                 "this device or driver has no stream memory operations");
  check(result, "cuStreamWaitValue32");
  auto held = std::find_if(held_.begin(), held_.end(),
                           [&](const Held& one) { return one.stream == stream.handle(); });
  if (held == held_.end()) held = held_.insert(held_.end(), Held{stream.handle(), Event(context_, false)});
  held->passed.record(stream);
}

void StreamGate::release() noexcept {
  shared_word(word_).store(turn_, std::memory_order_release);
}

}  // namespace tare
