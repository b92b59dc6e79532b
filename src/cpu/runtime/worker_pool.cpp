#include "cpu/runtime/worker_pool.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <new>

#include "cpu/runtime/floating_point.hpp"
#include "cpu/runtime/host.hpp"

namespace tare::cpu {
namespace {

constexpr std::size_t kPage = 4096;
// Below this a grid is done before another core would have woken.
constexpr double kWorthSharingNs = 20'000;
// Taken at a time once a grid is shared: long beside an atomic addition, short beside the grid.
constexpr double kShortestTurnNs = 5'000;
constexpr std::int64_t kWatchNs = 30'000;  // how long an idle thread watches before it sleeps

// What lies around a scratch area is wide enough that no 32-bit offset, of bytes or of words, gets past it:
// an access outside the area faults, and costs no check. It is address space alone. A process that may have
// little (ulimit -v), or has very many blocks waiting, gets less of it.
constexpr std::size_t kZone = std::size_t{8} << 30;
constexpr std::size_t kSmallZone = std::size_t{64} << 20;
constexpr std::size_t kMostZones = std::size_t{16} << 40;
std::atomic<std::size_t> zones_reserved{0};

}  // namespace

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

void start_thread(const char* name, void (*body)(void*), void* argument) {
  struct Start {
    void (*body)(void*);
    void* argument;
  };
  sigset_t all, old;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_t thread;
  auto* start = new Start{body, argument};
  const int failed = pthread_create(
      &thread, nullptr,
      [](void* given) -> void* {
        const Start begin = *static_cast<Start*>(given);
        delete static_cast<Start*>(given);
        const DefaultFloatingPoint floating_point;
        begin.body(begin.argument);
        return nullptr;
      },
      start);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  if (failed != 0) {
    delete start;
    throw std::bad_alloc();
  }
  pthread_setname_np(thread, name);
  pthread_detach(thread);
}

void ScratchMemory::release(Area& area) {
  if (area.base == nullptr) return;
  munmap(area.base - area.zone, area.bytes + 2 * area.zone);
  zones_reserved.fetch_sub(2 * area.zone, std::memory_order_relaxed);
  area = {};
}

ScratchMemory::~ScratchMemory() {
  for (Area* area : {&shared_, &local_, &frames_}) release(*area);
}

bool ScratchMemory::grow(Area& area, std::size_t bytes) {
  if (bytes <= area.bytes) return true;
  const std::size_t wanted = (std::max(bytes, area.bytes * 2) + kPage - 1) / kPage * kPage;
  for (const std::size_t zone : {kZone, kSmallZone, kPage}) {
    if (zone == kZone && zones_reserved.load(std::memory_order_relaxed) > kMostZones) continue;
    void* reserved =
        mmap(nullptr, wanted + 2 * zone, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) continue;
    std::byte* inside = static_cast<std::byte*>(reserved) + zone;
    if (mprotect(inside, wanted, PROT_READ | PROT_WRITE) != 0) {
      munmap(reserved, wanted + 2 * zone);
      return false;
    }
    release(area);
    zones_reserved.fetch_add(2 * zone, std::memory_order_relaxed);
    area = {inside, wanted, zone};
    return true;
  }
  return false;
}

bool ScratchMemory::reserve(std::size_t shared, std::size_t local, std::size_t frames) {
  if (!grow(shared_, shared) || !grow(local_, local) || !grow(frames_, frames)) return false;
  scratch_.shared = shared_.base;
  scratch_.local = local_.base;
  scratch_.frames = frames_.base;
  return true;
}

/// One grid being run. Lives on its owner's stack: a helper leaves it under the pool's lock.
struct WorkerPool::Job {
  const Grid& grid;
  std::uint64_t smallest_turn = 1;
  int workers = 1;
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> stopped{false};
  std::atomic<bool> yields{false};  // a block has waited for others: blocks are taken one by one
  std::atomic<int> helpers{0};      // changed under the pool's lock, watched without it
  std::condition_variable left{};
  GridOutcome outcome{};  // written by the one who sets `stopped`
};

WorkerPool::Ended WorkerPool::run_blocks(Job& job, ScratchMemory& memory, std::uint64_t first,
                                         std::uint64_t last) {
  codegen::Scratch& scratch = memory.scratch();
  struct Call {
    const Grid& grid;
    codegen::Scratch* scratch;
    std::uint64_t first, last;
    std::int32_t status;
  } call{job.grid, &scratch, first, last, 0};
  const MemoryFault fault = run_guarded(
      [](void* given) {
        auto& c = *static_cast<Call*>(given);
        c.status = c.grid.run(c.grid.context, c.scratch, c.first, c.last);
      },
      &call);
  if (!fault.happened && call.status == 0) return Ended::done;
  if (!fault.happened && call.status == static_cast<std::int32_t>(codegen::Fault::yielded))
    return Ended::yielded;
  scratch.resume = 0;
  if (!job.stopped.exchange(true)) {
    job.outcome.memory_fault = fault;
    job.outcome.beyond_shared = fault.has_address && memory.is_near_shared(fault.address);
    if (!fault.happened) job.outcome.fault = static_cast<codegen::Fault>(call.status);
    job.outcome.where = scratch;
  }
  return Ended::stopped;
}

/// One thread's share of a job. A block that waits for others keeps its scratch, and the thread goes on with
/// the next block in other scratch; when no block is left to begin, those that wait take turns.
class WorkerPool::Turns {
 public:
  Turns(Job& job, ScratchMemory& memory) : job_(job), memory_(memory) {}
  ~Turns() { memory_.scratch().resume = 0; }

