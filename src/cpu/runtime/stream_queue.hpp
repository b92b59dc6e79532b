// A stream: operations in order, run by a thread of its own that starts with the first of them.
// Everything that orders work (events, the legacy default stream, synchronising) is a position in a
// queue: the number of an operation, reached when that operation and all before it are done.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "cpu/runtime/worker_pool.hpp"

namespace tare::cpu {

/// What becomes of a context's work: shared by its queues. A fault is kept for good ("sticky").
class ContextStatus {
 public:
  /// `aloud`: the fault is a line on stderr too, for programs that do not know how to ask for its text.
  explicit ContextStatus(bool aloud) : aloud_(aloud) {}
  int code() const { return code_.load(std::memory_order_acquire); }
  std::string text() const;
  /// The first fault stays.
  void fail(int code, std::string text);
  /// From now on waits end at once and queued operations are skipped.
  void cancel() { cancelled_.store(true); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  /// The context is being destroyed: what is queued still runs, but nothing is held back for a value.
  void drain() { draining_.store(true); }
  bool draining() const { return draining_.load(std::memory_order_relaxed); }

 private:
  const bool aloud_;
  std::atomic<int> code_{0};
  std::atomic<bool> cancelled_{false}, draining_{false};
  mutable std::mutex mutex_;
  std::string text_;
};

class StreamQueue;

/// What an operation may use while it runs.
struct OperationContext {
  StreamQueue& queue;
  ContextStatus& status;
  ScratchMemory& scratch;
};

class Operation {
 public:
  virtual ~Operation() = default;
  /// Runs on the stream's thread. Throws nothing.
  virtual void run(OperationContext& context) = 0;
  /// Whether it runs although the context has failed (events, callbacks that are told the error).
  virtual bool runs_after_failure() const { return false; }
  /// Gives what it holds back, so that the object may be used again; false if it is not to be.
  virtual bool recycle() { return false; }

 private:
  friend class StreamQueue;
  std::unique_ptr<Operation> next_;
};

class StreamQueue : public std::enable_shared_from_this<StreamQueue> {
 public:
  explicit StreamQueue(std::shared_ptr<ContextStatus> status) : status_(std::move(status)) {}
  ~StreamQueue();

  using Position = std::uint64_t;

  /// Adds an operation and says its position. Returns at once unless the queue is full
  /// (kCapacity operations): then it waits for room.
  Position push(std::unique_ptr<Operation> operation);
  /// A used operation to fill again, or null. Any type that `recycle`s: one type per queue.
  std::unique_ptr<Operation> take_recycled();

  Position last() const { return pushed_.load(std::memory_order_acquire); }
  bool reached(Position position) const { return done_.load(std::memory_order_acquire) >= position; }
  bool idle() const { return reached(last()); }
  /// Blocks until the position is reached, or the context is cancelled (then false).
  bool wait(Position position);
  /// Wakes those who wait, after a cancel.
  void wake();
  /// No more operations will come: the thread ends when the queue is empty.
  void close();

  ContextStatus& status() { return *status_; }

  /// Up to here this queue waits already for another one (the legacy default stream, in the driver).
  std::atomic<Position> waited_for_legacy{0};

  static constexpr Position kCapacity = 16384;

 private:
  static void thread_main(void* queue);
  void run();
  std::unique_ptr<Operation> next_batch();

  const std::shared_ptr<ContextStatus> status_;
  std::atomic<Position> pushed_{0}, done_{0};
  std::atomic<int> waiting_{0};
  std::atomic<bool> closed_{false};

  std::mutex mutex_;
  std::condition_variable work_, progress_;
  std::unique_ptr<Operation> head_;
  Operation* tail_ = nullptr;
  std::unique_ptr<Operation> recycled_;
  bool started_ = false, sleeping_ = false;
};

}  // namespace tare::cpu
