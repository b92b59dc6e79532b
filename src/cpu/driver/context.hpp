// A context: a device, its streams, and whether its work has failed.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "cpu/driver/abi.hpp"
#include "cpu/runtime/device_services.hpp"
#include "cpu/runtime/stream_queue.hpp"

namespace tare::cpu {

struct StreamObject;

struct ContextObject : std::enable_shared_from_this<ContextObject> {
  ContextObject(int device_ordinal, unsigned context_flags, bool is_primary);

  const int device;
  unsigned flags;
  const bool primary;
  const std::uint64_t id;
  unsigned api_version = 13000;
  std::atomic<int> users;  // of cuCtxDetach: who made it, if it is not a primary one, and each cuCtxAttach
  const std::shared_ptr<ContextStatus> status;
  std::atomic<bool> destroyed{false};
  std::atomic<unsigned> grids_launched{0};
  ContextServices services;  // printing and the heap of its kernels

  std::mutex settings_mutex;
  std::array<std::size_t, abi::limit::count> limits{};
  std::atomic<std::size_t> stack_limit{0};  // limits[stack_size], for launches
  abi::Enum cache_config = 0, shared_config = 0;
  std::set<int> peers;  // devices whose memory access was enabled

  // Streams: the legacy default one, one per thread that used its own default, and created ones.
  std::shared_mutex streams_mutex;
  std::shared_ptr<StreamObject> legacy;
  std::unordered_map<std::uint64_t, std::shared_ptr<StreamObject>> per_thread;
  std::vector<std::shared_ptr<StreamObject>> created;
  std::vector<std::shared_ptr<StreamObject>> leaving;  // destroyed, or their thread ended, with work to do

  abi::Context handle() { return reinterpret_cast<abi::Context>(this); }
  /// The legacy default stream (made with the context).
  const std::shared_ptr<StreamObject>& legacy_stream() const { return legacy; }
  std::shared_ptr<StreamObject> per_thread_stream();
  /// Those too that are destroyed and still have work to do.
  std::vector<std::shared_ptr<StreamObject>> all_streams();
  /// For a stream that is no longer the caller's. With streams_mutex held.
  void let_finish(std::shared_ptr<StreamObject> stream);
  /// What a thread of a kernel launched now has for its device functions' frames, in bytes. A frame here
  /// holds its caller's registers too, and every one in full, so a byte of CU_LIMIT_STACK_SIZE counts for
  /// kStackFactor: as deep a recursion as on a GPU fits.
  std::uint64_t stack_bytes() const { return stack_limit.load(std::memory_order_relaxed) * kStackFactor; }
  static constexpr std::uint64_t kStackFactor = 16;
  static constexpr std::size_t kMostStack = 523712;  // bytes for a thread, as on an H200
  void set_default_limits();
  /// CU_LIMIT_*, in bytes or as the limit counts.
  abi::Result limit(abi::Enum which, std::size_t& value);
  abi::Result set_limit(abi::Enum which, std::size_t value);
  /// Waits for everything queued so far; the context's fault, if it has one.
  abi::Result synchronise();
  /// kSuccess, or the sticky fault with its text given to this thread.
  abi::Result failure() const;
};

/// The thread's current context, if there is one and it is fit for work.
abi::Result current_context(std::shared_ptr<ContextObject>& context);

/// A context with its legacy default stream, entered among the live ones.
std::shared_ptr<ContextObject> make_context(int device, unsigned flags, bool primary);
/// Whether the flags are ones that a context may have.
bool valid_context_flags(unsigned flags);

/// Waits for the context's work (opening any gate that holds it), then frees all that it owns.
void destroy_context(ContextObject& context);

}  // namespace tare::cpu
