// Streams and events: order and device time.
#pragma once

#include <vector>

#include "tare/device.hpp"

struct CUstream_st;
struct CUevent_st;

namespace tare {

/// A stream that somebody owns: what launches and copies take. Made from a Stream or a raw CUstream.
class StreamRef {
 public:
  StreamRef(CUstream_st* handle) noexcept : handle_(handle) {}  // NOLINT: implicit on purpose
  CUstream_st* handle() const noexcept { return handle_; }

 private:
  CUstream_st* handle_;
};

/// A device-side time stamp. Move-only; owns its CUevent.
class Event {
 public:
  explicit Event(const PrimaryContext& context, bool timing = true);
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;

  CUevent_st* handle() const noexcept { return handle_; }
  void record(StreamRef stream) const;
  /// Blocks until the event has happened.
  void synchronize() const;
  bool done() const;
  /// Milliseconds from `earlier` to this event, on the device's clock; both must have happened.
  double milliseconds_since(const Event& earlier) const;

 private:
  PrimaryContext context_;
  CUevent_st* handle_ = nullptr;
};

/// A non-blocking stream (no implicit order with the legacy default stream). Move-only; owns its CUstream.
class Stream {
 public:
  explicit Stream(const PrimaryContext& context);
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;

  operator StreamRef() const noexcept { return StreamRef(handle_); }  // NOLINT
  CUstream_st* handle() const noexcept { return handle_; }
  /// Blocks until all work queued so far is done; throws what that work failed with.
  void synchronize() const;
  /// Later work on this stream waits for the event.
  void wait(const Event& event) const;

 private:
  PrimaryContext context_;
  CUstream_st* handle_ = nullptr;
};

/// Holds a stream back until released (cuStreamWaitValue32 on a word of pinned host memory), so that a
/// queue of launches can be filled before the first of them runs.
class StreamGate {
 public:
  /// Throws Error(unsupported) where the device has no stream memory operations.
  explicit StreamGate(const PrimaryContext& context);
  ~StreamGate();  // releases, and blocks until the held streams have passed
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;

  /// Queues the wait: nothing queued on `stream` after it runs until release().
  void hold(StreamRef stream);
  void release() noexcept;

 private:
  struct Held {
    CUstream_st* stream;
    Event passed;  // recorded behind the stream's last wait
  };
  void hold(StreamRef stream, unsigned turn);

  PrimaryContext context_;
  void* word_ = nullptr;
  unsigned turn_ = 0;
  std::vector<Held> held_;
};

}  // namespace tare