  /// `resume`: the thread's own scratch holds a block that waits.
  void run(bool resume) {
    if (resume) {
      first_used_ = true;
      wait(&memory_);
    }
    while (!job_.stopped.load(std::memory_order_relaxed)) {
      std::uint64_t first = 0, last = 0;
      if (may_begin() && take(first, last)) {
        if (!begin(first, last)) return;
      } else if (waiting_.empty()) {
        return;
      } else if (!resume_all()) {
        return;
      }
    }
  }

  /// Blocks [first, last) are this thread's to run; false if the job stopped.
  bool begin(std::uint64_t first, std::uint64_t last) {
    while (first < last) {
      ScratchMemory* own = free_scratch();
      if (own == nullptr) return no_memory();
      const Ended ended = run_blocks(job_, *own, first, last);
      if (ended == Ended::stopped) return false;
      if (ended == Ended::done) {
        free_.push_back(own);
        return true;
      }
      job_.yields.store(true, std::memory_order_relaxed);
      first = wait(own) + 1;
      // What is left is anybody's again where it can be given back, else this thread's own.
      if (first < last && !may_begin()) {
        kept_first_ = first;
        kept_last_ = last;
        return true;
      }
    }
    return true;
  }

 private:
  struct Waiting {
    ScratchMemory* memory;
    std::uint64_t block;
  };

  std::uint64_t wait(ScratchMemory* memory) {
    const std::uint64_t block = memory->scratch().stopped_block;
    waiting_.push_back({memory, block});
    return block;
  }

  bool may_begin() const {
    const Grid& grid = job_.grid;
    const std::size_t bytes = grid.shared_bytes + grid.local_bytes - grid.stack_bytes + grid.frame_bytes;
    return waiting_.size() < kMostWaiting && waiting_.size() * bytes < kMostWaitingBytes;
  }

  bool take(std::uint64_t& first, std::uint64_t& last) {
    if (kept_first_ < kept_last_) {
      first = kept_first_;
      last = kept_last_;
      kept_first_ = kept_last_ = 0;
      return true;
    }
    // Guided: large turns first, smaller ones towards the end, so that all finish together.
    const auto divisor = static_cast<std::uint64_t>(job_.workers) * 4;
    const std::uint64_t blocks = job_.grid.blocks;
    first = job_.next.load(std::memory_order_relaxed);
    while (first < blocks) {
      const std::uint64_t left = blocks - first;
      std::uint64_t turn = std::min(left, std::max(job_.smallest_turn, left / divisor));
      if (job_.yields.load(std::memory_order_relaxed)) turn = 1;
      if (!job_.next.compare_exchange_weak(first, first + turn, std::memory_order_relaxed)) continue;
      last = first + turn;
      return true;
    }
    return false;
  }

  /// Each waiting block runs until it ends or waits again.
  bool resume_all() {
    bool any_ended = false;
    for (std::size_t i = 0; i < waiting_.size();) {
      if (job_.stopped.load(std::memory_order_relaxed)) return false;
      const Waiting block = waiting_[i];
      const Ended ended = run_blocks(job_, *block.memory, block.block, block.block + 1);
      if (ended == Ended::stopped) return false;
      if (ended == Ended::yielded) {
        ++i;
        continue;
      }
      any_ended = true;
      free_.push_back(block.memory);
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      if (may_begin()) break;
    }
    // What they wait for is with another thread, which may want this processor.
    if (!any_ended) sched_yield();
    return true;
  }

  ScratchMemory* free_scratch() {
    const Grid& grid = job_.grid;
    ScratchMemory* found = &memory_;
    if (!free_.empty()) {
      found = free_.back();
      free_.pop_back();
    } else if (first_used_) {
      more_.push_back(std::make_unique<ScratchMemory>());
      found = more_.back().get();
      found->scratch().worker = memory_.scratch().worker;
    }
    first_used_ = true;
    return found->reserve(grid.shared_bytes, grid.local_bytes, grid.frame_bytes) ? found : nullptr;
  }

  bool no_memory() {
    if (!job_.stopped.exchange(true)) job_.outcome.no_scratch = true;
    return false;
  }

  // As many blocks as a large GPU has at a time, and no more memory than a small host can spare.
  static constexpr std::size_t kMostWaiting = 4096;
  static constexpr std::size_t kMostWaitingBytes = std::size_t{1} << 30;

