#include "cpu/runtime/stream_queue.hpp"

#include <sched.h>

#include <cstdio>
#include <utility>

#include "cpu/runtime/host.hpp"

namespace tare::cpu {
namespace {

// How long a stream's thread, and one that waits for it, watch before they sleep. Waking a thread
// costs about as much.
constexpr std::int64_t kWatchNs = 20'000;

template <typename Condition>
bool watch(Condition condition) {
  const std::int64_t until = now_ns() + kWatchNs;
  do {
    for (int i = 0; i < 16; ++i) {
      if (condition()) return true;
      pause_briefly();
    }
    sched_yield();  // to whoever does the work that is watched for
  } while (now_ns() < until);
  return condition();
}

}  // namespace

std::string ContextStatus::text() const {
  const std::scoped_lock lock(mutex_);
  return text_;
}

void ContextStatus::fail(int code, std::string text) {
  const std::scoped_lock lock(mutex_);
  if (code_.load() != 0) return;
  text_ = std::move(text);
  if (aloud_) std::fprintf(stderr, "tare CPU device: %s\n", text_.c_str());
  code_.store(code, std::memory_order_release);
}

StreamQueue::~StreamQueue() {
  // Not left to the chain of unique_ptrs, which would recurse once per operation.
  for (auto* list : {&head_, &recycled_}) {
    while (*list) *list = std::move((*list)->next_);
  }
}

StreamQueue::Position StreamQueue::push(std::unique_ptr<Operation> operation) {
  if (pushed_.load(std::memory_order_relaxed) - done_.load(std::memory_order_relaxed) >= kCapacity) {
    wait(pushed_.load() - kCapacity / 2);
  }
  std::unique_lock lock(mutex_);
  if (!started_) {
    auto* self = new std::shared_ptr<StreamQueue>(shared_from_this());
    try {
      start_thread("tare-stream", thread_main, self);
    } catch (...) {
      delete self;
      throw;
    }
    started_ = true;
  }
  Operation* const added = operation.get();
  if (tail_ == nullptr) {
    head_ = std::move(operation);
  } else {
    tail_->next_ = std::move(operation);
  }
  tail_ = added;
  const Position position = pushed_.load(std::memory_order_relaxed) + 1;
  pushed_.store(position, std::memory_order_seq_cst);
  const bool wake_thread = std::exchange(sleeping_, false);
  lock.unlock();
  if (wake_thread) work_.notify_one();
  return position;
}

std::unique_ptr<Operation> StreamQueue::take_recycled() {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Operation> taken = std::move(recycled_);
  if (taken) recycled_ = std::move(taken->next_);
  return taken;
}

bool StreamQueue::wait(Position position) {
  const auto over = [&] { return reached(position) || status_->cancelled(); };
  if (!watch(over)) {
    waiting_.fetch_add(1);
    std::unique_lock lock(mutex_);
    progress_.wait(lock, [&] { return done_.load() >= position || status_->cancelled(); });
    waiting_.fetch_sub(1);
  }
  return reached(position);
}

void StreamQueue::wake() {
  const std::scoped_lock lock(mutex_);
  progress_.notify_all();
  work_.notify_all();
}

void StreamQueue::close() {
  closed_.store(true);
  const std::scoped_lock lock(mutex_);
  sleeping_ = false;
  work_.notify_all();
}

void StreamQueue::thread_main(void* queue) {
  const std::unique_ptr<std::shared_ptr<StreamQueue>> self(static_cast<std::shared_ptr<StreamQueue>*>(queue));
  (*self)->run();
}

/// Waits for operations and takes all there are; null once the queue is closed and empty.
std::unique_ptr<Operation> StreamQueue::next_batch() {
  watch([&] {
    return pushed_.load(std::memory_order_relaxed) != done_.load(std::memory_order_relaxed) ||
           closed_.load(std::memory_order_relaxed);
  });
  std::unique_lock lock(mutex_);
  while (!head_ && !closed_.load()) {
    sleeping_ = true;
    work_.wait(lock);
  }
  sleeping_ = false;
  tail_ = nullptr;
  return std::move(head_);
}

void StreamQueue::run() {
  ScratchMemory scratch;
  OperationContext context{*this, *status_, scratch};
  while (std::unique_ptr<Operation> batch = next_batch()) {
    std::unique_ptr<Operation> used;
    while (batch) {
      std::unique_ptr<Operation> rest = std::move(batch->next_);
      const bool skip = status_->cancelled() || (status_->code() != 0 && !batch->runs_after_failure());
      if (!skip) batch->run(context);
      if (batch->recycle()) {
        batch->next_ = std::move(used);
        used = std::move(batch);
      } else {
        batch.reset();
      }
      batch = std::move(rest);
      done_.fetch_add(1, std::memory_order_seq_cst);
      if (waiting_.load(std::memory_order_seq_cst) > 0) {
        const std::scoped_lock lock(mutex_);
        progress_.notify_all();
      }
    }
    if (used) {
      const std::scoped_lock lock(mutex_);
      while (used) {
        std::unique_ptr<Operation> rest = std::move(used->next_);
        used->next_ = std::move(recycled_);
        recycled_ = std::move(used);
        used = std::move(rest);
      }
    }
  }
}

}  // namespace tare::cpu
