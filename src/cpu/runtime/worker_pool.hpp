// Spreads the blocks of a grid over the cores. A stream's own thread runs its grids; where there is
// enough work for more than one core, the pool's threads help it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "cpu/codegen/kernel.hpp"
#include "cpu/runtime/fault_guard.hpp"

namespace tare::cpu {

/// A thread's memory for the kernels that it runs; grows, and is kept from grid to grid. Each of
/// the three areas lies between inaccessible zones, so that an access outside it faults.
class ScratchMemory {
 public:
  ScratchMemory() = default;
  ~ScratchMemory();
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

  /// Makes each area at least so large; false if there is no memory.
  bool reserve(std::size_t shared, std::size_t local, std::size_t frames);
  codegen::Scratch& scratch() { return scratch_; }
  /// Whether the address is in the zones around the shared memory, or in it.
  bool is_near_shared(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(shared_.base - shared_.zone) <
           shared_.bytes + 2 * shared_.zone;
  }

 private:
  struct Area {
    std::byte* base = nullptr;
    std::size_t bytes = 0;
    std::size_t zone = 0;  // inaccessible bytes on either side
  };
  static bool grow(Area& area, std::size_t bytes);
  static void release(Area& area);
  Area shared_, local_, frames_;
  codegen::Scratch scratch_;
};

/// How long a block of a kernel has taken so far; decides how many blocks are taken at a time.
struct Pace {
  std::atomic<float> ns_per_block{0};  // 0: never run
};

struct Grid {
  codegen::BlocksFunction run = nullptr;
  const codegen::LaunchContext* context = nullptr;
  std::uint64_t blocks = 0;
  std::size_t shared_bytes = 0, local_bytes = 0, frame_bytes = 0;  // per worker
  std::size_t stack_bytes = 0;  // of local_bytes: only a deep recursion touches most of it
};

/// How a grid ended: at most one of the three is set.
struct GridOutcome {
  codegen::Fault fault = codegen::Fault::none;
  MemoryFault memory_fault;
  bool beyond_shared = false;  // the memory fault was beside the shared memory of `where`
  bool no_scratch = false;
  codegen::Scratch where;  // of the worker that stopped first
  bool ok() const { return fault == codegen::Fault::none && !memory_fault.happened && !no_scratch; }
};

class WorkerPool {
 public:
  /// `threads`: how many work on a large grid, the caller's included. Threads start when first needed.
  explicit WorkerPool(int threads) : threads_(threads) {}

  /// Runs the grid and returns when its last block has ended. Callable from several threads.
  GridOutcome run(const Grid& grid, Pace& pace, ScratchMemory& own);

 private:
  struct Job;
  class Turns;
  enum class Ended : std::uint8_t { done, yielded, stopped };
  void start_threads();
  void help(int index);
  static void work(Job& job, ScratchMemory& memory, bool resume = false);
  static Ended run_blocks(Job& job, ScratchMemory& memory, std::uint64_t first, std::uint64_t last);
  void share(Job& job, ScratchMemory& own, bool resume = false);

  const int threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Job*> jobs_;
  std::atomic<std::uint32_t> posted_{0};  // counts jobs, so that an idle thread may watch without the lock
  std::atomic<int> sleeping_{0};
  bool started_ = false;
};

/// Starts a detached thread of the device's: it takes no signal but those of its own faults, and
/// nothing of its starter's floating-point environment.
void start_thread(const char* name, void (*body)(void*), void* argument);

/// Tells the processor that this is a loop of waiting.
void pause_briefly();

}  // namespace tare::cpu
