// A stream of the API, and how calls find the one they are given.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "cpu/driver/abi.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/runtime/stream_queue.hpp"

namespace tare::cpu {

struct StreamObject {
  StreamObject(const std::shared_ptr<ContextObject>& owner, unsigned stream_flags, int stream_priority);

  const std::weak_ptr<ContextObject> context;
  const std::shared_ptr<StreamQueue> queue;
  const unsigned flags;
  const int priority;
  const std::uint64_t id;
  bool is_legacy = false;

  bool blocking() const { return (flags & abi::stream_flag::non_blocking) == 0; }
  abi::Stream handle() { return reinterpret_cast<abi::Stream>(this); }
};

/// A stream as a call was given it: the handle, and what 0 means to that form of the call.
struct StreamArgument {
  abi::Stream handle = nullptr;
  bool per_thread = false;  // of the _ptsz and _ptds forms
};

/// The stream, and its context, which must be alive and without a fault. 0, 1 and 2 are the current
/// context's default streams.
struct ResolvedStream {
  std::shared_ptr<StreamObject> stream;
  std::shared_ptr<ContextObject> context;
};
abi::Result resolve(StreamArgument argument, ResolvedStream& resolved);

/// Adds an operation in the order that CUDA gives the legacy default stream: it waits for all
/// blocking streams, and they wait for it.
StreamQueue::Position enqueue(const ResolvedStream& target, std::unique_ptr<Operation> operation);

/// Makes the stream wait until another queue has reached a position; nothing if it has.
void enqueue_wait(const ResolvedStream& target, const std::shared_ptr<StreamQueue>& other,
                  StreamQueue::Position position);

/// Waits for all that was given to the stream so far, and for what it is ordered after.
abi::Result synchronise(const ResolvedStream& target);

/// True if nothing is queued in the stream nor in any that it is ordered after: what the call would
/// enqueue may as well be done at once.
bool nothing_before(const ResolvedStream& target);

void close_streams_of_thread(std::uint64_t thread);

/// An operation made of a function object.
template <typename Body>
class FunctionOperation final : public Operation {
 public:
  FunctionOperation(Body body, bool after_failure) : body_(std::move(body)), after_failure_(after_failure) {}
  void run(OperationContext& context) override { body_(context); }
  bool runs_after_failure() const override { return after_failure_; }

 private:
  Body body_;
  const bool after_failure_;
};
template <typename Body>
std::unique_ptr<Operation> operation(Body body, bool after_failure = false) {
  return std::make_unique<FunctionOperation<Body>>(std::move(body), after_failure);
}

}  // namespace tare::cpu
