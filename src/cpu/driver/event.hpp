// An event: a position in a stream, and the moment when the stream reached it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "cpu/driver/abi.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/runtime/stream_queue.hpp"

namespace tare::cpu {

/// One recording. An event recorded again gets a new one; who waits for the old one keeps it.
struct EventRecord {
  std::shared_ptr<StreamQueue> queue;
  StreamQueue::Position position = 0;
  std::atomic<std::int64_t> time_ns{0};
  bool reached() const { return queue->reached(position); }
};

struct EventObject {
  EventObject(const std::shared_ptr<ContextObject>& owner, unsigned event_flags)
      : context(owner), flags(event_flags) {}

  const std::weak_ptr<ContextObject> context;
  const unsigned flags;

  bool timed() const { return (flags & abi::event_flag::disable_timing) == 0; }
  /// The last recording; null before the first.
  std::shared_ptr<EventRecord> latest() const {
    const std::scoped_lock lock(mutex_);
    return latest_;
  }
  void set_latest(std::shared_ptr<EventRecord> record) {
    const std::scoped_lock lock(mutex_);
    latest_ = std::move(record);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<EventRecord> latest_;
};

}  // namespace tare::cpu