  Job& job_;
  ScratchMemory& memory_;
  bool first_used_ = false;
  std::vector<std::unique_ptr<ScratchMemory>> more_;
  std::vector<ScratchMemory*> free_;
  std::vector<Waiting> waiting_;
  std::uint64_t kept_first_ = 0, kept_last_ = 0;
};

void WorkerPool::work(Job& job, ScratchMemory& memory, bool resume) {
  Turns(job, memory).run(resume);
}

void WorkerPool::start_threads() {
  started_ = true;
  for (int index = 1; index < threads_; ++index) {
    struct Seat {
      WorkerPool* pool;
      int index;
    };
    start_thread(
        "tare-worker",
        [](void* given) {
          const Seat seat = *static_cast<Seat*>(given);
          delete static_cast<Seat*>(given);
          seat.pool->help(seat.index);
        },
        new Seat{this, index});
  }
}

void WorkerPool::help(int index) {
  ScratchMemory memory;
  memory.scratch().worker = static_cast<std::uint32_t>(index);
  std::uint32_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto open = std::find_if(jobs_.begin(), jobs_.end(), [](const Job* job) {
      return job->next.load(std::memory_order_relaxed) < job->grid.blocks && !job->stopped.load() &&
             job->helpers.load() + 1 < job->workers;
    });
    if (open != jobs_.end()) {
      Job& job = **open;
      job.helpers.fetch_add(1);
      lock.unlock();
      work(job, memory);
      lock.lock();
      if (job.helpers.fetch_sub(1) == 1) job.left.notify_one();
      continue;
    }
    seen = posted_.load();
    lock.unlock();
    const std::int64_t until = now_ns() + kWatchNs;
    while (posted_.load(std::memory_order_relaxed) == seen && now_ns() < until) pause_briefly();
    lock.lock();
    sleeping_.fetch_add(1);
    wake_.wait(lock, [&] { return posted_.load() != seen; });
    sleeping_.fetch_sub(1);
  }
}

/// Offers the rest of the job to the pool, works on it and waits until the helpers have left.
void WorkerPool::share(Job& job, ScratchMemory& own, bool resume) {
  {
    const std::scoped_lock lock(mutex_);
    if (!started_) start_threads();
    jobs_.push_back(&job);
    posted_.fetch_add(1);
    if (sleeping_.load() > 0) {
      if (job.workers - 1 >= sleeping_.load()) {
        wake_.notify_all();
      } else {
        for (int i = 1; i < job.workers; ++i) wake_.notify_one();
      }
    }
  }
  work(job, own, resume);
  const std::int64_t until = now_ns() + kWatchNs;
  while (job.helpers.load(std::memory_order_acquire) != 0 && now_ns() < until) pause_briefly();
  std::unique_lock lock(mutex_);
  jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
  job.left.wait(lock, [&] { return job.helpers.load() == 0; });
}

GridOutcome WorkerPool::run(const Grid& grid, Pace& pace, ScratchMemory& own) {
  Job job{.grid = grid};
  if (!own.reserve(grid.shared_bytes, grid.local_bytes, grid.frame_bytes)) {
    job.outcome.no_scratch = true;
    return job.outcome;
  }
  const std::int64_t begin = now_ns();
  double per_block = pace.ns_per_block.load(std::memory_order_relaxed);
  std::uint64_t done = 0;
  std::int64_t now = begin;
  while (done < grid.blocks) {
    const std::uint64_t left = grid.blocks - done;
    const double estimate = per_block * static_cast<double>(left);
    if (threads_ > 1 && left > 1 && estimate > kWorthSharingNs) {
      job.workers =
          static_cast<int>(std::clamp(estimate / (kWorthSharingNs / 2), 2.0, static_cast<double>(threads_)));
      job.workers = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(job.workers), left));
      job.smallest_turn = static_cast<std::uint64_t>(std::max(1.0, kShortestTurnNs / per_block));
      job.next.store(done);
      share(job, own);
      break;
    }
    // Alone: as much as the pace promises to be short, else one block and then twice as many.
    std::uint64_t turn = per_block > 0 ? static_cast<std::uint64_t>(kWorthSharingNs / per_block) : 1;
    if (done > 0 && per_block > 0) turn = std::min(turn, done * 2);
    turn = threads_ == 1 ? left : std::clamp<std::uint64_t>(turn, 1, left);
    const Ended ended = run_blocks(job, own, done, done + turn);
    if (ended == Ended::stopped) break;
    if (ended == Ended::yielded) {
      job.workers =
          static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(threads_), grid.blocks));
      job.next.store(own.scratch().stopped_block + 1);
      job.yields.store(true);
      share(job, own, true);
      break;
    }
    done += turn;
    now = now_ns();
    per_block = std::max(0.5, static_cast<double>(now - begin) / static_cast<double>(done));
  }
  if (job.outcome.ok() && grid.blocks > 0) {
    const double spent = static_cast<double>(now_ns() - begin) * job.workers;
    const double measured = spent / static_cast<double>(grid.blocks);
    const double before = pace.ns_per_block.load(std::memory_order_relaxed);
    // A first run pays for page faults, so later ones weigh as much as all before.
    pace.ns_per_block.store(static_cast<float>(before == 0 ? measured : (before + measured) / 2),
                            std::memory_order_relaxed);
  }
  return job.outcome;
}

}  // namespace tare::cpu
